# A published case as Python: what a reader pastes makes the values that the harness makes.
# So the text is executed beside the harness, in a process of its own, and the values are compared there.
from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from runner.pages.tasks import write_case

VALUES: list[Any] = [
    3,
    -1.5,
    True,
    None,
    "a 'quoted' word",
    "nan",
    float("nan"),
    [1, float("-inf"), "x"],
    {"tensor": [3.0, 1.0, 2.0]},
    {"tensor": [[1, 2], [3, 4]], "dtype": "int32"},
    {"tensor": [1.0, "nan", "inf", "-inf", "1e3"], "dtype": "torch.float32"},
    {"tensor": [1.0, float("nan"), float("inf")], "dtype": None},
    {"tensor": "nan"},
    {"tensor": []},
    [{"tensor": [1, 2]}, {"tensor": [True, False]}],
    {"weights": [{"tensor": [1.0], "dtype": "float16"}], "it's": {"bias": {"tensor": 2}, "name": "nan"}},
]


REFUSED: list[Any] = [{"tensor": ["many"]}, [{"tensor": [1.0], "dtype": "torch.float99"}]]

CHILD = """
import json, sys, torch
from runner.harness.cases import make_value

def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, 0, 0, equal_nan=True)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)

def read(text):
    names = {"torch": torch}
    exec(text, names)
    return names["x"]

def attempt(work, *arguments):
    try:
        return work(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

pairs = [(attempt(read, text), attempt(make_value, value, "cpu")) for text, value in json.load(sys.stdin)]
print(json.dumps([[same(shown, made), isinstance(made, str) and "Error: " in made] for shown, made in pairs]))
"""


@pytest.fixture(scope="module")
def compared() -> list[tuple[bool, bool]]:
    """For each value: whether the shown text gives the same as the harness, and whether that is a refusal."""
    order = json.dumps([(write_case({"x": value}), value) for value in VALUES + REFUSED])
    command = [sys.executable, "-W", "ignore", "-c", CHILD]
    done = subprocess.run(command, input=order, capture_output=True, text=True, timeout=120, check=True)
    return [(same, refused) for same, refused in json.loads(done.stdout)]


@pytest.mark.parametrize("number", range(len(VALUES)), ids=lambda number: str(VALUES[number]))
def test_shown_inputs_run_and_make_what_the_harness_makes(compared: list[tuple[bool, bool]], number: int) -> None:
    assert compared[number] == (True, False)


def test_what_the_harness_refuses_is_refused_by_the_shown_text(compared: list[tuple[bool, bool]]) -> None:
    assert compared[len(VALUES) :] == [(True, True)] * len(REFUSED)


def test_common_inputs_read_well() -> None:
    assert write_case({"x": {"tensor": [1.0, "nan"], "dtype": "torch.float32"}, "n": 2}) == (
        'x = torch.tensor([1.0, float("nan")], dtype=torch.float32)\nn = 2'
    )
