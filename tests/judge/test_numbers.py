# The number rule: which reported values agree with the expected ones, and what is said of those that do not.
from __future__ import annotations

from typing import Any

import pytest

from runner.judge.numbers import judge_value

AGREE: list[tuple[Any, Any]] = [
    (1, 1),
    (True, True),
    ("a", "a"),
    (None, None),
    ("nan", "nan"),
    (1.0, 1),
    (1.0, 1.000009),
    ([1000.0, 0.0], [1000.0, 0.009]),
    ([], []),
    ({"a": [1.0]}, {"a": [1.0]}),
    (0.0, -0.0),
    (0.0, 0),
]
DIFFER: list[tuple[Any, Any, str]] = [
    (1, 4, "expected 1, got 4"),
    (1, 1.0, "expected 1 (an integer), got 1.0 (a float)"),
    (1, True, "expected 1 (an integer), got true (a boolean)"),
    (True, 1, "expected true (a boolean), got 1 (an integer)"),
    (1.0, True, "expected 1.0 (a float), got true (a boolean)"),
    ("1", 1, 'expected "1" (a string), got 1 (an integer)'),
    (1.0, None, "expected 1.0, got null"),
    (1.0, "nan", 'expected 1.0 (a float), got "nan" (a string)'),
    ("nan", 1.0, 'expected "nan" (a string), got 1.0 (a float)'),
    (1.0, 1.00002, "expected 1.0, got 1.00002"),
    (0.0, 1e-300, "expected 0.0, got 1e-300"),
    (1.0, 10**400, "expected 1.0 (a float), got 1000000000"),
    ([1.0, 2.0], [1.0], "expected 2 elements, got 1"),
    ([1.0], 1.0, "expected [1.0], got 1.0"),
    ([[1], [2]], [[1], [2, 3]], "1 of 2 elements differs, the first at [1]: expected 1 element, got 2"),
    ([0, 1, 3], [0, 1, 2], "1 of 3 elements differs, the first at [2]: expected 3, got 2"),
    ([0.0, 1.0, 3.0], [4.0, 1.0, 2.0], "2 of 3 elements differ, the first at [0]: expected 0.0, got 4.0"),
    ({"a": 1, "b": 2}, {"a": 1}, "1 of 2 elements differs, the first at .b: expected 2, got nothing"),
    ({"a": 1}, {"a": 1, "b": 2}, "expected nothing, got 2 at .b"),
    ([[1], [2]], [[1], [3]], "1 of 2 elements differs, the first at [1][0]: expected 2, got 3"),
]


@pytest.mark.parametrize(("expected", "actual"), AGREE)
def test_agrees(expected: Any, actual: Any) -> None:
    assert judge_value(expected, actual) is None


@pytest.mark.parametrize(("expected", "actual", "message"), DIFFER)
def test_says_what_differs(expected: Any, actual: Any, message: str) -> None:
    fault = judge_value(expected, actual)
    assert fault is not None
    assert fault.startswith(message)


def test_tolerance_is_relative_to_the_largest_expected_magnitude() -> None:
    assert judge_value([100.0, 1.0], [100.0, 1.0009]) is None
    assert judge_value([100.0, 1.0], [100.0, 1.0011]) is not None
    assert judge_value([100.0, 1.0], [100.0, 1.9], tolerance=1e-2) is None
    assert judge_value(1.0, 1.0 + 1e-12, tolerance=0) is not None
    assert judge_value([1e6, "inf", 0.0], [1e6, "inf", 9.0]) is None


def test_rounded_values_may_turn_by_one_unit_of_the_last_place() -> None:
    assert judge_value([0.1234], [0.1235], digits=4) is None
    assert judge_value([0.1234], [0.1236], digits=4) is not None
    assert judge_value([0.0, 0.0], [0.0001, 0.0], digits=4) is None
    assert judge_value([0.0, 0.0], [0.0001, 0.0]) is not None
    assert judge_value([99999.1234], [99999.1235], tolerance=0, digits=4) is None
    assert judge_value(3, 4, digits=0) is not None


def test_long_values_are_cut() -> None:
    fault = judge_value([1.0], {"text": "x" * 500})
    assert fault is not None
    assert len(fault) < 200
