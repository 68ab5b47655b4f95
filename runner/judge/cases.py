# The checks of one case: the replayed report against the expected one, the contract, and the record against the replay.
# A check that could not be run says so; none is left out.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from runner.judge.answers import CaseAnswer
from runner.judge.contract import REPLAY_RULE, judge_calls
from runner.judge.endings import describe_fault
from runner.judge.numbers import TOLERANCE, count_elements, judge_value
from runner.judge.values import Check
from runner.lesson.values import Task

REPLAY = "contract.replay"
SAME_TYPE = "same-type"
OF_RESULT = ("same-shape", "same-dtype", "finite", "fresh-output")
"""Checks that say nothing of a result which is of another type."""
MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a verdict is timeout or error."""

    status: str
    """timeout or error."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which checks a verdict has."""

    task: Task
    """Whose spec implies them."""
    expected: Sequence[Mapping[str, Any] | None]
    """For each case the report; None where only the schema is known."""
    names: Sequence[str]
    """The contract checks, replay aside."""

    def list_keys(self, case: int) -> list[str]:
        """The report keys of a case, in order."""
        report = self.expected[case]
        if report is None:
            report = self.task.expected_reports[0] if self.task.expected_reports else {}
        return list(report)


def skip_all(plan: Plan) -> Iterator[Check]:
    """Every check of every case, as not run."""
    for case in range(len(plan.expected)):
        yield from skip_reports(plan, case)
        yield from skip_contract(plan, case)


def skip_reports(plan: Plan, case: int) -> Iterator[Check]:
    """The report checks of a case, as not run."""
    wanted = plan.expected[case] or {}
    for key in plan.list_keys(case):
        yield Check(f"report.{key}", case, "not_run", keep(wanted.get(key), plan, case), None, f"{key}: not run")


def skip_contract(plan: Plan, case: int) -> Iterator[Check]:
    """The contract checks of a case, as not run."""
    for name in (*plan.names, "replay"):
        yield Check(f"contract.{name}", case, "not_run", None, None, f"{name}: not run")


def judge_case(
    plan: Plan, case: int, first: CaseAnswer | None, second: CaseAnswer | None
) -> tuple[list[Check], Trouble | None]:
    """The checks of one case from its record and its replay."""
    if first is None or (second is None and first.error is None):
        return [*skip_reports(plan, case), *skip_contract(plan, case)], None
    if first.error is not None:
        return judge_error(plan, case, first, second)
    assert second is not None
    if second.report is None:
        return [*skip_reports(plan, case), *judge_contract(plan, case, first, second)], None
    return [*judge_report(plan, case, second), *judge_contract(plan, case, first, second)], None


def judge_error(
    plan: Plan, case: int, first: CaseAnswer, second: CaseAnswer | None
) -> tuple[list[Check], Trouble | None]:
    """The checks of a case in which the record says that something raised: no report, perhaps a broken contract."""
    assert first.error is not None
    fault = describe_fault(first.error)
    if "UnrecordableResultError" in first.error["mro"]:
        return [*skip_reports(plan, case), *fail_type(plan, case, first.error["message"])], None
    contract = list(skip_contract(plan, case))
    if first.by == "checker" and second is not None and second.error is not None:
        # what the candidate returned may be what check stumbled over: then the contract says so
        contract = [*judge_names(plan, case, first, second), contract[-1]]
    if any(check.status == "failed" for check in contract):
        return [*skip_reports(plan, case), *contract], None
    source = "the published case " if case < len(plan.task.cases) else "the inputs fence "
    who = {"candidate": "your code ", "checker": "the checker ", "inputs": source}.get(first.by or "", "")
    does = "" if not who else "breaks a rule: " if "HarnessError" in first.error["mro"] else "raised "
    reason = f"{who}{does}{fault} (case {case + 1})"
    return [*skip_reports(plan, case), *contract], Trouble("error", reason)


def fail_type(plan: Plan, case: int, message: str) -> Iterator[Check]:
    """The contract checks of a case whose result cannot be recorded: of the wrong type, and nothing else is known."""
    names = plan.names if SAME_TYPE in plan.names else (SAME_TYPE, *plan.names)
    for name in (*names, "replay"):
        failed = name == SAME_TYPE
        text = f"{SAME_TYPE}: {message}" if failed else f"{name}: not run"
        yield Check(f"contract.{name}", case, "failed" if failed else "not_run", None, None, text)


