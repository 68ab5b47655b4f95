# Everything of a course's site that does not come from the site engine, rendered at once.
# So a fault in a template is found while the old site still stands.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from runner import __version__
from runner.judge.values import NOT_RUN, LessonResult
from runner.lesson.problems import Problem
from runner.lesson.values import Lesson, Path
from runner.pages.data import encode_course, encode_task
from runner.pages.lesson import render_lesson
from runner.pages.notebook import encode_notebook
from runner.pages.outline import Outline, lesson_dest, lesson_uri
from runner.pages.path import render_path
from runner.pages.problems import render_problems
from runner.pages.values import Asset, Page

STYLESHEET = "assets/labsheet.css"


@dataclass(frozen=True, slots=True)
class Site:
    """What the site engine is handed."""

    pages: tuple[Page, ...]
    """Paths and lessons in reading order, then the pages under docs/ that carry tagged fences."""
    assets: tuple[Asset, ...]
    """Every other file."""


def render_site(
    outline: Outline,
    docs_pages: tuple[Lesson, ...],
    results: Mapping[str, LessonResult],
    schemas: Mapping[str, bytes],
    *,
    path_problems: Mapping[str, Sequence[Problem]] = {},
) -> Site:
    """All pages and assets of a course.

    `results` are by lesson id: one with problems gives a page of problems, a missing one a page that says so.
    `schemas` are by file name. `path_problems` are those of a path's index.md by path id: they become its page.
    """
    pages: list[Page] = []
    for path, lessons in outline.paths:
        pages.append(_render_path(path, lessons, outline, path_problems.get(path.id, ())))
        pages += [_render_page(lesson, results.get(lesson.id, NOT_RUN), outline) for lesson in lessons]
    pages += [_render_page(lesson, results.get(lesson.id, NOT_RUN), outline) for lesson in docs_pages]
    assets = {
        "labsheet.json": encode_course(outline, docs_pages, results, __version__),
        STYLESHEET: files("runner.pages").joinpath("assets/labsheet.css").read_bytes(),
        **{f"schemas/{name}": content for name, content in schemas.items()},
        **dict(_list_lesson_files(outline, docs_pages)),
    }
    return Site(tuple(pages), tuple(Asset(dest, content) for dest, content in sorted(assets.items())))


def _render_path(path: Path, lessons: tuple[Lesson, ...], outline: Outline, problems: Sequence[Problem]) -> Page:
    page = render_path(path, lessons, outline)
    return render_problems(page.source, page.uri, page.dest, path.title, problems) if problems else page


def _render_page(lesson: Lesson, result: LessonResult, outline: Outline) -> Page:
    if not result.problems:
        return render_lesson(lesson, result, outline)
    uri = lesson_uri(lesson) if lesson.step else f"{lesson.id.partition('/')[2]}.md"
    return render_problems(
        lesson.source, uri, lesson_dest(lesson) if lesson.step else "", lesson.title, result.problems
    )


def _list_lesson_files(outline: Outline, docs_pages: tuple[Lesson, ...]) -> Iterator[tuple[str, bytes]]:
    """Place and content of each task's JSON and each lesson's notebook."""
    for _, lessons in outline.paths:
        for lesson in lessons:
            yield f"{lesson_dest(lesson)}{lesson.slug}.ipynb", encode_notebook(lesson)
            for task in lesson.tasks:
                yield f"{lesson_dest(lesson)}tasks/{task.id}.json", encode_task(lesson, task)
    for lesson in docs_pages:
        folder = lesson.id.partition("/")[2].removesuffix("index")
        for task in lesson.tasks:
            yield f"{folder.rstrip('/')}/tasks/{task.id}.json".lstrip("/"), encode_task(lesson, task)
