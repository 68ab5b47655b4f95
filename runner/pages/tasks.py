# Renders a task's panel: one block opens it before the statement, one closes it at the spec.
# So the statement stays ordinary prose of the page, with its links and formulas, inside the panel.
from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runner.judge.values import Check, TaskResult, Verdict
from runner.lesson.values import Lesson, Task, Wrong
from runner.pages.provenance import list_provenance
from runner.pages.templating import render_template, show_value
from runner.pages.weave import Change, replace_lines

_COUNTERS = {
    "count_allocations": (
        "`count_allocations` counts tensors that operations return with storage of their own. It does not see calls of"
        " the memory allocator, hidden workspace, peak memory or time, nor what bypasses the dispatcher or is compiled."
    ),
}


@dataclass(frozen=True, slots=True)
class ShownMistake:
    """A wrong solution beside what it really got."""

    wrong: Wrong
    """What its author wrote."""
    code: str
    """Its code without the leading remark, which is shown as prose."""
    report: Mapping[str, Any] | None
    """Its real report of the first published case."""
    checks: tuple[Check, ...]
    """Its failed checks, the first of each id."""
    reason: str | None
    """Why it has no report."""
    caught_by: str
    """What caught it, in a few words."""


@dataclass(frozen=True, slots=True)
class ShownCase:
    """One published case: what goes in, what is expected, what the reference gave."""

    inputs: str
    """Python that makes the case's values."""
    rows: tuple[tuple[str, str, str | None], ...]
    """Report key, expected and measured value as JSON on a line; None when not measured."""


def change_task(lesson: Lesson, task: Task, result: TaskResult | None, links: Mapping[str, str]) -> Iterator[Change]:
    """Changes of a task's statement and fences; its anchor is `task-<id>`."""
    opening = render_template("task_open.html", task=task)
    yield replace_lines(lesson.text, task.statement_line, task.statement_line - 1, opening, (f"task-{task.id}",))
    closing = _render_closing(lesson, task, result, links)
    spec, *rest = task.fences
    yield replace_lines(lesson.text, spec.line, spec.end_line, closing)
    for fence in rest:
        yield replace_lines(lesson.text, fence.line, fence.end_line, None)


def _render_closing(lesson: Lesson, task: Task, result: TaskResult | None, links: Mapping[str, str]) -> str:
    reference = None if result is None else result.reference
    return render_template(
        "task_close.html",
        task=task,
        name=f"{lesson.id}#{task.id}",
        status="not_run" if result is None else result.status,
        reason=None if reference is None else reference.reason,
        cases=show_cases(task, reference),
        contract=list_contract(reference),
        counters=[note for name, note in _COUNTERS.items() if name in task.checker.code],
        mistakes=show_mistakes(task, result),
        provenance=list_provenance(
            {} if reference is None else reference.environment, None if result is None else result.digest
        ),
        embedded=_describe_reports(lesson, task, result),
        links=links,
    )


def _describe_reports(lesson: Lesson, task: Task, result: TaskResult | None) -> dict[str, Any]:
    """JSON-ready: the expected reports and the measured ones, for the page's own script element."""
    return {
        "task": f"{lesson.id}#{task.id}",
        "expected": [dict(report) for report in task.expected_reports],
        "measured": [] if result is None else list(result.reference.reports),
        "status": "not_run" if result is None else result.status,
        "environment": {} if result is None else dict(result.reference.environment),
        "digest": None if result is None else result.digest,
    }


def show_cases(task: Task, reference: Verdict | None) -> tuple[ShownCase, ...]:
    """Each published case with its expected report and the reference's, keys in the expected order."""
    measured = () if reference is None else reference.reports
    shown = []
    for number, (case, expected) in enumerate(zip(task.cases, task.expected_reports, strict=False)):
        report = measured[number] if number < len(measured) else None
        rows = [
            (key, show_value(value), show_value(report[key]) if report is not None and key in report else None)
            for key, value in expected.items()
        ]
        shown.append(ShownCase(write_case(case), tuple(rows)))
    return tuple(shown)


def write_case(case: Mapping[str, Any]) -> str:
    """Python statements that make a case's values, one a line."""
    return "\n".join(f"{name} = {_write_value(value)}" for name, value in case.items())


def _write_value(value: Any) -> str:
    """Python that makes what the harness makes of a value: a mapping with `tensor` is a tensor, at any depth."""
    if isinstance(value, Mapping) and "tensor" in value:
        dtype = f", dtype=torch.{str(value['dtype']).removeprefix('torch.')}" if value.get("dtype") else ""
        return f"torch.tensor({_write_numbers(value['tensor'])}{dtype})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_write_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_write_value, value)) + "]"
    return _write_scalar(value)


def _write_numbers(value: Any) -> str:
    """Elements of a tensor, in which the harness reads a text as a number: "nan", "inf"."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_write_numbers, value)) + "]"
    return f"float({json.dumps(value)})" if isinstance(value, str) else _write_scalar(value)


def _write_scalar(value: Any) -> str:
    return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)


def list_contract(reference: Verdict | None) -> tuple[str, ...]:
    """Names of the contract checks that the reference was put to, each once; the replay is the checker's affair."""
    checks = () if reference is None else reference.checks
    names = dict.fromkeys(check.id.removeprefix("contract.") for check in checks if check.id.startswith("contract."))
    return tuple(name.replace("-", " ") for name in names if name != "replay")


def show_mistakes(task: Task, result: TaskResult | None) -> tuple[ShownMistake, ...]:
    """Each wrong solution with its real report and the checks that it failed."""
    verdicts: tuple[Verdict | None, ...] = () if result is None else result.wrong
    verdicts += (None,) * (len(task.wrong) - len(verdicts))
    return tuple(_show_mistake(*pair) for pair in zip(task.wrong, verdicts, strict=False))


def _show_mistake(wrong: Wrong, verdict: Verdict | None) -> ShownMistake:
    if verdict is None:
        return ShownMistake(wrong, drop_remark(wrong), None, (), "It was not run yet.", "not run yet")
    failed = {check.id: check for check in reversed(verdict.checks) if check.status == "failed"}
    ordered = tuple(failed[name] for name in verdict.failed)
    names = [check.id.removeprefix("report.").removeprefix("contract.") for check in ordered]
    report = next(iter(verdict.reports), None)
    caught_by = f"caught by {', '.join(names)}" if names else verdict.status
    return ShownMistake(wrong, drop_remark(wrong), report, ordered, verdict.reason, caught_by)


def drop_remark(wrong: Wrong) -> str:
    """A wrong solution's code without its leading remark, which would give it away or stand there twice."""
    lines = wrong.fence.code.splitlines(keepends=True)
    return "".join(itertools.dropwhile(lambda line: line.startswith("#") or not line.strip(), lines))
