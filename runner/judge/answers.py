# What the record and replay jobs answer, read with suspicion: candidate code ran in the process that wrote it.
# An answer of another shape is no answer; nothing here raises.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from runner.judge.values import Outcome

DEEPEST = 100
WORDS = {"type": "array", "items": {"type": "string"}}
COUNT = {"type": "integer", "minimum": 0}
TEXT_OR_NULL = {"type": ["string", "null"]}
ERROR: Mapping[str, Any] = {
    "type": "object",
    "required": ["type", "message", "last", "frames", "mro"],
    "properties": {
        "type": {"type": "string"},
        "message": {"type": "string"},
        "last": {"type": "string"},
        "mro": WORDS,
        "frames": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["file", "line", "name"],
                "properties": {"file": {"type": "string"}, "line": {"type": "integer"}, "name": {"type": "string"}},
            },
        },
    },
}
CASE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "report": {"type": "object"},
        "rounded": {"type": "object", "additionalProperties": {"type": "integer", "minimum": -400, "maximum": 400}},
        "error": {"$ref": "#/$defs/error"},
        "by": {"enum": ["candidate", "checker", "inputs", "harness"]},
    },
    "oneOf": [{"required": ["report", "rounded"]}, {"required": ["error", "by"]}],
}
TREE: Mapping[str, Any] = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"type": "string", "minLength": 1},
        "shape": {"type": "array", "items": COUNT},
        "dtype": {"type": "string"},
        "elements": COUNT,
        "nonfinite": COUNT,
        "keys": {"type": "array", "items": {"type": ["string", "integer"]}},
        "items": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    },
    "dependentRequired": {"nonfinite": ["elements"], "keys": ["items"]},
}
SIDE: Mapping[str, Any] = {
    "type": "object",
    "required": ["raised", "unrecordable", "result", "shares", "watched", "changed"],
    "properties": {
        "raised": TEXT_OR_NULL,
        "unrecordable": TEXT_OR_NULL,
        "result": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/tree"}]},
        "shares": {
            "type": ["object", "null"],
            "required": ["tensors", "arguments", "earlier"],
            "properties": {"tensors": COUNT, "arguments": WORDS, "earlier": {"type": "boolean"}},
        },
        "watched": WORDS,
        "changed": WORDS,
    },
}
FACTS: Mapping[str, Any] = {
    "type": "object",
    "required": ["candidate", "reference"],
    "properties": {
        "candidate": {"$ref": "#/$defs/side"},
        "reference": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/side"}]},
    },
}
DEFS = {"error": ERROR, "tree": TREE, "side": SIDE, "facts": FACTS}


def make_validator(kind: str) -> Draft202012Validator:
    """The schema of an answer: record or replay."""
    more = (
        {"calls": {"type": "array"}}
        if kind == "record"
        else {"facts": {"type": "array", "items": {"$ref": "#/$defs/facts"}}}
    )
    case = {**CASE, "properties": {**CASE["properties"], **more}, "required": list(more)}
    loads = {"loads": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/error"}]}} if kind == "record" else {}
    properties = {**loads, "cases": {"type": "array", "items": case}}
    return Draft202012Validator(
        {"type": "object", "required": list(properties), "properties": properties, "$defs": DEFS}
    )


VALIDATORS = {kind: make_validator(kind) for kind in ("record", "replay")}


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """What a job says of one case: a report, or an error and whose it is."""

    report: Mapping[str, Any] | None
    """Strict JSON; None where there is an error."""
    rounded: Mapping[str, int]
    """Report key to the digits that `rounded` kept."""
    error: Mapping[str, Any] | None
    """type, mro, message, frames, last."""
    by: str | None
    """candidate, checker, inputs or harness."""
    calls: int
    """How many calls of the candidate were recorded (record only)."""
    facts: Sequence[Mapping[str, Any]]
    """For each call candidate and reference (replay only)."""


@dataclass(frozen=True, slots=True)
class RecordAnswer:
    """What the record job says."""

    loads: Mapping[str, Any] | None
    """The error that the candidate raised when it was loaded."""
    cases: Sequence[CaseAnswer]
    """In order; the last ones may be absent."""


def read_record(outcome: Outcome) -> RecordAnswer | None:
    """The record job's answer; None when it gave none of the agreed shape."""
    result = _read(outcome, "record")
    if result is None:
        return None
    return RecordAnswer(result["loads"], tuple(map(_read_case, result["cases"])))


def read_replay(outcome: Outcome) -> Sequence[CaseAnswer] | None:
    """The replay job's cases; None when it gave no answer of the agreed shape."""
    result = _read(outcome, "replay")
    return None if result is None else tuple(map(_read_case, result["cases"]))


def _read(outcome: Outcome, kind: str) -> Mapping[str, Any] | None:
    result = outcome.result
    if outcome.status != "ok" or result is None or is_deeper(result, DEEPEST):
        return None
    return result if VALIDATORS[kind].is_valid(result) else None


def _read_case(case: Mapping[str, Any]) -> CaseAnswer:
    return CaseAnswer(
        report=case.get("report"),
        rounded=case.get("rounded", {}),
        error=case.get("error"),
        by=case.get("by"),
        calls=len(case.get("calls", ())),
        facts=tuple(case.get("facts", ())),
    )


def is_deeper(value: Any, most: int) -> bool:
    """Whether a JSON value is nested more than `most` deep, found without recursion."""
    level = [value]
    for _ in range(most):
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
