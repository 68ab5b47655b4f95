# From answers to verdicts: status, reason, and every check that the spec implies, whatever came back.
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from runner.judge.encode import encode_verdict
from runner.judge.values import Outcome, Verdict
from runner.judge.verdict import case_reports, judge_candidate
from runner.lesson.values import Task
from tests.judge.sample import call, make_error, make_outcome, make_task, recorded, replayed, side

NAMES = ("same-type", "input-unchanged")
SCHEMA = json.loads(resources.files("runner.lesson").joinpath("schemas", "verdict.json").read_text("utf-8"))


def judge(
    record: Outcome,
    replay: Outcome | None,
    *,
    task: Task | None = None,
    expected: Sequence[Mapping[str, Any] | None] = ({"v": 1},),
    implied: Sequence[str] | None = NAMES,
) -> Verdict:
    """A verdict, whose JSON must meet its schema."""
    verdict = judge_candidate(
        task_id="p/x#shift",
        task=task or make_task(expected=[report or {"v": 1} for report in expected]),
        record=record,
        replay=replay,
        expected=expected,
        implied=implied,
        digest="sha256:0",
    )
    encoded = json.loads(json.dumps(encode_verdict(verdict), allow_nan=False))
    Draft202012Validator(SCHEMA).validate(encoded)
    return verdict


def ids(verdict: Verdict, status: str | None = None) -> list[str]:
    return [
        check.id if check.case is None else f"{check.id}:{check.case}"
        for check in verdict.checks
        if status is None or check.status == status
    ]


ALL = ["candidate.loads", "report.v:0", "contract.same-type:0", "contract.input-unchanged:0", "contract.replay:0"]


def test_passes() -> None:
    verdict = judge(recorded({"v": 1}, stdout="hi\n"), replayed({"v": 1}))
    assert (verdict.status, verdict.reason, verdict.failed) == ("passed", None, ())
    assert ids(verdict, "passed") == ALL
    assert verdict.reports == ({"v": 1},)
    assert (verdict.stdout, verdict.seconds, verdict.environment) == ("hi\n", 1.0, {"device": "cpu"})
    assert [check.message for check in verdict.checks][1:3] == [
        "v: as expected",
        "same-type: The result has the type that the task asks for.",
    ]


def test_fails_by_the_report() -> None:
    verdict = judge(recorded({"v": 4}), replayed({"v": 4}))
    assert (verdict.status, verdict.reason) == ("failed", "v: expected 1, got 4 (case 1)")
    assert verdict.failed == ("report.v",)
    assert (verdict.checks[1].expected, verdict.checks[1].actual) == (1, 4)


def test_keys_stand_in_the_order_of_expected_and_extra_ones_fail() -> None:
    expected = {"b": 1, "a": 2}
    report = {"a": 2, "c": 3}
    verdict = judge(recorded(report), replayed(report), expected=[expected])
    assert ids(verdict)[1:4] == ["report.b:0", "report.a:0", "report.c:0"]
    assert verdict.failed == ("report.b", "report.c")
    assert verdict.checks[1].message == "b: the report has no such key"


def test_fails_by_the_contract() -> None:
    facts = [call(), call(side(changed=["x"]))]
    record = make_outcome({"loads": None, "cases": [{"report": {"v": 1}, "rounded": {}, "calls": [{}, {}]}]})
    verdict = judge(record, replayed({"v": 1}, facts=facts))
    assert verdict.failed == ("contract.input-unchanged",)
    assert verdict.reason == "input-unchanged: your code changes `x` (call 2 of 2) (case 1)"


def test_fails_when_the_replay_differs() -> None:
    verdict = judge(recorded({"v": 1}), replayed({"v": 2}))
    assert verdict.failed == ("report.v", "contract.replay")
    assert "`v` differs when the checker runs on the recording: expected 1, got 2" in verdict.checks[-1].message
    assert judge(recorded({"v": 1.0}), replayed({"v": 1.000001}), expected=[{"v": 1.0}]).status == "passed"


def test_fails_when_the_replay_raises() -> None:
    error = make_error("ReplayMismatchError: other arguments", mro=["ReplayMismatchError", "HarnessError"])
    verdict = judge(recorded({"v": 1}), replayed({"error": error, "by": "harness"}, facts=[]))
    assert (verdict.status, verdict.failed) == ("failed", ("contract.replay",))
    assert ids(verdict, "not_run") == ["report.v:0", "contract.same-type:0", "contract.input-unchanged:0"]


def test_candidate_that_raises_is_an_error() -> None:
    raised = {"error": make_error(), "by": "candidate"}
    verdict = judge(recorded(raised), replayed(raised))
    assert verdict.status == "error"
    assert verdict.reason == "your code raised ValueError: no (lessons/p/01-x.md, line 3) (case 1)"
    assert ids(verdict, "not_run") == ALL[1:]


