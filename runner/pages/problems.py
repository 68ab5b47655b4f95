# The page that a live preview shows in place of a lesson with mistakes.
# It says what the build would say, so that an author need not look at the terminal.
from __future__ import annotations

from collections.abc import Sequence

from runner.lesson.problems import Problem
from runner.pages.lesson import write_front_matter
from runner.pages.templating import render_template
from runner.pages.values import Page
from runner.pages.weave import Change, weave_changes


def render_problems(source: str, uri: str, dest: str, title: str, problems: Sequence[Problem]) -> Page:
    """A page with each problem's place, what is wrong and what to do; out of the search index."""
    html = render_template("problems.html", title=title, problems=sorted(set(problems)))
    markdown, blocks = weave_changes(source, "", [Change(0, 0, 1, html)])
    head = write_front_matter(title, "This page has mistakes that its author has to mend.")
    head = head.replace("---\n", "---\nsearch:\n  exclude: true\n", 1)
    return Page(source, uri, dest, head + markdown, blocks)
