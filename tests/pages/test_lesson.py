# A lesson's page carries everything that was measured, everything escaped, and nothing else.
from __future__ import annotations

import dataclasses
import html
import json
import re

import pytest
import yaml

from runner.lesson.values import NotRun
from runner.pages.lesson import render_lesson
from runner.pages.path import render_path
from runner.pages.splice import join_page
from runner.pages.values import Page
from tests.pages.sample import find_fences, make_example, make_lesson, make_outline, make_result


def join_raw(page: Page) -> str:
    """The page with its blocks in place, its Markdown left as it is."""
    return join_page(page.markdown, page)


@pytest.fixture
def page() -> Page:
    lesson = make_lesson()
    return render_lesson(lesson, make_result(lesson), make_outline(lesson))


@pytest.fixture
def text(page: Page) -> str:
    return join_raw(page)


def test_page_has_its_place_and_front_matter(page: Page) -> None:
    assert (page.source, page.uri, page.dest) == (
        "lessons/example/01-shift.md",
        "example/01-shift.md",
        "example/shift/",
    )
    meta = yaml.safe_load(page.markdown.split("---\n")[1])
    assert meta == {
        "title": "Shift a vector, <keep> the vector",
        "description": "A small lesson that shows each construct of the format once.",
        "tags": ["format"],
    }


def test_markdown_keeps_prose_and_no_fence(page: Page) -> None:
    assert "```" not in page.markdown
    assert "{=}" not in page.markdown
    assert "Subtracting a number makes a new tensor. The old one stays.\n" in page.markdown
    assert "## Your task\n" in page.markdown


def test_heading_says_where_the_reader_is(text: str) -> None:
    assert "<h1>Shift a vector, &lt;keep&gt; the vector</h1>" in text
    assert "step 1 of 3" in text
    assert '<a href="#task-shift">Jump to the task</a>' in text
    for word in ("← Example path", "Easy", "Example", "5 min"):
        assert word in text


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "Easy · Example · 5 min"),
        ({"minutes": 0}, "Easy · Example"),
        ({"difficulty": ""}, "Example · 5 min"),
        ({"topic": ""}, "Easy · 5 min"),
        ({"topic": "", "minutes": 0}, "Easy"),
        ({"difficulty": "", "topic": "", "minutes": 0}, None),
    ],
)
def test_heading_and_path_say_only_what_the_front_matter_says(changes: dict[str, object], shown: str | None) -> None:
    lesson = make_lesson(**changes)
    outline = make_outline(lesson)
    heading = join_raw(render_lesson(lesson, make_result(lesson), outline)).partition("<h1>")[0]
    lesson = dataclasses.replace(lesson, parts=())
    steps = join_raw(render_path(*outline.paths[0][:1], (lesson,), outline)).partition("<ol")[2].partition("</li>")[0]
    for text in (heading, steps):
        found = re.search(r'<p class="ls-meta">(.*?)</p>', text, re.DOTALL)
        assert (None if found is None else re.sub(r"<[^>]+>|\n", "", found[1])) == shown


def test_examples_show_code_status_and_output(text: str) -> None:
    assert "✓ run" in text
    assert "[0.0, -2.0, -1.0]" in text
    assert "torch.float32 \\x07\\u202e&lt;b&gt;" in text
    assert "raises, as it must" in text
    assert "import torch" not in text.split("The difference", maxsplit=1)[0]


def test_inline_value_is_replaced(text: str) -> None:
    assert 'has <span class="ls-value">3</span> elements.' in text


def test_statement_stands_inside_the_panel(page: Page, text: str) -> None:
    panel = text[text.index('<section class="ls-block ls-task" id="task-shift"') : text.index("</section>")]
    assert "Write `shift`, which subtracts" in panel
    assert [block.anchors for block in page.blocks if block.anchors] == [
        ("predict-shift-allocations",),
        ("task-shift",),
        ("question-why-two",),
    ]


def test_panel_holds_reports_folds_and_provenance(text: str) -> None:
    for word in ("expected JSON", "checker", "hint 1 of 1", "solution", "3 mistakes that look right"):
        assert f"<summary>{word}</summary>" in text
    assert '<th scope="row">allocations</th><td><code>2</code></td><td><code>2</code></td>' in text
    assert "labsheet start example/shift#shift\nlabsheet check shift.py" in html.unescape(re.sub(r"<[^>]+>", "", text))
    assert "x = torch.tensor([3.0, 1.0, 2.0])" in html.unescape(re.sub(r"<[^>]+>", "", text))
    assert "sha 3f9c3f9c" in text
    assert 'href="tasks/shift.json"' in text
    assert "same type, input unchanged" in text


