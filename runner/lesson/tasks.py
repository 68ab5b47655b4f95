# A task's fences are gathered behind its spec and become one `Task` value.
# Each fence is read on its own first; what ties them together is checked in task_rules.py.
from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.lesson.code import Function, find_functions, parse_code, write_signature
from runner.lesson.problems import ProblemLog
from runner.lesson.schema import check_value
from runner.lesson.tags import ID, ID_ADVICE
from runner.lesson.task_rules import check_task, infer_report_schema
from runner.lesson.values import Fence, Task, Wrong
from runner.lesson.yaml_core import Document, load_yaml

NEEDED = ("starter", "checker", "expected", "reference")
DEFAULT_TIMEOUT_S = 30.0
DEFAULT_RANDOM = 8
UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


@dataclass(slots=True)
class TaskFences:
    """The fences of a task while they are gathered; the one mutable value of the parser."""

    spec: Fence
    """The spec."""
    statement: str
    """Markdown above the spec."""
    statement_line: int
    """Where the statement starts."""
    once: dict[str, Fence] = field(default_factory=dict)
    """Fences that stand once, by kind."""
    wrong: list[Fence] = field(default_factory=list)
    """Wrong solutions."""
    hints: list[Fence] = field(default_factory=list)
    """Hints."""

    @property
    def end_line(self) -> int:
        """Last line of the task's last fence."""
        return max(f.end_line for f in (self.spec, *self.once.values(), *self.wrong, *self.hints))


def add_fence(gathered: TaskFences, kind: str, fence: Fence, log: ProblemLog) -> None:
    """Puts a task fence to its task; a second one of its kind is a problem."""
    if kind == "wrong":
        gathered.wrong.append(fence)
    elif kind == "hint":
        gathered.hints.append(fence)
    elif kind in gathered.once:
        log.add(fence.line, f"this task has a {kind} already, at line {gathered.once[kind].line}", "Keep one.")
    else:
        gathered.once[kind] = fence


def build_task(gathered: TaskFences, log: ProblemLog) -> Task | None:
    """The task that the fences make; None after a problem that leaves it incomplete."""
    before = log.count
    spec = _read_spec(gathered.spec, log)
    for kind in NEEDED:
        if kind not in gathered.once:
            log.add(gathered.spec.line, f"this task has no {kind}", f"Add a fence `{{{kind}}}` below its spec.")
    functions = {kind: _read_functions(fence, log) for kind, fence in gathered.once.items() if kind != "expected"}
    candidate = _find_candidate(gathered, functions.get("starter"), log)
    reports = _read_expected(gathered.once.get("expected"), log)
    wrong = tuple(_read_wrong(fence, log) for fence in gathered.wrong)
    if not gathered.statement.strip():
        advice = "Write above the spec what the learner has to do."
        log.add(gathered.spec.line, "this task has no statement", advice)
    if spec is None or candidate is None or reports is None or any(k not in gathered.once for k in NEEDED):
        return None
    task = _make_task(gathered, spec, candidate, reports, wrong)
    check_task(task, spec, functions, candidate, log)
    return task if log.count == before else None


def _read_spec(fence: Fence, log: ProblemLog) -> Document | None:
    identifier = fence.tags["task"] or ""
    if not ID.match(identifier):
        log.add(fence.line, f"`{identifier}` is no id", ID_ADVICE)
    document = load_yaml(fence.code, fence.code_line, log)
    if document is None:
        return None
    if document.value is None:
        return Document({}, {(): (fence.line, 1)})
    return document if check_value(document, "task.schema", "this spec", log) else None


def _read_functions(fence: Fence, log: ProblemLog) -> Mapping[str, Function] | None:
    tree = parse_code(fence, log)
    return None if tree is None else find_functions(tree)


