# What the two jobs say of a candidate beside a reference, judged: which contract check catches which fault.
# All candidates are played in one batch of processes.
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from runner.judge.contract import implied_names
from runner.judge.values import Outcome
from runner.judge.verdict import judge_candidate
from tests.harness.batch import play_all
from tests.harness.tricky import PLACE
from tests.judge.sample import make_task

CALL = "def check(candidate, x):\n    candidate(x)\n    return {}\n"
TWICE = "def check(candidate, x):\n    candidate(x)\n    candidate(x + 1)\n    return {}\n"
OUT = "def check(candidate, x):\n    candidate(x, torch.zeros(3))\n    return {}\n"
HALVES = "def check(candidate, x):\n    w = torch.cat([x, x])\n    candidate(w[:3], w[3:])\n    return {}\n"
CATCH = "def check(candidate, x):\n    try: candidate(x)\n    except ValueError: pass\n    return {}\n"
OPS = "def check(candidate, x):\n    candidate(['a', 'b'])\n    return {}\n"


@dataclass(frozen=True, slots=True)
class Trial:
    """A checker, two solutions, and what must fail."""

    checker: str
    reference: str
    candidate: str
    failed: str
    """Names of the failed contract checks, separated by a blank."""
    implied: str | None = None
    """Names that the reference implies; None when the test does not care."""
    inout: tuple[str, ...] = ()

    @property
    def work(self) -> dict[str, Any]:
        return {
            "function": "f",
            "checker": self.checker,
            "inputs": None,
            "candidate": "import torch\n" + self.candidate,
            "reference": "import torch\n" + self.reference,
            "cases": [{"given": {"x": {"tensor": [3.0, 1.0, 2.0]}}}],
            "seed": 3,
            "device": "cpu",
            "inout": list(self.inout),
        }


