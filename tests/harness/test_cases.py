# Loading, inputs and cases of a task's two jobs: what is answered when a part of them fails, and how cases are drawn.
from __future__ import annotations

from typing import Any

import pytest

from runner.jobs.fresh import FreshEngine
from runner.jobs.values import Job, Limits
from runner.judge.answers import read_record, read_replay
from runner.judge.values import Outcome
from tests.harness.batch import play_all
from tests.harness.tricky import PLACE

SHIFT = "import torch\n\n\ndef f(x):\n    return x - x.max()\n"
CHECK = (
    "def check(candidate, x):\n"
    "    before = x.clone()\n"
    "    with count_allocations() as made:\n"
    "        y = candidate(x)\n"
    "    return {'values': rounded(y, 4), 'allocations': made.total, 'same': torch.equal(x, before)}\n"
)
INPUTS = (
    "def inputs(rng, device):\n"
    "    n = int(torch.randint(1, 60, (1,), generator=rng))\n"
    "    wide = torch.randn(n, 3, generator=rng).to(device)\n"
    "    return {'x': wide[:, 1]}\n"
)
GIVEN = {"given": {"x": {"tensor": [3.0, 1.0, 2.0]}}}
REPORT = {"values": [0.0, -2.0, -1.0], "allocations": 2, "same": True}


def make_work(**changes: Any) -> dict[str, Any]:
    usual = {
        "function": "f",
        "checker": CHECK,
        "inputs": INPUTS,
        "candidate": SHIFT,
        "reference": SHIFT,
        "cases": [GIVEN, {"random": 11}, {"random": 12}],
        "seed": 3,
        "device": "cpu",
        "inout": [],
        "torch": True,
    }
    return usual | changes


WORKS = {
    "good": make_work(),
    "good again": make_work(),
    "raises at load": make_work(candidate="import torch\n\n1 / 0\n"),
    "exits at load": make_work(candidate="raise SystemExit(0)\n"),
    "does not parse": make_work(candidate="def f(x:\n"),
    "no function": make_work(candidate="def g(x): return x\n"),
    "not callable": make_work(candidate="f = 3\n"),
    "sees no harness names": make_work(candidate="def f(x): return torch.ones(3)\n"),
    "checker does not load": make_work(checker="1 / 0\n"),
    "no check": make_work(checker="x = 1\n"),
    "inputs raise": make_work(inputs="def inputs(rng, device): raise OSError('gone')\n"),
    "inputs give a list": make_work(inputs="def inputs(rng, device): return [1]\n"),
    "inputs under a default device": make_work(
        checker="def check(candidate, x): return {'d': x}\n",
        inputs="def inputs(rng, device): return {'x': [str(torch.ones(1).device), str(device), torch.rand(1).item()]}\n",
        cases=[{"random": 5}, {"random": 5}, {"random": 6}],
    ),
    "exits in the second case": make_work(
        candidate="import torch\nN = []\ndef f(x):\n    N.append(1)\n    if len(N) == 2: raise SystemExit\n    return x - x.max()\n"
    ),
    "raises in each case": make_work(candidate="def f(x):\n    raise ValueError('no')\n"),
    "values of many kinds": make_work(
        checker="def check(candidate, **kw): return {k: repr(v) for k, v in kw.items()}\n",
        cases=[
            {
                "given": {
                    "a": {"tensor": [1, 2], "dtype": "float16"},
                    "b": [{"tensor": True}, {"c": {"tensor": ["nan", "-inf"]}}],
                    "d": None,
                    "e": "text",
                }
            }
        ],
    ),
    "draws": make_work(
        checker="def check(candidate, x):\n    a, b = candidate(x), candidate(x)\n"
        "    return {'n': [a, b], 'own': a != b, 'k': torch.rand(1).item()}\n",
        candidate="import torch\ndef f(x): return torch.rand(1).item()\n",
        cases=[GIVEN, GIVEN],
    ),
    "draws more": make_work(
        checker="def check(candidate, x):\n    a, b = candidate(x), candidate(x)\n    return {'k': torch.rand(1).item()}\n",
        candidate="import torch\ndef f(x): return torch.rand(9).sum().item()\n",
        cases=[GIVEN],
    ),
}


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    played = play_all([{"work": work, "place": PLACE} for work in WORKS.values()])
    for answer in played:
        assert read_record(Outcome("ok", answer["record"], (), "", 0.0)) is not None
        assert read_replay(Outcome("ok", answer["replay"], (), "", 0.0)) is not None
    return dict(zip(WORKS, played, strict=True))