def test_exit_leaves_later_cases_not_run() -> None:
    raised = {"error": make_error("SystemExit: 0"), "by": "candidate"}
    expected = [{"v": 1}, {"v": 1}, {"v": 1}]
    verdict = judge(recorded({"v": 2}, raised), replayed({"v": 2}, raised), expected=expected)
    assert verdict.status == "error"
    assert verdict.failed == ("report.v",)
    assert len(verdict.checks) == 1 + 3 * 4
    assert [check.case for check in verdict.checks if check.status == "not_run"] == [1] * 4 + [2] * 4
    assert verdict.reports == ({"v": 2}, None, None)


def test_checker_that_stumbles_over_a_wrong_result_fails_by_the_contract() -> None:
    raised = {"error": make_error("AttributeError: 'NoneType' object has no attribute 'x'"), "by": "checker"}
    facts = [call(side({"type": "None"}))]
    verdict = judge(recorded(raised), replayed(raised, facts=facts))
    assert (verdict.status, verdict.failed) == ("failed", ("contract.same-type",))
    assert ids(verdict, "not_run") == ["report.v:0", "contract.replay:0"]


def test_checker_that_raises_otherwise_is_an_error() -> None:
    raised = {"error": make_error(), "by": "checker"}
    verdict = judge(recorded(raised), replayed(raised))
    assert verdict.status == "error"
    assert verdict.reason is not None
    assert verdict.reason.startswith("the checker raised ValueError: no")


def test_result_that_cannot_be_recorded_fails_by_its_type() -> None:
    error = make_error("UnrecordableResultError: a generator", mro=["UnrecordableResultError", "HarnessError"])
    raised = {"error": error, "by": "candidate"}
    for implied in (NAMES, ()):
        verdict = judge(recorded(raised), replayed(raised), implied=implied)
        assert (verdict.status, verdict.failed) == ("failed", ("contract.same-type",))
        assert "contract.replay:0" in ids(verdict, "not_run")


def test_candidate_that_does_not_load() -> None:
    verdict = judge(recorded(loads=make_error("NameError: y")), None)
    assert (verdict.status, verdict.failed) == ("error", ("candidate.loads",))
    assert verdict.reason == "your code does not load: NameError: y (lessons/p/01-x.md, line 3)"
    assert ids(verdict, "not_run") == ALL[1:]


@pytest.mark.parametrize(
    ("status", "verdict_status", "reason"),
    [
        ("timeout", "timeout", "your code did not finish in time: 3 s"),
        ("signal", "error", "your code crashed its process: 3 s"),
        ("exit", "error", "your code ended the process: 3 s"),
        ("no-result", "error", "your code ended the process before the check was done: 3 s"),
        ("output-limit", "error", "your code wrote more output than is allowed: 3 s"),
        ("memory-limit", "error", "your code took more memory than is allowed: 3 s"),
        ("supervisor-died", "error", "the process that watches the run was killed: 3 s"),
        ("refused", "error", "the run was refused: 3 s"),
        ("error", "error", "the run broke: 3 s"),
        ("unheard-of", "error", "the run ended as unheard-of: 3 s"),
    ],
)
def test_job_without_an_answer(status: str, verdict_status: str, reason: str) -> None:
    verdict = judge(make_outcome(None, status, "3 s"), None)
    assert (verdict.status, verdict.reason) == (verdict_status, reason)
    assert ids(verdict, "not_run") == ALL
    replay = judge(recorded({"v": 1}), make_outcome(None, status, "3 s"))
    assert replay.status == verdict_status
    assert ids(replay, "passed") == ["candidate.loads"]


def test_place_of_a_crash_is_named() -> None:
    verdict = judge(Outcome("signal", None, (), "SIGSEGV", 0.1, (("solution.py", 7),)), None)
    assert verdict.reason == "your code crashed its process: SIGSEGV (in solution.py, line 7)"


