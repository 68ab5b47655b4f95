# The list of a course's paths, which the site engine's adapter appends to the home page.
# HTML and not Markdown: it is joined to a page that is rendered already.
from __future__ import annotations

from runner.pages.outline import Outline, steps_of
from runner.pages.templating import render_template


def render_paths(outline: Outline) -> str:
    """HTML of the paths with their steps; empty without paths. Addresses are relative to the site's root."""
    if not outline.paths:
        return ""
    paths = [
        {
            "path": path,
            "lessons": lessons,
            "steps": len(steps_of(path, lessons)),
            "minutes": sum(lesson.minutes for lesson in lessons),
        }
        for path, lessons in outline.paths
    ]
    return render_template("front.html", paths=paths)
