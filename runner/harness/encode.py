# What check returned becomes strict JSON, or an error that says which part of it is none.
# NaN and infinities become the strings "nan", "inf" and "-inf"; digits of `rounded` are kept beside their key.
from __future__ import annotations

import math
from typing import Any

from runner.harness.bench import ReportError
from runner.harness.rounding import RoundedList, RoundedNumber

DEEPEST = 50


def encode_report(report: object) -> tuple[dict[str, Any], dict[str, int]]:
    """The report as strict JSON, and for each key that `rounded` made the least number of digits below it."""
    if not isinstance(report, dict):
        raise ReportError(f"check must return a dict, the report; it returned {_name(report)}")
    for key in report:
        if not isinstance(key, str):
            raise ReportError(f"the keys of a report are strings; {key!r} is {_name(key)}")
    digits = {key: min(found) for key, value in report.items() if (found := _find_digits(value, 0))}
    return {key: _encode(value, key, 0) for key, value in report.items()}, digits


def _encode(value: object, where: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise ReportError(f"report {where} is nested more than {DEEPEST} deep")
    if value is None or isinstance(value, (bool, str)):
        return value if value is None or isinstance(value, bool) else str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return encode_float(value)
    if isinstance(value, (list, tuple)):
        return [_encode(item, f"{where}[{number}]", depth + 1) for number, item in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _encode(item, f"{where}.{key}", depth + 1) for key, item in value.items()}
    raise ReportError(
        f"report {where} is {_name(value)}; a report holds None, bool, int, float, str, lists and dicts: "
        "use rounded(tensor) or tensor.tolist()"
    )


def encode_float(value: float) -> float | str:
    """A finite float as it is; otherwise "nan", "inf" or "-inf"."""
    return float(value) if math.isfinite(value) else repr(float(value))


def _find_digits(value: object, depth: int) -> list[int]:
    if isinstance(value, (RoundedList, RoundedNumber)):
        return [value.digits]
    if depth > DEEPEST or not isinstance(value, (list, tuple, dict)):
        return []
    items = value.values() if isinstance(value, dict) else value
    return [digits for item in items for digits in _find_digits(item, depth + 1)]


def _name(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"