GOOD = {"report": {"v": 1}, "rounded": {}, "calls": [], "facts": []}
RUBBISH: list[Any] = [
    {},
    {"cases": []},
    {"loads": None, "cases": "passed"},
    {"loads": None, "cases": [None]},
    {"loads": None, "cases": [{"report": [1], "rounded": {}, "calls": [], "facts": []}]},
    {"loads": None, "cases": [{"report": {"v": 1}, "calls": [], "facts": []}]},
    {"loads": None, "cases": [{"report": {"v": 1}, "rounded": {"v": "4"}, "calls": [], "facts": []}]},
    {"loads": None, "cases": [{"report": {"v": 1}, "rounded": {}, "calls": 3, "facts": 3}]},
    {"loads": None, "cases": [{**GOOD, "error": make_error(), "by": "candidate"}]},
    {"loads": None, "cases": [{"error": "no", "by": "candidate", "calls": [], "facts": []}]},
    {"loads": None, "cases": [{"error": make_error(), "by": "me", "calls": [], "facts": []}]},
    {"loads": "yes", "cases": [{**GOOD, "facts": [{}]}]},
    {"loads": {"type": "x"}, "cases": [{**GOOD, "facts": [{"candidate": {}, "reference": {}}]}]},
    {"loads": 3, "cases": [{**GOOD, "facts": [call({**side(), "result": {"type": 3}})]}]},
]


@pytest.mark.parametrize("result", RUBBISH)
def test_rubbish_is_an_error_and_never_an_exception(result: Any) -> None:
    verdict = judge(make_outcome(result), replayed({"v": 1}))
    assert verdict.status == "error"
    assert ids(verdict, "not_run") == ALL
    verdict = judge(recorded({"v": 1}), make_outcome(result))
    assert (verdict.status, ids(verdict, "passed")) == ("error", ["candidate.loads"])
    assert case_reports(make_outcome(result)) == () or result == {"cases": []}


def test_deep_rubbish_is_an_error() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert judge(recorded({"v": deep}), replayed({"v": 1})).status == "error"
    assert judge(recorded({"v": 1}), replayed({"v": deep})).status == "error"


def test_more_or_fewer_cases_than_asked_for() -> None:
    assert judge(recorded({"v": 1}, {"v": 1}), replayed({"v": 1}, {"v": 1})).status == "passed"
    verdict = judge(recorded(), replayed())
    assert (verdict.status, verdict.reason) == ("error", "not every check could be run")
    assert ids(verdict, "not_run") == ALL[1:]
    assert judge(recorded({"v": 1}), replayed()).status == "error"


def test_random_cases_of_the_reference_are_judged_by_the_schema() -> None:
    schema = {
        "type": "object",
        "properties": {"v": {"type": "integer"}},
        "required": ["v"],
        "additionalProperties": False,
    }
    task = make_task(random=2, report_schema=schema)
    expected = [{"v": 1}, None, None]
    verdict = judge(
        recorded(*[{"v": n} for n in (1, 2, 3)]), replayed(*[{"v": n} for n in (1, 2, 3)]), task=task, expected=expected
    )
    assert verdict.status == "passed"
    assert verdict.reports == ({"v": 1},)
    reports = [{"v": 1}, {"v": "x"}, {}]
    verdict = judge(recorded(*reports), replayed(*reports), task=task, expected=expected)
    assert ids(verdict, "failed") == ["report.v:1", "report.v:2"]


def test_long_values_of_random_cases_are_left_out() -> None:
    report = {"v": [1.0] * 100}
    verdict = judge(
        recorded(report, report),
        replayed(report, report),
        task=make_task(expected=[report], random=1),
        expected=[report] * 2,
    )
    values = [check for check in verdict.checks if check.id == "report.v"]
    assert [check.expected is None for check in values] == [False, True]


def test_tolerance_and_rounding_of_a_key() -> None:
    report, wanted = {"v": [0.1235], "w": 1.5}, {"v": [0.1234], "w": 1.0}
    full = {"report": report, "rounded": {"v": 4}}
    record = make_outcome({"loads": None, "cases": [{**full, "calls": [{}]}]})
    replay = make_outcome({"cases": [{**full, "facts": [call()]}]})
    task = make_task(expected=[wanted], tolerance={"w": 0.6})
    assert judge(record, replay, task=task, expected=[wanted]).status == "passed"
    assert judge(record, replay, expected=[wanted]).failed == ("report.w",)


def test_reference_implies_its_own_contract() -> None:
    verdict = judge(recorded({"v": 1}), replayed({"v": 1}), implied=None, task=make_task(contract=["-finite"]))
    names = [check.id for check in verdict.checks if check.id.startswith("contract.")]
    expected = ["same-type", "same-shape", "same-dtype", "input-unchanged", "fresh-output", "replay"]
    assert names == [f"contract.{name}" for name in expected]


def test_json_is_strict() -> None:
    verdict = judge(recorded({"v": "nan"}), replayed({"v": "nan"}), expected=[{"v": float("nan")}])
    encoded = encode_verdict(verdict)
    assert encoded["checks"][1]["expected"] == "nan"
    json.dumps(encoded, allow_nan=False)


def test_case_reports_of_a_replay() -> None:
    raised = {"error": make_error(), "by": "checker"}
    assert case_reports(replayed({"v": 1}, raised)) == ({"v": 1}, None)
