# A task and answers of its jobs, as the tests of judging need them: only what a test names differs from the usual.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runner.judge.values import Outcome, Section
from runner.lesson.values import Fence, Task


def make_fence(code: str = "pass\n", language: str = "python") -> Fence:
    return Fence(language, {}, code, 1, 3)


def make_task(
    *,
    expected: Sequence[Mapping[str, Any]] = ({"v": 1},),
    random: int = 0,
    tolerance: Mapping[str, float] | None = None,
    contract: Sequence[str] = (),
    inout: Sequence[str] = (),
    report_schema: Mapping[str, Any] | None = None,
) -> Task:
    fence = make_fence()
    return Task(
        id="shift",
        title="Shift",
        function="f",
        signature="def f(x)",
        statement="Shift.",
        statement_line=1,
        spec={},
        cases=tuple({} for _ in expected),
        random=random,
        tolerance=tolerance or {},
        contract=tuple(contract),
        inout=tuple(inout),
        timeout_s=30.0,
        device="any",
        memory_bytes=None,
        report_schema=report_schema or {"type": "object"},
        expected_reports=tuple(expected),
        spec_fence=fence,
        starter=fence,
        checker=fence,
        expected=fence,
        reference=fence,
        inputs=None,
        wrong=(),
        hints=(),
    )


def make_outcome(result: Any = None, status: str = "ok", detail: str = "", stdout: str = "") -> Outcome:
    return Outcome(status, result, (Section(stdout, ""),), detail, 0.5)


def make_error(
    last: str = "ValueError: no", *, mro: Sequence[str] = ("ValueError", "Exception"), line: int = 3
) -> dict[str, Any]:
    kind, _, message = last.partition(": ")
    frames = [{"file": "lessons/p/01-x.md", "line": line, "name": "f"}]
    return {"type": kind, "mro": list(mro), "message": message, "frames": frames, "last": last}


def tensor(shape: Sequence[int] = (3,), dtype: str = "float32", nonfinite: int = 0) -> dict[str, Any]:
    elements = 1
    for size in shape:
        elements *= size
    return {"type": "Tensor", "shape": list(shape), "dtype": dtype, "elements": elements, "nonfinite": nonfinite}


def side(
    result: Mapping[str, Any] | None = None,
    *,
    raised: str | None = None,
    unrecordable: str | None = None,
    shares: Sequence[str] = (),
    earlier: bool = False,
    watched: Sequence[str] = ("x",),
    changed: Sequence[str] = (),
) -> dict[str, Any]:
    """What the child says of one side of a call: a fresh tensor, x untouched."""
    returned = raised is None and unrecordable is None
    return {
        "raised": raised,
        "unrecordable": unrecordable,
        "result": (dict(result) if result is not None else tensor()) if returned else None,
        "shares": {"tensors": 1, "arguments": list(shares), "earlier": earlier} if returned else None,
        "watched": list(watched),
        "changed": list(changed),
    }


def call(candidate: Mapping[str, Any] | None = None, reference: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"candidate": candidate or side(), "reference": reference or side()}


def recorded(*cases: Mapping[str, Any], loads: Any = None, **more: Any) -> Outcome:
    """A record job's outcome; a case is a report, or has `error` and `by`."""
    full = [{"calls": [{}], **(c if "error" in c else {"report": c, "rounded": {}})} for c in cases]
    return make_outcome({"loads": loads, "cases": full, "environment": {"device": "cpu"}}, **more)


def replayed(*cases: Mapping[str, Any], facts: Sequence[Mapping[str, Any]] | None = None) -> Outcome:
    """A replay job's outcome, each case with the same facts (one usual call)."""
    seen = [call()] if facts is None else list(facts)
    full = [{"facts": seen, **(c if "error" in c else {"report": c, "rounded": {}})} for c in cases]
    return make_outcome({"cases": full, "environment": {"device": "cpu"}})
