# Which contract checks a task implies, and what each says of a call.
from __future__ import annotations

from typing import Any

import pytest

from runner.judge.contract import TABLE, choose_names, implied_names, judge_calls
from runner.lesson.contract import CONTRACT_NAMES
from tests.judge.sample import call, make_outcome, make_task, recorded, replayed, side, tensor

RAISED = side(raised="ValueError")
NUMBER = {"type": "int"}


def test_the_table_has_the_names_that_authors_may_write() -> None:
    assert tuple(TABLE) == CONTRACT_NAMES


def test_implies_what_has_something_to_look_at() -> None:
    task = make_task()
    assert implied_names(replayed({"v": 1}), task) == CONTRACT_NAMES
    number = side(NUMBER, watched=())
    number["shares"]["tensors"] = 0
    assert implied_names(replayed({"v": 1}, facts=[call(number, number)]), task) == ("same-type",)
    assert implied_names(replayed({"v": 1}, facts=[]), task) == ()
    assert implied_names(make_outcome(None, "timeout"), task) == ()


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["-finite", "-fresh-output"], ("same-type", "same-shape", "same-dtype", "input-unchanged")),
        (["finite"], CONTRACT_NAMES),
    ],
)
def test_a_task_drops_and_adds_names(words: list[str], left: tuple[str, ...]) -> None:
    assert choose_names([call()], words) == left


def test_a_task_adds_a_name_that_is_not_implied() -> None:
    assert choose_names([], ["fresh-output", "same-type"]) == ("same-type", "fresh-output")


def test_reference_with_nan_implies_nothing_about_nan() -> None:
    spoilt = side(tensor(nonfinite=1))
    assert "finite" not in choose_names([call(spoilt, spoilt)], [])


def pair(*items: dict[str, Any], kind: str = "tuple", **more: Any) -> dict[str, Any]:
    return {"type": kind, "items": list(items), **more}


FAULTS: list[tuple[str, dict[str, Any], dict[str, Any], str | None]] = [
    ("same-type", side(), side(), None),
    ("same-type", side({"type": "None"}), side(), "your code returns None"),
    ("same-type", side(pair(tensor(), NUMBER)), side(), "your code returns a tuple of Tensor, int"),
    ("same-type", RAISED, side(), "your code raises ValueError here"),
    ("same-type", side(), RAISED, None),
    (
        "same-type",
        side(unrecordable="the candidate returned a generator"),
        side(),
        "the candidate returned a generator",
    ),
    ("same-type", side(pair(NUMBER, tensor())), side(pair(tensor(), tensor())), "your code returns an int at [0]"),
    ("same-type", side({"type": "bool"}), side(NUMBER), "your code returns a bool"),
    ("same-type", side(NUMBER), side({"type": "float", "elements": 1, "nonfinite": 0}), None),
    (
        "same-type",
        side(pair(tensor(), kind="dict", keys=["b"])),
        side(pair(tensor(), kind="dict", keys=["a"])),
        "your code returns a dict of Tensor",
    ),
    ("same-shape", side(tensor([3, 1])), side(), "the shape is [3, 1]"),
    ("same-shape", side(pair(tensor([3]))), side(pair(tensor([3]), tensor([3]))), "the shape is [1]"),
    ("same-shape", side(pair(tensor([4]))), side(pair(tensor([3]))), "the shape at [0] is [4]"),
    ("same-shape", side(NUMBER), side(), None),
    ("same-dtype", side(tensor(dtype="float64")), side(), "the dtype is float64"),
    ("finite", side(tensor(nonfinite=2)), side(), "2 of 3 elements are NaN or infinite"),
    ("finite", side(tensor(nonfinite=2)), side(tensor(nonfinite=1)), None),
    (
        "finite",
        side(pair({"type": "float", "elements": 1, "nonfinite": 1})),
        side(pair({"type": "float", "elements": 1, "nonfinite": 0})),
        "1 of 1 elements at [0] are NaN or infinite",
    ),
    ("input-unchanged", side(changed=["x"]), side(), "your code changes `x`"),
    ("input-unchanged", side(changed=["x", "argument 2"]), side(), "your code changes `x` and argument 2"),
    ("input-unchanged", side(watched=[]), side(watched=[]), None),
    ("fresh-output", side(shares=["x"]), side(), "the result shares memory with `x`"),
    ("fresh-output", side(earlier=True), side(), "the result shares memory with an earlier result"),
    ("fresh-output", side(shares=["out"]), side(shares=["out"]), None),
    ("fresh-output", side(earlier=True), side(earlier=True), None),
]


@pytest.mark.parametrize(("name", "candidate", "reference", "fault"), FAULTS)
def test_judges_a_call(name: str, candidate: dict[str, Any], reference: dict[str, Any], fault: str | None) -> None:
    found, number, rule = judge_calls(name, [call(), call(candidate, reference)])
    assert found.fault == fault
    assert number == 2
    assert rule.endswith(".")


def test_a_call_without_a_reference_is_passed_over() -> None:
    lone = {"candidate": side(changed=["x"]), "reference": None}
    assert judge_calls("input-unchanged", [lone])[0].fault is None


def test_a_record_is_no_replay() -> None:
    assert implied_names(recorded({"v": 1}), make_task()) == ()
