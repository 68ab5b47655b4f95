# `labsheet list`: the lessons and tasks of a course, read from disk; nothing is run.
# For a person a table, for a program one JSON document.
from __future__ import annotations

import json

import click
from rich.markup import escape
from rich.table import Table

from runner.cli.terminal import make_console
from runner.course import Course
from runner.lesson.problems import format_problems
from runner.lesson.values import Lesson


def list_course(course: Course, *, as_json: bool) -> int:
    """Prints the course's lessons; 1 when a lesson cannot be read as it must."""
    library = course.read()
    lessons = [lesson for lesson in library.lessons if lesson.step]
    if as_json:
        document = {"schema": "labsheet/list/1", "lessons": [_encode(lesson) for lesson in lessons]}
        click.echo(json.dumps(document, indent=2, sort_keys=True))
    else:
        make_console().print(_make_table(lessons))
    if library.problems:
        click.echo(format_problems(library.problems), err=True)
    return 1 if library.problems else 0


def _encode(lesson: Lesson) -> dict[str, object]:
    return {
        "id": lesson.id,
        "source": lesson.source,
        "step": lesson.step,
        "title": lesson.title,
        "difficulty": lesson.difficulty,
        "topic": lesson.topic,
        "minutes": lesson.minutes,
        "examples": len(lesson.examples),
        "tasks": [{"id": f"{lesson.id}#{task.id}", "wrong": len(task.wrong)} for task in lesson.tasks],
    }


def _make_table(lessons: list[Lesson]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("lesson", "title", "difficulty", "minutes", "tasks"):
        table.add_column(name, no_wrap=True)
    for lesson in lessons:
        tasks = ", ".join(f"#{task.id} ({len(task.wrong)} wrong)" for task in lesson.tasks)
        cells = (lesson.id, lesson.title, lesson.difficulty, str(lesson.minutes or ""), tasks)
        table.add_row(*(escape(cell) for cell in cells))
    return table
