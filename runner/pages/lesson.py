# A lesson with its results becomes a page; pages under docs/ with tagged fences go the same way.
# The text is never rewritten by pattern: every change names lines that the parser found.
from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

from runner.judge.values import LessonResult
from runner.lesson.values import Lesson, NotRun, Prediction, Question, Task
from runner.pages.examples import change_examples, change_not_run
from runner.pages.outline import Outline, lesson_dest, lesson_uri
from runner.pages.prose import resolve_links
from runner.pages.provenance import list_provenance
from runner.pages.questions import change_prediction, change_question
from runner.pages.reveal import reveal_controls
from runner.pages.tasks import change_task
from runner.pages.templating import render_template
from runner.pages.values import Page
from runner.pages.weave import Change, find_line, replace_lines, replace_value, weave_changes


def render_lesson(lesson: Lesson, result: LessonResult, outline: Outline) -> Page:
    """A lesson's page, or (step 0) the page of a Markdown file under docs/, which keeps its front matter.

    Raises `ValueError` when the lesson's parts do not stand where they say.
    """
    links = resolve_links(outline, lesson) if lesson.step else {}
    # the frame comes first: a task's panel may open where the body starts, and the heading stands above it
    changes = [*_frame(lesson, result, outline), *_change_parts(lesson, result, links), *_change_values(lesson, result)]
    if lesson.step == 0:
        markdown, blocks = weave_changes(lesson.source, lesson.text, changes)
        return Page(lesson.source, f"{lesson.id.partition('/')[2]}.md", "", markdown, blocks)
    start = find_line(lesson.text, lesson.body_line)
    markdown, blocks = weave_changes(lesson.source, lesson.text, changes, start)
    head = write_front_matter(lesson.title, lesson.summary, lesson.tags)
    return Page(lesson.source, lesson_uri(lesson), lesson_dest(lesson), head + markdown, blocks)


def write_front_matter(title: str, description: str, tags: tuple[str, ...] = ()) -> str:
    """YAML front matter for the site engine."""
    meta: dict[str, object] = {"title": title, "description": description}
    if tags:
        meta["tags"] = list(tags)
    return f"---\n{yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=10_000)}---\n"


def _change_parts(lesson: Lesson, result: LessonResult, links: Mapping[str, str]) -> Iterator[Change]:
    yield from change_examples(lesson, {example.line: example for example in result.examples})
    tasks = {task.id: task for task in result.tasks}
    for part in lesson.parts:
        if isinstance(part, Task):
            yield from change_task(lesson, part, tasks.get(f"{lesson.id}#{part.id}"), links)
        elif isinstance(part, Prediction):
            yield change_prediction(lesson, part, links)
        elif isinstance(part, Question):
            yield change_question(lesson, part, links)
        elif isinstance(part, NotRun):
            yield change_not_run(lesson, part)


def _change_values(lesson: Lesson, result: LessonResult) -> Iterator[Change]:
    for number, value in enumerate(lesson.values):
        text = reveal_controls(result.values[number]) if number < len(result.values) else None
        html = render_template("value.html", text=text, expression=value.expression).strip()
        yield replace_value(lesson.text, value, html)


def _frame(lesson: Lesson, result: LessonResult, outline: Outline) -> Iterator[Change]:
    """The heading of a lesson and, at the end of every page that ran examples, where they ran."""
    if lesson.step:
        html = render_template(
            "heading.html",
            lesson=lesson,
            path=outline.path_of(lesson),
            steps=outline.step_count(lesson.path_id),
            needs=_find_needs(lesson, outline),
        )
        yield replace_lines(lesson.text, lesson.body_line, lesson.body_line - 1, html)
    if any(not example.hide for example in lesson.examples):
        html = render_template("footing.html", provenance=list_provenance(result.environment))
        end = len(lesson.text)
        yield Change(end, end, lesson.text.count("\n") + 1, html)


def _find_needs(lesson: Lesson, outline: Outline) -> tuple[tuple[str, str], ...]:
    """Title and address, relative to the lesson's page, of each lesson that comes first."""
    known = {item.id: item for _, lessons in outline.paths for item in lessons}
    found = [known[name] for name in lesson.needs if name in known]
    return tuple((item.title, f"../../{lesson_dest(item)}") for item in found)
