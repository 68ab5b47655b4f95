# What a task's own candidates must do at every build: the reference passes, the starter does not, each wrong is caught.
# Verdicts in, a result for the page and problems for the author out.
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from runner.judge.cases import Plan, skip_all
from runner.judge.contract import choose_names
from runner.judge.values import Check, TaskResult, Verdict
from runner.lesson.problems import ProblemLog
from runner.lesson.values import Fence, Task, Wrong

MOST_CHECKS = 8


def judge_task(
    task: Task, reference: Verdict, starter: Verdict, wrong: Sequence[Verdict], log: ProblemLog
) -> TaskResult:
    """The result of a task; problems go to the log of its lesson."""
    before = log.count
    if reference.status != "skipped":
        _judge_reference(task, reference, log)
        _judge_starter(task, starter, log, reference)
    if reference.status == "passed":
        for declared, verdict in zip(task.wrong, wrong, strict=True):
            _judge_wrong(declared, verdict, log)
    status = "passed" if log.count == before else "failed"
    return TaskResult(
        id=reference.task,
        status="skipped" if reference.status == "skipped" else status,
        reference=reference,
        starter=starter,
        wrong=tuple(wrong),
        digest=reference.digest,
    )


def _judge_reference(task: Task, verdict: Verdict, log: ProblemLog) -> None:
    if verdict.status == "passed":
        return
    failed = [check for check in verdict.checks if check.status == "failed"]
    replay = [check for check in failed if check.id == "contract.replay"]
    published = [c for c in failed if c.id.startswith("report.") and c.case is not None and c.case < len(task.cases)]
    if replay:
        advice = "`check` may depend only on its arguments, the candidate's results and counters."
        log.add(task.checker.line, f"the checker cannot be replayed: {replay[0].message}", advice)
    elif verdict.status == "failed" and published:
        message = f"the expected report is not what the reference gives\n{show_checks(published)}"
        log.add(task.expected.line, message, "Mend the expected report, the reference or the checker.")
    else:
        rows = show_checks(failed)
        message = f"the reference does not pass: {verdict.reason or verdict.status}{rows and chr(10) + rows}"
        log.add(_fence_of(verdict, task.reference, task).line, message, "Mend the reference or the checker.")


def _fence_of(verdict: Verdict, fence: Fence, task: Task) -> Fence:
    """The fence to mend: the one that the reason names."""
    reason = verdict.reason or ""
    named = {"the checker": task.checker, "the inputs fence": task.inputs, "the published case": task.spec_fence}
    return next((found for words, found in named.items() if reason.startswith(words) and found), fence)


def _judge_starter(task: Task, verdict: Verdict, log: ProblemLog, reference: Verdict) -> None:
    line = task.starter.line
    loads = next((check for check in verdict.checks if check.id == "candidate.loads"), None)
    if verdict.status == "passed":
        log.add(line, "the starter passes already", "Leave something for the learner to write.")
    elif loads is None or loads.status != "passed":
        why = verdict.reason or (loads.message if loads else "")
        log.add(line, f"the starter does not load: {why}", "Make it run as a file of its own.")
    elif verdict.status not in ("failed", "error") and reference.status == "passed":
        log.add(line, f"the starter ends as {verdict.status}: {verdict.reason}", "Let it fail quickly.")


def is_caught(fails: str, verdict: Verdict) -> bool:
    """Whether a wrong solution fails by the check that it declares."""
    if fails == "error":
        return verdict.status == "error"
    if fails == "candidate.loads":
        return fails in verdict.failed
    return verdict.status == "failed" and fails in verdict.failed


def _judge_wrong(declared: Wrong, verdict: Verdict, log: ProblemLog) -> None:
    if is_caught(declared.fails, verdict):
        return
    failed = ", ".join(f"`{name}`" for name in verdict.failed) or "no check"
    if verdict.status == "passed":
        message = f"the wrong solution `{declared.id}` passes"
        advice = f"Let the checker catch it by `{declared.fails}`, or take it out."
    elif verdict.status == "failed":
        message = f"the wrong solution `{declared.id}` is not caught by `{declared.fails}`"
        advice = f"It fails by {failed}: declare one of these, or mend the checker."
    else:
        message = f"the wrong solution `{declared.id}` ends as {verdict.status}: {verdict.reason}"
        advice = 'Let it run to its end, or write fails="error".'
    log.add(declared.fence.line, message, advice)


def skip_candidate(*, task_id: str, task: Task, reason: str, digest: str) -> Verdict:
    """The verdict of a candidate that this machine cannot run: every check that the spec names, as not run.

    Which contract checks the reference's calls imply is not known without running it.
    """
    plan = Plan(task, [*task.expected_reports, *[None] * task.random], choose_names((), task.contract))
    checks = (Check("candidate.loads", None, "not_run", True, None, reason), *skip_all(plan))
    return Verdict(task_id, "skipped", reason, checks, (None,) * len(task.cases), "", {}, 0.0, digest)


def show_checks(checks: Sequence[Check]) -> str:
    """A row for each failed check: where, expected, measured."""
    rows = []
    for check in checks[:MOST_CHECKS]:
        where = "" if check.case is None else f" (case {check.case + 1})"
        name = check.id.removeprefix("report.")
        pair = f"expected {show_value(check.expected)}, measured {show_value(check.actual)}"
        told = check.message.removeprefix(f"{name}: ") if check.expected is None or check.actual is None else pair
        rows.append(f"  {name}{where}: {told}")
    if len(checks) > MOST_CHECKS:
        rows.append(f"  … and {len(checks) - MOST_CHECKS} more")
    return "\n".join(rows)


def show_value(value: Any) -> str:
    """A JSON value on one line, capped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "…"
