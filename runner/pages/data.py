# The site's JSON: what programs read of a course and of a task (schemas labsheet/course/1, labsheet/task/1).
# Strict, sorted and ASCII, so that two builds of one course give the same bytes.
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from runner.judge.encode import encode_json as name_numbers
from runner.judge.values import ExampleResult, LessonResult, TaskResult, Verdict
from runner.lesson.values import Lesson, Task, Wrong
from runner.pages.outline import Outline, lesson_dest, steps_of


def encode_json(value: Any) -> bytes:
    """Strict JSON with sorted keys, two spaces, ASCII and a final newline; NaN and infinities are words."""
    text = json.dumps(name_numbers(value), allow_nan=False, ensure_ascii=True, indent=2, sort_keys=True)
    return (text + "\n").encode("ascii")


def embed_json(value: Any) -> Markup:
    """Strict JSON that may stand inside a `<script>` element: no `<`, `>` or `&`."""
    text = json.dumps(name_numbers(value), allow_nan=False, ensure_ascii=True, sort_keys=True)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(text)  # noqa: S704 - nothing is left in it that HTML reads


def encode_course(
    outline: Outline, docs_pages: Sequence[Lesson], results: Mapping[str, LessonResult], version: str
) -> bytes:
    """`labsheet.json`: paths, and every lesson and executed page with what became of it."""
    lessons = [lesson for _, found in outline.paths for lesson in found]
    paths = [
        {
            "id": path.id,
            "lessons": [lesson.id for lesson in found],
            "planned": [{"step": step.step, "title": step.title} for step in path.planned],
            "steps": len(steps_of(path, found)),
            "summary": path.summary,
            "title": path.title,
        }
        for path, found in outline.paths
    ]
    described = [describe_lesson(lesson, results.get(lesson.id)) for lesson in (*lessons, *docs_pages)]
    return encode_json({"schema": "labsheet/course/1", "version": version, "paths": paths, "lessons": described})


def encode_task(lesson: Lesson, task: Task) -> bytes:
    """`tasks/<task>.json`: what a learner needs to work on a task, and nothing that gives it away."""
    return encode_json(
        {
            "schema": "labsheet/task/1",
            "id": f"{lesson.id}#{task.id}",
            "title": task.title,
            "function": task.function,
            "signature": task.signature,
            "statement": task.statement,
            "spec": dict(task.spec),
            "starter": task.starter.code,
            "cases": [dict(case) for case in task.cases],
            "random": task.random,
            "expected": [dict(report) for report in task.expected_reports],
            "report_schema": dict(task.report_schema),
        }
    )


def describe_lesson(lesson: Lesson, result: LessonResult | None) -> dict[str, Any]:
    """JSON-ready: a lesson, its examples and tasks with status and digest, and where they ran."""
    examples = () if result is None else result.examples
    tasks = {} if result is None else {task.id: task for task in result.tasks}
    return {
        "id": lesson.id,
        "title": lesson.title,
        "path": lesson.path_id,
        "step": lesson.step,
        "difficulty": lesson.difficulty,
        "topic": lesson.topic,
        "minutes": lesson.minutes,
        "tags": list(lesson.tags),
        "page": lesson_dest(lesson) if lesson.step else None,
        "status": "not_run" if result is None else _join_statuses(result),
        "environment": {} if result is None else dict(result.environment),
        "examples": [_describe_example(example) for example in examples],
        "tasks": [_describe_task(lesson, task, tasks.get(f"{lesson.id}#{task.id}")) for task in lesson.tasks],
        "measurements": [],
    }


def _join_statuses(result: LessonResult) -> str:
    """The worst that became of a part; a lesson without parts has passed."""
    found = {example.status for example in result.examples} | {task.status for task in result.tasks}
    if result.problems:
        return "failed"
    return next((status for status in ("failed", "not_run", "skipped") if status in found), "passed")


def _describe_example(example: ExampleResult) -> dict[str, Any]:
    return {
        "line": example.line,
        "status": example.status,
        "stdout": example.stdout,
        "error": example.error,
        "digest": example.digest,
    }


def _describe_task(lesson: Lesson, task: Task, result: TaskResult | None) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": f"{lesson.id}#{task.id}",
        "title": task.title,
        "line": task.spec_fence.line,
        "expected": [dict(report) for report in task.expected_reports],
    }
    if result is None:
        return described | {"status": "not_run"}
    reports = result.reference.reports
    return described | {
        "status": result.status,
        "digest": result.digest,
        "device": result.reference.environment.get("device"),
        "environment": dict(result.reference.environment),
        "reference": {
            "status": result.reference.status,
            "reason": result.reference.reason,
            "report": reports[0] if reports else None,
            "reports": list(reports),
        },
        "starter": {"status": result.starter.status, "failed": list(result.starter.failed)},
        "wrong": [_describe_wrong(*pair) for pair in zip(task.wrong, result.wrong, strict=False)],
    }


def _describe_wrong(wrong: Wrong, verdict: Verdict) -> dict[str, Any]:
    return {"id": wrong.id, "status": verdict.status, "failed": list(verdict.failed), "declared": wrong.fails}