def judge_report(plan: Plan, case: int, second: CaseAnswer) -> Iterator[Check]:
    """Each key of the report against the expected one; without an expected one against the schema."""
    assert second.report is not None
    wanted = plan.expected[case]
    faults = judge_schema(plan.task, second.report) if wanted is None else {}
    keys = plan.list_keys(case)
    for key in [*keys, *(key for key in second.report if key not in keys)]:
        if wanted is not None:
            fault = judge_key(plan.task, key, wanted, second)
        else:
            fault = faults.get(key, faults.get("")) if key in second.report else "the report has no such key"
        expected, actual = (wanted or {}).get(key), second.report.get(key)
        yield Check(
            f"report.{key}",
            case,
            "passed" if fault is None else "failed",
            keep(expected, plan, case),
            keep(actual, plan, case),
            f"{key}: {fault or 'as expected'}",
        )


def judge_key(task: Task, key: str, wanted: Mapping[str, Any], second: CaseAnswer) -> str | None:
    """What is wrong with one key of a report, as a clause; None when nothing is."""
    assert second.report is not None
    if key not in second.report:
        return "the report has no such key"
    if key not in wanted:
        return "the report has a key that is not expected"
    tolerance = task.tolerance.get(key, TOLERANCE)
    return judge_value(wanted[key], second.report[key], tolerance=tolerance, digits=second.rounded.get(key))


def judge_schema(task: Task, report: Mapping[str, Any]) -> dict[str, str]:
    """Report key to what its schema says against it; the empty key stands for the report as a whole."""
    faults: dict[str, str] = {}
    for error in Draft202012Validator(dict(task.report_schema)).iter_errors(dict(report)):
        faults.setdefault(str(error.absolute_path[0]) if error.absolute_path else "", str(error.message)[:200])
    return faults


def judge_contract(plan: Plan, case: int, first: CaseAnswer, second: CaseAnswer) -> Iterator[Check]:
    """The contract checks of a case; the replay, which says whether the others mean anything, last."""
    yield from judge_names(plan, case, first, second)
    fault = judge_replay(plan.task, first, second)
    message = f"replay: {fault or REPLAY_RULE}"
    yield Check(REPLAY, case, "passed" if fault is None else "failed", None, None, message)


def judge_names(plan: Plan, case: int, first: CaseAnswer, second: CaseAnswer) -> Iterator[Check]:
    """The contract checks of a case but for the replay; not run unless every recorded call was replayed."""
    other_type = judge_calls(SAME_TYPE, second.facts)[0].fault is not None
    for name in plan.names:
        if len(second.facts) != first.calls or (other_type and name in OF_RESULT):
            yield Check(f"contract.{name}", case, "not_run", None, None, f"{name}: not run")
            continue
        found, number, rule = judge_calls(name, second.facts)
        call = f" (call {number} of {first.calls})" if first.calls > 1 else ""
        status = "passed" if found.fault is None else "failed"
        text = rule if found.fault is None else f"{found.fault}{call}"
        yield Check(f"contract.{name}", case, status, found.expected, found.actual, f"{name}: {text}")


def judge_replay(task: Task, first: CaseAnswer, second: CaseAnswer) -> str | None:
    """How the report differs without the candidate, as a clause; None when it does not."""
    assert first.report is not None
    if second.report is None:
        return describe_fault(second.error) if second.error else "no report"
    for key in [*first.report, *(key for key in second.report if key not in first.report)]:
        if key not in first.report or key not in second.report:
            return f"`{key}` is in the report only {'with' if key in first.report else 'without'} your code"
        tolerance, digits = task.tolerance.get(key, TOLERANCE), second.rounded.get(key)
        fault = judge_value(first.report[key], second.report[key], tolerance=tolerance, digits=digits)
        if fault is not None:
            return f"`{key}` differs when the checker runs on the recording: {fault}"
    return None


def keep(value: Any, plan: Plan, case: int) -> Any:
    """The value for the verdict; a long one of an unpublished case is left out, since nobody reads it."""
    long = case >= len(plan.task.cases) and count_elements(value) > MOST_KEPT
    return None if long else value
