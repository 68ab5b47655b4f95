# A lesson or a task's statement may open with a tagged fence: then two blocks stand at one place, in a fixed order.
# Through both parsers, as in a build: read with CommonMark, rendered with Python-Markdown, joined.
from __future__ import annotations

import re

import markdown
import pytest

from runner.judge.values import LessonResult
from runner.lesson.parse import Origin, parse_lesson
from runner.pages.lesson import render_lesson
from runner.pages.notebook import encode_notebook
from runner.pages.outline import Outline
from runner.pages.splice import join_page
from tests.pages.sample import SOURCE
from tests.pages.test_two_parsers import EXTENSIONS

FRONT, _, BODY = SOURCE.read_text("utf-8").partition("\n---\n")
TASK = BODY[BODY.index("Write `shift`") :]
SECTION = "\n## Your task\n\n"
EXAMPLE = "```python {example}\nz = 1\n```\n"
PREDICT = '```yaml {predict="ones"}\nask: How many?\ntruth: 2\nbecause: Two.\n```\n'
HEAD, EXAMPLE_BLOCK, PANEL, PREDICT_BLOCK = "ls-heading", "ls-example", "ls-task", "ls-predict"


@pytest.mark.parametrize(
    ("body", "order"),
    [
        (EXAMPLE + "\nWords.\n", [HEAD, EXAMPLE_BLOCK]),
        (PREDICT + "\nWords.\n", [HEAD, PREDICT_BLOCK]),
        (SECTION + EXAMPLE + "\n" + TASK, [HEAD, PANEL, EXAMPLE_BLOCK]),
        (SECTION + PREDICT + "\n" + TASK, [HEAD, PANEL, PREDICT_BLOCK]),
        (SECTION + EXAMPLE + PREDICT + TASK, [HEAD, PANEL, EXAMPLE_BLOCK, PREDICT_BLOCK]),
        (EXAMPLE + TASK, [HEAD, PANEL, EXAMPLE_BLOCK]),
        (TASK, [HEAD, PANEL]),
    ],
)
def test_fence_that_opens_a_lesson_or_a_statement_has_its_place(body: str, order: list[str]) -> None:
    data = f"{FRONT}\n---\n{body}".encode()
    lesson, problems = parse_lesson(data, Origin("lessons/p/01-x.md", "p", "x", 1))
    assert problems == ()
    page = render_lesson(lesson, LessonResult((), (), (), {}, ()), Outline(()))
    text = page.markdown.split("---\n", 2)[2]
    html = join_page(markdown.markdown(text, extensions=EXTENSIONS), page)
    assert re.findall(r'class="(?:ls-block )?(ls-(?:heading|example|task|predict))"', html) == order
    assert html.index("<h1>") < html.index(order[1])
    assert html.count("<section") == html.count("</section>")
    assert encode_notebook(lesson)
