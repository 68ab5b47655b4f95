# A lesson as a notebook (nbformat 4.5): prose, examples, and of each task its statement and starter.
# Written as plain JSON, with cell ids from the content, so that two builds give the same bytes.
from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from runner.lesson.values import Example, Lesson, NotRun, Part, Prediction, Question, Task
from runner.pages.weave import find_line


def encode_notebook(lesson: Lesson) -> bytes:
    """JSON of the notebook; inline values stand in it as their expressions."""
    heading = _make_cell("markdown", f"# {lesson.title}\n\n{lesson.summary}\n")
    cells = [heading, *_make_cells(lesson)]
    notebook = {
        "cells": [dict(cell, id=name) for cell, name in zip(cells, _name_cells(cells), strict=True)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(notebook, ensure_ascii=True, indent=1, sort_keys=True) + "\n").encode("ascii")


def _make_cells(lesson: Lesson) -> Iterator[dict[str, Any]]:
    """Cells in the order of the file: the prose between the parts, and the parts that a reader runs."""
    position = find_line(lesson.text, lesson.body_line)
    for first, last, cell in sorted(_list_spans(lesson), key=lambda span: span[0]):
        yield from _make_prose(lesson, position, find_line(lesson.text, first))
        position = find_line(lesson.text, last + 1)
        if cell is not None:
            yield cell
    yield from _make_prose(lesson, position, len(lesson.text))


def _list_spans(lesson: Lesson) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
    """First and last line of every tagged fence, and the cell that takes its place."""
    for part in lesson.parts:
        if isinstance(part, Task):
            for fence in part.fences:
                cell = _make_cell("code", part.starter.code) if fence == part.starter else None
                yield fence.line, fence.end_line, cell
            continue
        yield part.fence.line, part.fence.end_line, _make_part(part)
        if isinstance(part, Example) and part.expected is not None:
            yield part.expected.fence.line, part.expected.fence.end_line, None


def _make_part(part: Part) -> dict[str, Any]:
    if isinstance(part, Example):
        tags = ["hide-input"] if part.hide else []
        return _make_cell("code", part.fence.code, [*tags, "raises-exception"] if part.raises else tags)
    if isinstance(part, NotRun):
        return _make_cell("markdown", f"Not run: {part.reason}\n\n~~~~python\n{part.fence.code}~~~~\n")
    assert isinstance(part, Prediction | Question)
    choices = [c.get("text") if isinstance(c, dict) else c for c in part.spec.get("choices", ())]
    rows = [f"- {text}" for text in choices if text is not None]
    return _make_cell("markdown", "\n".join([f"**{part.spec.get('ask', '')}**", "", *rows]).strip() + "\n")


def _make_prose(lesson: Lesson, start: int, end: int) -> Iterator[dict[str, Any]]:
    text = lesson.text[start:end]
    for value in lesson.values:
        text = text.replace(value.source, f"`{value.expression}`")
    if text.strip():
        yield _make_cell("markdown", text.strip("\n") + "\n")


def _make_cell(kind: str, source: str, tags: list[str] | None = None) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "metadata": {"tags": tags} if tags else {},
        "source": source.removesuffix("\n").splitlines(keepends=True),
    }
    return cell | {"execution_count": None, "outputs": []} if kind == "code" else cell


def _name_cells(cells: list[dict[str, Any]]) -> Iterator[str]:
    """Ids that follow from the content; equal cells are told apart by their number."""
    seen: dict[str, int] = {}
    for cell in cells:
        content = json.dumps([cell["cell_type"], cell["source"]])
        seen[content] = seen.get(content, 0) + 1
        yield hashlib.sha256(f"{content}{seen[content]}".encode()).hexdigest()[:12]