ALL = "same-type same-shape same-dtype finite input-unchanged fresh-output"
ADD = "def f(x): return x + 1"
FILL = "def f(x, out): return torch.add(x, 1, out=out)"
NONE = "def f(x): x.add_(1)"
BUFFER = "B = torch.zeros(3)\ndef f(x):\n    torch.add(x, 1, out=B)\n    return B"
TRIALS = {
    "right": Trial(CALL, ADD, "def f(x): return 1 + x", "", ALL),
    "returns None": Trial(CALL, ADD, "def f(x): x + 1", "same-type"),
    "returns a tuple": Trial(CALL, ADD, "def f(x): return (x + 1,)", "same-type"),
    "returns a parameter": Trial(CALL, ADD, "def f(x): return torch.nn.Parameter(x + 1)", "same-type"),
    "returns a list": Trial(CALL, ADD, "def f(x): return (x + 1).tolist()", "same-type"),
    "other shape": Trial(CALL, ADD, "def f(x): return (x + 1).reshape(3, 1)", "same-shape"),
    "other dtype": Trial(CALL, ADD, "def f(x): return (x + 1).double()", "same-dtype"),
    "NaN": Trial(CALL, ADD, "def f(x): return x / 0 * 0", "finite"),
    "writes x": Trial(CALL, ADD, "def f(x):\n    x.add_(1)\n    return x.clone()", "input-unchanged"),
    "writes beside a view": Trial(
        "def check(candidate, x):\n    candidate(x[:1])\n    return {}\n",
        ADD,
        "def f(x):\n    x.as_strided((1,), (1,), 1).zero_()\n    return x + 1",
        "input-unchanged",
    ),
    "resizes x": Trial(CALL, ADD, "def f(x):\n    y = x + 1\n    x.resize_(1)\n    return y", "input-unchanged"),
    "asks x for a gradient": Trial(
        CALL, ADD, "def f(x):\n    y = x + 1\n    x.requires_grad_()\n    return y", "input-unchanged"
    ),
    "returns x": Trial(CALL, ADD, "def f(x): return x", "fresh-output"),
    "returns a view of x": Trial(CALL, ADD, "def f(x): return x.flip(0).new_tensor(0) if 0 else x[:]", "fresh-output"),
    "returns its own buffer again": Trial(TWICE, ADD, BUFFER, "fresh-output"),
    "reference shares a buffer too": Trial(TWICE, BUFFER, BUFFER, "", ALL),
    "raises where the reference returns": Trial(CATCH, ADD, "def f(x): raise ValueError('no')", "same-type"),
    "both raise": Trial(CATCH, "def f(x): raise ValueError", "def f(x): raise ValueError('no')", "", "input-unchanged"),
    "returns where the reference raises": Trial(CATCH, "def f(x): raise ValueError", ADD, ""),
    "given buffer": Trial(
        OUT, FILL, FILL, "", "same-type same-shape same-dtype finite input-unchanged", inout=("out",)
    ),
    "new tensor and buffer left": Trial(OUT, FILL, "def f(x, out): return x + 1", "", inout=("out",)),
    "given buffer and x written": Trial(
        OUT, FILL, "def f(x, out):\n    x.add_(1)\n    return out.copy_(x)", "input-unchanged", inout=("out",)
    ),
    "undeclared buffer": Trial(OUT, FILL, FILL, "input-unchanged"),
    "out beside x in one storage": Trial(HALVES, FILL, FILL, "", inout=("out",)),
    "x beside out in one storage": Trial(
        HALVES, FILL, "def f(x, out):\n    x.add_(1)\n    return out.copy_(x)", "input-unchanged", inout=("out",)
    ),
    "in place, returns None": Trial(CALL, NONE, NONE, "", "same-type", inout=("x",)),
    "in place, returns something": Trial(CALL, NONE, "def f(x): return x.add_(1)", "same-type", inout=("x",)),
    "numbers": Trial(OPS, "def f(o): return 2", "def f(o): return len(o)", "", "same-type input-unchanged"),
    "a float for an integer": Trial(OPS, "def f(o): return 2", "def f(o): return 2.0", "same-type"),
    "True for an integer": Trial(OPS, "def f(o): return 2", "def f(o): return True", "same-type"),
    "an integer for a float": Trial(OPS, "def f(o): return 2.0", "def f(o): return 2", ""),
    "list emptied": Trial(OPS, "def f(o): return 2", "def f(o):\n    o.clear()\n    return 2", "input-unchanged"),
    "list of other length": Trial(CALL, "def f(x): return [x + 1, x + 2]", "def f(x): return [x + 1]", "same-shape"),
    "dict with another key": Trial(CALL, "def f(x): return {'a': x + 1}", "def f(x): return {'b': x + 1}", "same-type"),
    "reference needs gradients off": Trial(
        "def check(candidate, x):\n    x.requires_grad_()\n    with torch.no_grad(): candidate(x)\n    return {}\n",
        "def f(x): return torch.add(x, 1, out=torch.empty(3))",
        ADD,
        "",
        ALL,
    ),
}


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    trials = list(TRIALS.values())
    both = [t for trial in trials for t in (trial, replace(trial, candidate=trial.reference))]
    played = iter(play_all([{"work": trial.work, "place": PLACE} for trial in both]))
    return {name: (next(played), next(played)) for name in TRIALS}


@pytest.mark.parametrize("name", TRIALS)
def test_contract(name: str, answers: dict[str, Any]) -> None:
    trial, (mine, reference) = TRIALS[name], answers[name]
    task = make_task(expected=[{}], inout=trial.inout)
    implied = implied_names(Outcome("ok", reference["replay"], (), "", 0.1), task)
    if trial.implied is not None:
        assert " ".join(implied) == trial.implied
    verdict = judge_candidate(
        task_id="p/x#shift",
        task=task,
        record=Outcome("ok", mine["record"], (), "", 0.1),
        replay=Outcome("ok", mine["replay"], (), "", 0.1),
        expected=[{}],
        implied=implied,
        digest="",
    )
    assert " ".join(failed.removeprefix("contract.") for failed in verdict.failed) == trial.failed, verdict.reason
    assert verdict.status == ("failed" if trial.failed else "passed")
