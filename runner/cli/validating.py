# `labsheet validate`: what the build would run, as a table of lessons.
# A path may name a lesson, a folder, or a line, which limits the run to the part that stands there.
from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from runner.cli.terminal import fail, make_console, show_progress
from runner.course import CONFIG, Course, Select
from runner.judge.tasks import is_caught
from runner.judge.values import NOT_RUN, LessonResult
from runner.lesson.problems import format_problems
from runner.lesson.values import Lesson

Places = Sequence[tuple[Path, int | None]]
STATUS_STYLE = {"passed": "green", "failed": "red", "skipped": "yellow", "not_run": "dim"}


def validate_course(course: Course, paths: Sequence[str], json_file: Path | None) -> int:
    """Validates what `paths` name, all without any; 1 when there is a problem."""
    wanted = [read_place(path) for path in paths]
    for path, (file, _) in zip(paths, wanted, strict=True):
        if not file.exists():
            raise click.UsageError(f"there is no {path}")
    began = time.monotonic()
    with show_progress() as step:
        problems = course.refresh(step=step, select=make_select(course, wanted) if wanted else None)
    shown = [lesson for lesson in course.library.lessons if not wanted or _covers(course, wanted, lesson.source)]
    if wanted and not shown:
        fail("none of these paths holds a lesson of this course")
        return 2
    refused = any(problem.path == CONFIG for problem in problems)
    if (
        not refused
        and any(line is not None for _, line in wanted)
        and not any(_has_run(course, lesson) for lesson in shown)
    ):
        fail("nothing that can be run stands at this line")
        return 2
    problems = tuple(p for p in problems if not wanted or p.path == CONFIG or _covers(course, wanted, p.path))
    make_console().print(make_table(shown, course))
    seconds = time.monotonic() - began
    make_console().print(f"{course.run_count} jobs in {seconds:.1f} s")
    if json_file is not None:
        try:
            json_file.write_bytes(course.encode())
        except OSError as error:
            fail(f"{json_file} cannot be written: {error.strerror}")
            return 2
    if problems:
        click.echo(format_problems(problems), err=True)
    return 1 if problems else 0


def read_place(text: str) -> tuple[Path, int | None]:
    """A path, and the line behind its colon."""
    match = re.fullmatch(r"(.+?):(\d+)(?::\d+)?", text)
    path, line = (match[1], int(match[2])) if match else (text, None)
    return Path(path).resolve(), line


def make_select(course: Course, wanted: Places) -> Select:
    """True for the parts of lessons that the places name."""

    def select(lesson: Lesson, first: int, last: int) -> bool:
        return any(
            _holds(file, course.source_path(lesson.source)) and (line is None or first <= line <= last)
            for file, line in wanted
        )

    return select


def _holds(place: Path, file: Path) -> bool:
    return file.resolve() == place or place in file.resolve().parents


def _covers(course: Course, wanted: Places, source: str) -> bool:
    """Whether the places name this file, or a folder above it."""
    return any(_holds(file, course.source_path(source)) for file, _ in wanted)


def _has_run(course: Course, lesson: Lesson) -> bool:
    result = course.results.get(lesson.id, NOT_RUN)
    return bool(result.tasks) or any(example.status != "not_run" for example in result.examples)


def make_table(lessons: Sequence[Lesson], course: Course) -> Table:
    """A row for each lesson: how many examples, tasks and wrong solutions, and what became of them."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("lesson", "examples", "tasks", "wrong caught", "status"):
        table.add_column(name, no_wrap=True)
    faulty = {problem.path for problem in course.problems}
    for lesson in lessons:
        result = course.results.get(lesson.id, NOT_RUN)
        status = "failed" if lesson.source in faulty else _status_of(result)
        style = STATUS_STYLE.get(status, "")
        table.add_row(escape(lesson.id), *_count(lesson, result), f"[{style}]{status}[/]" if style else status)
    return table


def _count(lesson: Lesson, result: LessonResult) -> tuple[str, str, str]:
    examples = [e for e in result.examples if e.status != "not_run"]
    passed = sum(e.status == "passed" for e in examples)
    tasks = sum(t.status == "passed" for t in result.tasks)
    declared = {f"{lesson.id}#{task.id}": [wrong.fails for wrong in task.wrong] for task in lesson.tasks}
    wrong = [pair for t in result.tasks for pair in zip(declared[t.id], t.wrong, strict=True)]
    caught = sum(is_caught(fails, verdict) for fails, verdict in wrong)
    return f"{passed}/{len(examples)}", f"{tasks}/{len(result.tasks)}", f"{caught}/{len(wrong)}"


def _status_of(result: LessonResult) -> str:
    found = {e.status for e in result.examples} | {t.status for t in result.tasks}
    return next(
        (status for status in ("failed", "skipped", "passed") if status in found), "passed" if not found else "not_run"
    )