def test_published_and_random_cases_report_the_same_in_both_jobs(answers: dict[str, Any]) -> None:
    record, replay = answers["good"]["record"], answers["good"]["replay"]
    reports = [case["report"] for case in record["cases"]]
    assert reports[0] == REPORT
    assert reports == [case["report"] for case in replay["cases"]]
    assert reports[1] != reports[2]
    assert record["cases"][0]["rounded"] == {"values": 4}
    assert reports == [case["report"] for case in answers["good again"]["record"]["cases"]]
    assert record["environment"]["device"] == "cpu"


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("raises at load", "ZeroDivisionError", "division by zero"),
        ("exits at load", "SystemExit", "0"),
        ("does not parse", "SyntaxError", "was never closed"),
        ("no function", "MissingNameError", "defines no function `f`"),
        ("not callable", "MissingNameError", "`f` is no function"),
    ],
)
def test_candidate_that_does_not_load(answers: dict[str, Any], name: str, kind: str, text: str) -> None:
    record = answers[name]["record"]
    assert record["cases"] == []
    assert record["loads"]["type"] == kind
    assert text in record["loads"]["message"]
    if kind == "ZeroDivisionError":
        assert record["loads"]["frames"][-1] == {"file": "solution.py", "line": 3, "name": "<module>"}


def test_candidate_sees_builtins_only(answers: dict[str, Any]) -> None:
    case = answers["sees no harness names"]["record"]["cases"][0]
    assert (case["by"], case["error"]["type"]) == ("candidate", "NameError")


@pytest.mark.parametrize(
    ("name", "by", "text"),
    [
        ("checker does not load", "checker", "ZeroDivisionError"),
        ("no check", "checker", "defines no function `check`"),
        ("inputs raise", "inputs", "gone"),
        ("inputs give a list", "inputs", "must return a dict"),
        ("raises in each case", "candidate", "ValueError: no"),
    ],
)
def test_says_whose_fault_it_is(answers: dict[str, Any], name: str, by: str, text: str) -> None:
    for kind in ("record", "replay"):
        cases = answers[name][kind]["cases"]
        assert len(cases) == 3
        assert cases[-1]["by"] == by
        assert text in cases[-1]["error"]["last"]
    assert answers[name]["record"]["loads"] is None


def test_inputs_see_the_cpu_and_a_seed_of_their_own(answers: dict[str, Any]) -> None:
    first, second, third = [case["report"]["d"] for case in answers["inputs under a default device"]["record"]["cases"]]
    assert first[:2] == ["cpu", "cpu"]
    assert first == second
    assert first != third


def test_exit_ends_the_record(answers: dict[str, Any]) -> None:
    cases = answers["exits in the second case"]["record"]["cases"]
    assert [case.get("by") for case in cases] == [None, "candidate"]
    assert cases[1]["error"]["type"] == "SystemExit"
    assert len(answers["exits in the second case"]["replay"]["cases"]) == 2


def test_published_values(answers: dict[str, Any]) -> None:
    report = answers["values of many kinds"]["record"]["cases"][0]["report"]
    assert report == {
        "a": "tensor([1., 2.], dtype=torch.float16)",
        "b": "[tensor(True), {'c': tensor([nan, -inf])}]",
        "d": "None",
        "e": "'text'",
    }


def test_check_draws_the_same_whatever_the_candidate_draws(answers: dict[str, Any]) -> None:
    first, second = [case["report"] for case in answers["draws"]["record"]["cases"]]
    assert first == second == answers["draws"]["replay"]["cases"][0]["report"]
    assert first["own"] is True
    assert first["k"] == answers["draws more"]["record"]["cases"][0]["report"]["k"]


def test_both_jobs_in_the_engine() -> None:
    engine = FreshEngine(slots=2)
    limits = Limits(timeout_s=60.0)
    work = make_work()
    try:
        record = engine.run(Job("record", work, PLACE, {}, limits))
        assert record.status == "ok", record.detail
        assert record.result is not None
        calls = [case["calls"] for case in record.result["cases"]]
        rest = {key: value for key, value in work.items() if key != "candidate"}
        replay = engine.run(Job("replay", {**rest, "calls": calls}, PLACE, {}, limits))
        assert replay.status == "ok", replay.detail
        ended = engine.run(Job("record", make_work(candidate="import os\ndef f(x): os._exit(0)\n"), PLACE, {}, limits))
    finally:
        engine.close()
    assert replay.result is not None
    assert [case["report"] for case in replay.result["cases"]] == [case["report"] for case in record.result["cases"]]
    assert len(record.sections) in (3, 4)
    assert ended.status == "no-result"
