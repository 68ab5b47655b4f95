# A path's page: its steps in order, those to come included, then the author's own words.
# Steps and words come from the same outline as the navigation, so that they cannot disagree.
from __future__ import annotations

from runner.lesson.values import Lesson, Path
from runner.pages.lesson import write_front_matter
from runner.pages.outline import Outline, lesson_dest, steps_of
from runner.pages.templating import render_template
from runner.pages.values import Block, Page
from runner.pages.weave import Change, weave_changes


def render_path(path: Path, lessons: tuple[Lesson, ...], outline: Outline) -> Page:
    """The page of a path; `lessons` are its own, in order."""
    titles = {lesson.id: lesson.title for _, found in outline.paths for lesson in found}
    steps = [
        {
            "number": step.step,
            "title": step.title,
            "lesson": step if isinstance(step, Lesson) else None,
            "href": lesson_dest(step).removeprefix(f"{path.id}/") if isinstance(step, Lesson) else None,
            "needs": [titles[name] for name in step.needs if name in titles] if isinstance(step, Lesson) else [],
        }
        for step in steps_of(path, lessons)
    ]
    html = render_template("path.html", path=path, steps=steps, minutes=sum(lesson.minutes for lesson in lessons))
    blocks: tuple[Block, ...]
    markdown, blocks = weave_changes(path.source, path.body, [Change(0, 0, 1, html)])
    return Page(
        path.source,
        f"{path.id}/index.md",
        f"{path.id}/",
        write_front_matter(path.title, path.summary) + markdown,
        blocks,
    )
