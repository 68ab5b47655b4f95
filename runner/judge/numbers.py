# Whether a reported JSON value is the expected one, by the number rule of the lesson format.
# Integers, booleans and strings agree exactly; floats within a share of the largest expected magnitude under the key.
from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-5
LONGEST_SHOWN = 80
MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two JSON values differ."""

    where: str
    """Its place below the key: `[2]`, `.mean[0]`, or empty for the value itself."""
    text: str
    """What was expected there and what came."""


def judge_value(expected: Any, actual: Any, *, tolerance: float = TOLERANCE, digits: int | None = None) -> str | None:
    """None when the values agree; else a clause that names the first difference and how many elements differ.

    `tolerance` is relative to the largest magnitude among the floats in `expected` (0 makes floats exact), `digits`
    allows one unit of that decimal place more: what `rounded` may turn by.
    """
    allowed = allow_difference(expected, tolerance, digits)
    differences = list(find_differences(expected, actual, allowed))
    if not differences:
        return None
    first, total = differences[0], count_elements(expected)
    if total == 1 or not first.where:
        return f"{first.text}{f' at {first.where}' if first.where else ''}"
    verb = "differs" if len(differences) == 1 else "differ"
    count = f"{len(differences)} of {max(total, len(differences))} elements {verb}"
    return f"{count}, the first at {first.where}: {first.text}"


def allow_difference(expected: Any, tolerance: float, digits: int | None) -> float:
    """The largest absolute difference that two floats under one key may have."""
    scale = max((abs(number) for number in list_numbers(expected)), default=0.0)
    unit = 0.0 if digits is None else 10.0**-digits
    return tolerance * scale + unit * (1 + 1e-6) + (scale * 2.0**-50 if unit else 0.0)


def list_numbers(value: Any) -> Iterator[float]:
    """The finite floats in a JSON value; integers and booleans agree exactly and set no scale."""
    if isinstance(value, float):
        if math.isfinite(value):
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from list_numbers(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from list_numbers(item)


def to_float(number: float) -> float:
    """A number as a float; infinite when it is an integer beyond their range."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def find_differences(expected: Any, actual: Any, allowed: float, where: str = "") -> Iterator[Difference]:
    """Every place where the values differ, in order."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            place = f"{where}.{key}"
            if key not in actual or key not in expected:
                yield Difference(place, describe(expected.get(key, MISSING), actual.get(key, MISSING)))
            else:
                yield from find_differences(expected[key], actual[key], allowed, place)
    elif isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(expected) != len(actual):
            yield Difference(where, f"expected {count_noun(len(expected))}, got {len(actual)}")
            return
        for number, (wanted, found) in enumerate(zip(expected, actual, strict=True)):
            yield from find_differences(wanted, found, allowed, f"{where}[{number}]")
    elif not agree(expected, actual, allowed):
        yield Difference(where, describe(expected, actual))


def agree(expected: Any, actual: Any, allowed: float) -> bool:
    """Whether two JSON values that are not both lists or both objects agree."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, float) and isinstance(actual, (int, float)):
        return expected == actual or abs(expected - to_float(actual)) <= allowed
    return type(expected) is type(actual) and bool(expected == actual)


def describe(expected: Any, actual: Any) -> str:
    """`expected 1, got 4`, with the kinds where the texts alone do not tell them apart."""
    wanted, found = show(expected), show(actual)
    kinds = f" ({name_kind(expected)})", f" ({name_kind(actual)})"
    plain = type(expected) is type(actual) and wanted != found
    mixed = plain or isinstance(expected, (list, Mapping)) or actual is None or actual is MISSING or expected is MISSING
    return f"expected {wanted}, got {found}" if mixed else f"expected {wanted}{kinds[0]}, got {found}{kinds[1]}"


def name_kind(value: Any) -> str:
    """What JSON value this is, in words."""
    kinds: dict[type, str] = {
        bool: "a boolean",
        int: "an integer",
        float: "a float",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    name: str = kinds.get(type(value), "null")
    return name


def show(value: Any) -> str:
    """A JSON value on one line, cut when it is long."""
    if value is MISSING:
        return "nothing"
    text: str = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def count_elements(value: Any) -> int:
    """How many single values there are in a JSON value; an empty list is one."""
    if isinstance(value, Mapping):
        return sum(map(count_elements, value.values())) or 1
    if isinstance(value, (list, tuple)):
        return sum(map(count_elements, value)) or 1
    return 1


def count_noun(count: int) -> str:
    """`1 element`, `3 elements`."""
    return "1 element" if count == 1 else f"{count} elements"
