# Reports become strict JSON, `rounded` values keep their digits, and anything else is named.
from __future__ import annotations

import json
import math
from typing import Any

import pytest
import torch

from runner.harness.bench import ReportError
from runner.harness.counters import count_allocations
from runner.harness.encode import encode_report
from runner.harness.rounding import rounded


def test_rounded_gives_short_floats_and_exact_integers() -> None:
    assert rounded(torch.tensor([[1 / 3, -0.00001]]), 4) == [[0.3333, 0.0]]
    assert math.copysign(1, rounded(torch.tensor(-0.00001))) == 1
    assert rounded(torch.tensor([1, 2])) == [1, 2]
    assert [type(v) for v in rounded(torch.tensor([1, 2]))] == [int, int]
    assert rounded(torch.tensor([True])) == [True]
    assert rounded(2 / 3, 2) == 0.67
    assert rounded(torch.tensor(1e305, dtype=torch.float64), 8) == 1e305


def test_rounded_makes_no_tensor_that_a_counter_sees() -> None:
    y = torch.ones(3)
    with count_allocations() as made:
        rounded(y)
    assert made.total == 0


@pytest.mark.parametrize("value", [None, "1", [1.0], torch.ones(1, dtype=torch.complex64)])
def test_rounded_refuses_what_is_no_real_tensor(value: Any) -> None:
    with pytest.raises(TypeError, match=r"rounded\(\) takes a"):
        rounded(value)


def test_report_keeps_kinds_and_digits() -> None:
    report = {
        "a": rounded(torch.ones(2), 3),
        "b": {"c": (rounded(torch.ones(1), 2), rounded(torch.tensor(1.0), 5))},
        "d": True,
        "e": float("nan"),
        "f": [float("-inf"), None, "x", 2],
    }
    encoded, digits = encode_report(report)
    assert encoded == {"a": [1.0, 1.0], "b": {"c": [[1.0], 1.0]}, "d": True, "e": "nan", "f": ["-inf", None, "x", 2]}
    assert digits == {"a": 3, "b": 2}
    assert json.loads(json.dumps(encoded, allow_nan=False)) == encoded


def nest(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ([1], "check must return a dict"),
        (None, "it returned None"),
        ({1: 2}, "the keys of a report are strings"),
        ({"a": [torch.ones(1)]}, r"report a\[0\] is a Tensor"),
        ({"a": {"b": 1j}}, r"report a\.b is a complex"),
        ({"a": {1: 2}}, "report a is a dict"),
        ({"a": torch.float32}, "report a is a dtype"),
        ({"a": nest(60)}, "nested more than"),
    ],
)
def test_names_the_part_that_is_no_json(report: Any, message: str) -> None:
    with pytest.raises(ReportError, match=message):
        encode_report(report)
