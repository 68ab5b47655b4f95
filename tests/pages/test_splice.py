# A token is swapped exactly once and alone in its paragraph, or the page is refused with a line.
from __future__ import annotations

import pytest

from runner.pages.splice import SpliceError, join_page
from runner.pages.values import Block, Page


def make_page(*blocks: Block) -> Page:
    return Page("lessons/p/01-a.md", "p/01-a.md", "p/a/", "", blocks)


BLOCK = Block("LSAN0000X", "<div>block</div>", 12)
VALUE = Block("LSAN0001X", "<span>3 &lt; 4</span>", 14, inline=True)


@pytest.mark.parametrize(
    ("html", "joined"),
    [
        ("<p>a</p>\n<p>LSAN0000X</p>\n", "<p>a</p>\n<div>block</div>\n"),
        ("<p>\n  LSAN0000X </p>", "<div>block</div>"),
        ("<div>\nLSAN0000X\n</div>", "<div>\n<div>block</div>\n</div>"),
        ("LSAN0000X", "<div>block</div>"),
    ],
)
def test_block_takes_the_place_of_its_paragraph(html: str, joined: str) -> None:
    assert join_page(html, make_page(BLOCK)) == joined


@pytest.mark.parametrize(
    "html",
    [
        "<p>nothing</p>",
        "<p>LSAN0000X</p><p>LSAN0000X</p>",
        "<p>words LSAN0000X words</p>",
        "<pre><code>x\n\nLSAN0000X more</code></pre>",
        "<p>LSAN0000X\nwords</p>",
    ],
)
def test_block_that_was_swallowed_or_doubled_is_refused_with_its_line(html: str) -> None:
    with pytest.raises(SpliceError, match=r"^lessons/p/01-a\.md:12:1: ") as caught:
        join_page(html, make_page(BLOCK))
    problem = caught.value.problem
    assert (problem.path, problem.line, str(problem)) == ("lessons/p/01-a.md", 12, str(caught.value))


def test_value_stands_in_its_line_and_alone() -> None:
    assert join_page("<p>a LSAN0001X b</p>", make_page(VALUE)) == "<p>a <span>3 &lt; 4</span> b</p>"
    assert join_page("<p>LSAN0001X</p>", make_page(VALUE)) == "<p><span>3 &lt; 4</span></p>"


def test_html_that_names_another_token_is_not_read_again() -> None:
    echo = Block("LSAN0002X", "<p>LSAN0000X</p>", 3)
    assert join_page("<p>LSAN0002X</p>\n<p>LSAN0000X</p>", make_page(BLOCK, echo)).count("<div>block</div>") == 1


def test_backslashes_in_html_stay() -> None:
    assert join_page("<p>LSAN0000X</p>", make_page(Block("LSAN0000X", r"\1 \n", 1))) == r"\1 \n"
