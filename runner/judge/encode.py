# A verdict as strict JSON (labsheet/verdict/1): what pages embed, the command prints and the local server answers.
# NaN and infinities are strings, so that every reader of JSON can read it.
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from runner.judge.values import Check, Verdict

SCHEMA = "labsheet/verdict/1"


def encode_verdict(verdict: Verdict) -> dict[str, Any]:
    """The verdict as the contract draws it; `verdict.json` among the schemas is its schema."""
    return {
        "schema": SCHEMA,
        "task": verdict.task,
        "status": verdict.status,
        "reason": verdict.reason,
        "checks": [encode_check(check) for check in verdict.checks],
        "reports": [encode_json(report) for report in verdict.reports],
        "stdout": verdict.stdout,
        "environment": encode_json(verdict.environment),
        "seconds": encode_json(verdict.seconds),
        "digest": verdict.digest,
    }


def encode_check(check: Check) -> dict[str, Any]:
    """One check."""
    return {
        "id": check.id,
        "case": check.case,
        "status": check.status,
        "expected": encode_json(check.expected),
        "actual": encode_json(check.actual),
        "message": check.message,
    }


def encode_json(value: Any) -> Any:
    """A JSON value in which NaN and infinities have become "nan", "inf" and "-inf"."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(key): encode_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode_json(item) for item in value]
    return value
