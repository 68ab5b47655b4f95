# A candidate's record and replay become its verdict: every check that the spec implies, passed, failed or not run.
# The replay is what is judged; the record only has to agree with it.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runner.judge.answers import CaseAnswer, read_record, read_replay
from runner.judge.cases import Plan, Trouble, judge_case, skip_all
from runner.judge.contract import choose_names
from runner.judge.endings import describe_ending, describe_fault
from runner.judge.values import Check, Outcome, Verdict
from runner.lesson.values import Task

LOADS = "candidate.loads"


def judge_candidate(
    *,
    task_id: str,
    task: Task,
    record: Outcome,
    replay: Outcome | None,
    expected: Sequence[Mapping[str, Any] | None],
    implied: Sequence[str] | None,
    digest: str,
) -> Verdict:
    """The verdict on one candidate.

    `expected` holds a report for each case, published ones first (None: only the schema, the contract and the replay
    are judged); `implied` the contract names that the reference's replay implies (None: this is the reference's).
    """
    played = read_replay(replay) if replay is not None else None
    if implied is None:
        facts = [call for case in played or () for call in case.facts]
        implied = choose_names(facts, task.contract)
    plan = Plan(task, expected, implied)
    checks, trouble = judge_jobs(plan, record, replay, played)
    published = [None if played is None or n >= len(played) else played[n].report for n in range(len(task.cases))]
    status, reason = settle(checks, trouble)
    return Verdict(
        task=task_id,
        status=status,
        reason=reason,
        checks=tuple(checks),
        reports=tuple(published),
        stdout="".join(section.stdout for section in record.sections),
        environment=record.environment,
        seconds=record.seconds + (replay.seconds if replay is not None else 0.0),
        digest=digest,
    )


def case_reports(replay: Outcome) -> tuple[Mapping[str, Any] | None, ...]:
    """The report of each replayed case, published ones first; None where check gave none. Empty without an answer."""
    return tuple(case.report for case in read_replay(replay) or ())


def settle(checks: Sequence[Check], trouble: Trouble | None) -> tuple[str, str | None]:
    """Status and reason of a verdict: trouble first, then a failed check, then one that did not run."""
    if trouble is not None:
        return trouble.status, trouble.reason
    failed = next((check for check in checks if check.status == "failed"), None)
    if failed is not None:
        where = "" if failed.case is None else f" (case {failed.case + 1})"
        return "failed", f"{failed.message}{where}"
    if any(check.status == "not_run" for check in checks):
        return "error", "not every check could be run"
    return "passed", None


def judge_jobs(
    plan: Plan, record: Outcome, replay: Outcome | None, played: Sequence[CaseAnswer] | None
) -> tuple[list[Check], Trouble | None]:
    """All checks, and why the verdict is no mere failure; `played` is what the replay answered."""
    recorded = read_record(record)
    if recorded is None:
        ended = Trouble(*describe_ending(record, "your code"))
        return [Check(LOADS, None, "not_run", True, None, ended.reason), *skip_all(plan)], ended
    if recorded.loads is not None:
        reason = f"your code does not load: {describe_fault(recorded.loads)}"
        return [Check(LOADS, None, "failed", True, False, reason), *skip_all(plan)], Trouble("error", reason)
    checks, troubles = [Check(LOADS, None, "passed", True, True, "your code loads")], []
    for number in range(len(plan.expected)):
        first = recorded.cases[number] if number < len(recorded.cases) else None
        second = played[number] if played is not None and number < len(played) else None
        more, trouble = judge_case(plan, number, first, second)
        checks += more
        troubles += [trouble] if trouble is not None else []
    if played is None:
        troubles.append(describe_replay(replay))
    return checks, min(troubles, key=lambda trouble: trouble.status != "timeout", default=None)


def describe_replay(replay: Outcome | None) -> Trouble:
    """Why there is no replay to judge."""
    if replay is None:
        return Trouble("error", "the checker was not replayed without your code")
    return Trouble(*describe_ending(replay, "the checker, replayed without your code,"))
