# Which jobs follow from a lesson: one for each session, two for each candidate of a task.
# Pure: values in, jobs out; what may differ between machines (the device) is an argument.
from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.jobs.digest import PROTOCOL, hash_json
from runner.jobs.values import Job, Limits
from runner.lesson.values import DEFAULT_SESSION, Example, Fence, InlineValue, Lesson, Task

SEED = 20_261
TORCH = re.compile(r"\btorch\b")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a lesson's jobs share on this machine."""

    device: str
    """cpu or cuda."""
    files: Mapping[str, bytes]
    """The path folder's modules and the lesson's data files, by name."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A solution to judge and where its text stands."""

    code: str
    """A complete file."""
    path: str
    """Shown in messages."""
    line: int
    """Line of that file where the code starts."""

    @classmethod
    def of_fence(cls, fence: Fence, lesson: Lesson) -> Candidate:
        """The candidate in a fence of a lesson."""
        return cls(fence.code, lesson.source, fence.code_line)


def sessions_of(lesson: Lesson) -> dict[str, list[Example]]:
    """The examples of each session, in order."""
    found: dict[str, list[Example]] = {}
    for example in lesson.examples:
        found.setdefault(example.session, []).append(example)
    return found


def plan_session(lesson: Lesson, session: str, setting: Setting) -> Job:
    """The job that runs the examples of one session, and the inline values of the default one."""
    examples = sessions_of(lesson)[session]
    values = lesson.values if session == DEFAULT_SESSION else ()
    work = {
        "examples": [{"code": e.fence.code, "raises": e.raises is not None} for e in examples],
        "steps": list_steps(examples, values),
        "device": setting.device,
        "seed": SEED,
        "torch": speaks_of_torch(examples, setting.files),
    }
    place = {
        "path": lesson.source,
        "lines": [example.fence.code_line for example in examples],
        "prints": [[list(assertion.span) for assertion in example.prints] for example in examples],
    }
    label = lesson.id if session == DEFAULT_SESSION else f"{lesson.id} ({session})"
    return Job("session", work, place, setting.files, Limits(timeout_s=lesson.timeout_s), label)


def speaks_of_torch(examples: Sequence[Example], files: Mapping[str, bytes]) -> bool:
    """Whether the code of these examples, or a module beside them, speaks of torch."""
    modules = (data.decode("utf-8", "replace") for name, data in files.items() if name.endswith(".py"))
    return any(TORCH.search(text) for text in (*(example.fence.code for example in examples), *modules))


def uses_torch(lesson: Lesson, files: Mapping[str, bytes]) -> bool:
    """Whether a session of the lesson speaks of torch."""
    return any(speaks_of_torch(examples, files) for examples in sessions_of(lesson).values())


def list_steps(examples: Sequence[Example], values: Sequence[InlineValue]) -> list[dict[str, Any]]:
    """Examples and inline values in the order of the file: {"example": number} or {"value": expression}."""
    steps: list[dict[str, Any]] = []
    for number in range(len(examples) + 1):
        steps += [{"value": value.expression} for value in values if value.after == number]
        if number < len(examples):
            steps.append({"example": number})
    return steps


def hash_task(task: Task, setting: Setting) -> str:
    """The work hash of a whole task: its code, its spec and the files that its jobs see."""
    work = {
        "protocol": [PROTOCOL["task"], PROTOCOL["record"], PROTOCOL["replay"]],
        "spec": task.spec,
        "function": task.function,
        "expected": task.expected_reports,
        "starter": task.starter.code,
        "checker": task.checker.code,
        "reference": task.reference.code,
        "inputs": task.inputs.code if task.inputs else None,
        "wrong": [[wrong.id, wrong.fails, wrong.fence.code] for wrong in task.wrong],
        "device": setting.device,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in setting.files.items()},
    }
    return hash_json(work)


def public_seed(digest: str) -> int:
    """The seed of a task's unpublished cases: it follows from the task's work hash, so that builds agree."""
    return int(digest.removeprefix("sha256:")[:8], 16) % 2**31


def list_cases(task: Task, seed: int) -> list[dict[str, Any]]:
    """Published cases, then random ones with a seed each."""
    given: list[dict[str, Any]] = [{"given": case} for case in task.cases]
    return given + [{"random": (seed + number) % 2**31} for number in range(task.random)]


def plan_record(lesson: Lesson, task: Task, candidate: Candidate, setting: Setting, seed: int) -> Job:
    """The job that runs the checker with the candidate and records every call."""
    work = {**_task_work(task, setting, seed), "candidate": candidate.code}
    place = {**_task_place(lesson, task), "candidate_path": candidate.path}
    place["lines"]["candidate"] = candidate.line
    return Job("record", work, place, setting.files, _task_limits(task), f"{lesson.id}#{task.id}")


def plan_replay(lesson: Lesson, task: Task, recorded: Mapping[str, Any], setting: Setting, seed: int) -> Job:
    """The job that replays the checker on a recording, without the candidate, beside the reference."""
    cases = recorded.get("cases")
    calls = (
        [case.get("calls", []) if isinstance(case, dict) else [] for case in cases] if isinstance(cases, list) else []
    )
    work = {**_task_work(task, setting, seed), "reference": task.reference.code, "calls": calls}
    work["cases"] = work["cases"][: len(calls)]
    return Job("replay", work, _task_place(lesson, task), setting.files, _task_limits(task), f"{lesson.id}#{task.id}")


def _task_work(task: Task, setting: Setting, seed: int) -> dict[str, Any]:
    return {
        "function": task.function,
        "checker": task.checker.code,
        "inputs": task.inputs.code if task.inputs else None,
        "cases": list_cases(task, seed),
        "seed": seed,
        "device": setting.device,
        "inout": list(task.inout),
        "torch": True,
    }


def _task_place(lesson: Lesson, task: Task) -> dict[str, Any]:
    lines = {"checker": task.checker.code_line, "reference": task.reference.code_line}
    if task.inputs is not None:
        lines["inputs"] = task.inputs.code_line
    return {"path": lesson.source, "lines": lines}


def _task_limits(task: Task) -> Limits:
    cases = len(task.cases) + task.random
    return Limits(task.timeout_s * (cases + 1), section_timeout_s=task.timeout_s, memory_bytes=task.memory_bytes)
