# Values are checked against the shipped JSON Schemas; each fault becomes a problem with a place and a remedy.
# Keywords of the schemas become sentences here, in one table, so that authors never read a validator's words.
from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError

from runner.lesson.problems import ProblemLog
from runner.lesson.yaml_core import Document, Key

_Strict = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)
"""The validator, for which 2.0 is no whole number."""


@cache
def load_schema(name: str) -> Mapping[str, Any]:
    """A shipped schema by its name without `.json`."""
    text = resources.files("runner.lesson").joinpath("schemas", f"{name}.json").read_text("utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def check_value(document: Document, schema: str, what: str, log: ProblemLog) -> bool:
    """Whether a document keeps a shipped schema; every fault is noted."""
    faults = list(_Strict(load_schema(schema)).iter_errors(document.value))
    for fault in faults:
        for key, message, advice in explain(fault, what):
            line, column = document.place(key)
            log.add(line, message, advice, column)
    return not faults


def find_schema_fault(schema: Any) -> str | None:
    """What is wrong with a JSON Schema that an author wrote; None when nothing is."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return str(error.message)
    return None


def explain(fault: ValidationError, what: str) -> Iterable[tuple[Key, str, str]]:
    """Where a fault is, what is wrong, and what to do: one row for each thing to mend."""
    key: Key = tuple(fault.absolute_path)
    name = _say_name(key, what)
    makers: dict[str, Callable[[], Iterable[tuple[Key, str, str]]]] = {
        "additionalProperties": lambda: _explain_unknown(fault, key, name, what),
        "required": lambda: _explain_missing(fault, key, name),
        "type": lambda: [(key, f"{name} must be {_say_type(fault.validator_value)}", _say_found(fault))],
        "enum": lambda: [(key, f"{name} must be one of {_say_list(_items(fault))}", _say_found(fault))],
        "pattern": lambda: [(key, f"{name} is not written as it must be", _say_description(fault))],
        "minimum": lambda: [(key, f"{name} must be at least {fault.validator_value}", _say_found(fault))],
        "exclusiveMinimum": lambda: [(key, f"{name} must be more than {fault.validator_value}", _say_found(fault))],
        "minItems": lambda: [(key, f"{name} needs at least {fault.validator_value}", _say_description(fault))],
        "minLength": lambda: [(key, f"{name} must not be empty", _say_description(fault))],
    }
    maker = makers.get(str(fault.validator))
    return maker() if maker else [(key, f"{name} is not what it may be", _say_description(fault))]


def _say_name(key: Key, what: str) -> str:
    if not key:
        return what
    if isinstance(key[-1], int):
        return f"item {key[-1] + 1} of {_say_name(key[:-1], what)}"
    return f"`{key[-1]}`"


def _explain_unknown(fault: ValidationError, key: Key, name: str, what: str) -> Iterable[tuple[Key, str, str]]:
    known = list(fault.schema.get("properties", ())) if isinstance(fault.schema, Mapping) else []
    instance = fault.instance if isinstance(fault.instance, Mapping) else {}
    where = what if not key else name
    return [
        ((*key, word), f"unknown key `{word}` in {where}", say_nearest(word, known))
        for word in instance
        if word not in known
    ]


def _explain_missing(fault: ValidationError, key: Key, name: str) -> Iterable[tuple[Key, str, str]]:
    instance = fault.instance if isinstance(fault.instance, Mapping) else {}
    wanted = [word for word in _items(fault) if word not in instance]
    return [(key, f"{name} lacks `{word}`", f"Add `{word}: …`.") for word in wanted]


def _items(fault: ValidationError) -> list[Any]:
    return list(fault.validator_value) if isinstance(fault.validator_value, list) else []


def say_nearest(word: str, known: Iterable[str]) -> str:
    """Advice that names the nearest known word, or all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if not names:
        return "None is known: take it out."
    return f"Did you mean `{near[0]}`?" if near else f"Known are {_say_list(names)}."


def _say_list(words: Iterable[Any]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _say_type(kind: Any) -> str:
    names = {
        "string": "text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "array": "a list",
        "object": "a mapping of keys to values",
    }
    kinds = kind if isinstance(kind, list) else [kind]
    return " or ".join(names.get(str(k), str(k)) for k in kinds)


def _say_found(fault: ValidationError) -> str:
    text = json.dumps(fault.instance, ensure_ascii=False, default=str)
    return f"It is {text if len(text) <= 80 else text[:77] + '…'}. {_say_description(fault)}".rstrip()


def _say_description(fault: ValidationError) -> str:
    return str(fault.schema.get("description", "")) if isinstance(fault.schema, Mapping) else ""