def test_mistake_says_why_it_tempts_and_what_caught_it(text: str) -> None:
    assert '<span class="ls-caught">caught by x_unchanged</span>' in text
    assert "<em>smallest</em>" in text
    assert "<code>report.allocations</code> 3 new tensors, &lt;/script&gt; 2 are allowed" in text


def test_panel_embeds_expected_and_measured_reports(text: str) -> None:
    found = re.search(r'<script type="application/json" data-labsheet="task">(.*?)</script>', text)
    assert found is not None
    data = json.loads(found[1])
    assert data["task"] == "example/shift#shift"
    assert (
        data["expected"] == data["measured"] == [{"values": [0.0, -2.0, -1.0], "allocations": 2, "x_unchanged": True}]
    )


def test_answers_are_folded(text: str) -> None:
    prediction = text[text.index('id="predict-shift-allocations"') :]
    assert prediction.index("<details") < prediction.index('<p class="ls-truth">2</p>')
    assert "✓ Right." in text
    assert "the solution above" in text


def test_every_element_that_opens_closes(text: str) -> None:
    for tag in ("div", "section", "details", "p", "table", "ul", "pre", "code", "span"):
        assert len(re.findall(rf"<{tag}[ >]", text)) == text.count(f"</{tag}>"), tag


def test_lesson_that_nothing_ran_says_so() -> None:
    lesson = make_lesson()
    result = dataclasses.replace(make_result(lesson), examples=(), values=(), tasks=(), environment={})
    text = join_raw(render_lesson(lesson, result, make_outline(lesson)))
    for words in ("not run yet", "Not run yet", "not measured", "It was not run yet.", "where it ran is not known"):
        assert words in text


@pytest.mark.parametrize(("status", "words"), [("not_run", "an example above it failed"), ("skipped", "not run here")])
def test_example_that_did_not_run_says_why(status: str, words: str) -> None:
    lesson = make_lesson()
    result = make_result(lesson)
    examples = tuple(dataclasses.replace(example, status=status, stdout="") for example in result.examples)
    result = dataclasses.replace(result, examples=examples)
    assert words in join_raw(render_lesson(lesson, result, make_outline(lesson)))


def test_consecutive_tabs_are_one_block() -> None:
    fence = '```python {{example tab="{}"}}\nx = {}\n```\n'
    text = fence.format("a<", 1) + "\n\n" + fence.format("b", 2) + "\nwords\n\n" + fence.format("c", 3)
    lesson = make_lesson(text, id="docs/tabs", source="docs/tabs.md", step=0)
    page = render_lesson(lesson, make_result(lesson), make_outline(lesson))
    assert len(page.blocks) == 3
    assert page.blocks[0].html.count('type="radio"') == 2
    assert 'name="ls-tab-1" type="radio" checked' in page.blocks[0].html
    assert "a&lt;</label>" in page.blocks[0].html


def test_page_under_docs_keeps_its_front_matter_and_heading() -> None:
    text = "---\nhide: [toc]\n---\n# Guide\n\n```python {example}\nx = 1\n```\n"
    lesson = make_lesson(text, id="docs/guide/a", source="docs/guide/a.md", path_id="docs", step=0)
    page = render_lesson(lesson, make_result(lesson), make_outline(lesson))
    assert (page.uri, page.dest) == ("guide/a.md", "")
    assert page.markdown.startswith("---\nhide: [toc]\n---\n# Guide\n")
    assert "<h1>" not in "".join(block.html for block in page.blocks)


def test_code_that_is_not_run_says_why() -> None:
    text = '```python {norun="needs two GPUs"}\nx = 1\n```\n'
    fence = find_fences(text)[0]
    lesson = make_lesson(text, id="docs/a", source="docs/a.md", step=0, parts=(NotRun("needs <two> GPUs", fence),))
    page = render_lesson(lesson, make_result(make_lesson(text)), make_outline(lesson))
    assert "not run: needs &lt;two&gt; GPUs" in page.blocks[0].html


def test_title_and_highlight_are_shown() -> None:
    fence = find_fences("```python {example}\na = 1\nb = 2\n```\n")[0]
    example = dataclasses.replace(make_example(fence), title="two <lines>", hl_lines=(2,))
    lesson = make_lesson("```python {example}\na = 1\nb = 2\n```\n", step=0, parts=(example,))
    block = render_lesson(lesson, make_result(lesson), make_outline(lesson)).blocks[0].html
    assert '<span class="filename">two &lt;lines&gt;</span>' in block
    assert '<span class="hll">' in block