def _find_candidate(gathered: TaskFences, functions: Mapping[str, Function] | None, log: ProblemLog) -> Function | None:
    if functions is None:
        return None
    public = [function for name, function in functions.items() if not name.startswith("_")]
    if len(public) == 1:
        return public[0]
    what = "no public function" if not public else "more than one public function"
    advice = "Its one public function is what the learner writes; begin the names of others with `_`."
    log.add(gathered.once["starter"].line, f"the starter has {what}", advice)
    return None


def _read_expected(fence: Fence | None, log: ProblemLog) -> tuple[Mapping[str, Any], ...] | None:
    if fence is None:
        return None
    try:
        value = json.loads(
            fence.code, object_pairs_hook=_refuse_twins, parse_constant=_refuse_constant, parse_float=_read_float
        )
    except json.JSONDecodeError as error:
        advice = "Write strict JSON: double quotes, no trailing comma, no comment."
        log.add(min(fence.line + error.lineno, fence.end_line - 1), f"not JSON: {error.msg}", advice, error.colno)
        return None
    except (ValueError, RecursionError) as error:
        log.add(fence.line, f"not strict JSON: {error}", 'Write "nan", "inf" or "-inf" as text, each key once.')
        return None
    reports = value if isinstance(value, list) else [value]
    if not reports or not all(isinstance(report, dict) and report for report in reports):
        advice = 'Write an object such as {"values": [1.0]}, or a list of one object a case.'
        log.add(fence.line, "the expected reports are no JSON objects", advice)
        return None
    return tuple(reports)


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _read_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is no number that a float can hold")
    return number


def _read_wrong(fence: Fence, log: ProblemLog) -> Wrong:
    parse_code(fence, log)
    identifier = fence.tags["wrong"] or ""
    if not ID.match(identifier):
        log.add(fence.line, f"`{identifier}` is no id", ID_ADVICE)
    fails = fence.tags.get("fails")
    if fails is None:
        log.add(fence.line, "this wrong solution names no check", 'Say what catches it: fails="report.values".')
    rows: list[str] = []
    for row in fence.code.split("\n"):
        if not row.startswith("#"):
            break
        rows.append(re.sub(r"^#+ ?", "", row))
    because = "\n".join(rows).strip()
    if not because:
        advice = "Begin the fence with `# …` lines that say why it tempts and why it is wrong."
        log.add(fence.line, "this wrong solution has no explanation", advice)
    return Wrong(identifier, fails or "", because, fence)


def _make_task(
    gathered: TaskFences,
    document: Document,
    candidate: Function,
    reports: tuple[Mapping[str, Any], ...],
    wrong: tuple[Wrong, ...],
) -> Task:
    spec, once = document.value, gathered.once
    identifier = gathered.spec.tags["task"] or ""
    return Task(
        id=identifier,
        title=spec.get("title") or identifier.replace("-", " ").capitalize(),
        function=candidate.name,
        signature=write_signature(candidate),
        statement=gathered.statement,
        statement_line=gathered.statement_line,
        spec=spec,
        cases=tuple(spec.get("cases", [{}])),
        random=spec.get("random", DEFAULT_RANDOM if "inputs" in once else 0),
        tolerance=spec.get("tolerance", {}),
        contract=tuple(spec.get("contract", ())),
        inout=tuple(spec.get("inout", ())),
        timeout_s=float(spec.get("timeout", DEFAULT_TIMEOUT_S)),
        device=spec.get("device", "any"),
        memory_bytes=read_memory(spec.get("memory")),
        report_schema=spec.get("report") or infer_report_schema(reports),
        expected_reports=reports,
        spec_fence=gathered.spec,
        starter=once["starter"],
        checker=once["checker"],
        expected=once["expected"],
        reference=once["reference"],
        inputs=once.get("inputs"),
        wrong=wrong,
        hints=tuple(gathered.hints),
    )


def read_memory(text: str | None) -> int | None:
    """Bytes of an amount such as `2GiB`; None for None."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9.]+) ?(KiB|MiB|GiB)", text)
    assert match is not None  # the schema has seen to it
    return int(float(match[1]) * UNITS[match[2]])
