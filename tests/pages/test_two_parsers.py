# The two Markdown parsers on awkward fences, as a table: CommonMark decides when the lesson is read, Python-Markdown
# renders the page. For each input they must agree (each fence found, each token swapped once) or the lesson is refused.
from __future__ import annotations

import re

import markdown
import pytest

from runner.judge.values import LessonResult
from runner.lesson.parse import Origin, parse_lesson
from runner.pages.lesson import render_lesson
from runner.pages.outline import Outline
from runner.pages.splice import join_page

FRONT = "---\ntitle: T\nsummary: S\n---\n\n"
TAG = "```python {example}\nx = 1\n```\n"
EXTENSIONS = [
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.tabbed",
]
AGREE, REFUSE = "agree", "refuse"
INPUTS: dict[str, tuple[str, str, int]] = {
    # name: input, what must happen, how many examples where they agree
    "plain": (TAG, AGREE, 1),
    "tilde": ("~~~python {example}\nx = 1\n~~~\n", AGREE, 1),
    "four backticks": ("````python {example}\nx = 1\n````\n", AGREE, 1),
    "two in a row": (TAG + TAG, AGREE, 2),
    "interrupts a paragraph": ("text\n" + TAG + "text\n", AGREE, 1),
    "right below a heading": ("## A\n" + TAG + "## B\n", AGREE, 1),
    "setext underline below": (TAG + "---\n", AGREE, 1),
    "nested in a longer fence": ("````markdown\n" + TAG + "````\n", AGREE, 0),
    "nested in a longer tilde fence": ("~~~~text\n" + TAG + "~~~~\n\n" + TAG, AGREE, 1),
    "indented one": (" " + TAG.replace("\n", "\n ").rstrip(" "), REFUSE, 0),
    "indented three": ("   " + TAG.replace("\n", "\n   ").rstrip(" "), REFUSE, 0),
    "indented four": ("text\n\n    " + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "indented by a tab": ("text\n\n\t" + TAG.replace("\n", "\n\t").rstrip("\t"), REFUSE, 0),
    "CRLF": (TAG.replace("\n", "\r\n"), AGREE, 1),
    "blanks behind the closing line": ("```python {example}\nx = 1\n```   \n", AGREE, 1),
    "closing line longer": ("```python {example}\nx = 1\n````\n", REFUSE, 0),
    "closing line shorter": ("````python {example}\nx = 1\n```\n", REFUSE, 0),
    "closing line indented": ("```python {example}\nx = 1\n ```\n", REFUSE, 0),
    "closing line indented four": ("```python {example}\nx = 1\n    ```\n", REFUSE, 0),
    "closing line of the other kind": ("```python {example}\nx = 1\n~~~\n", REFUSE, 0),
    "closing line with words": ("```python {example}\nx = 1\n``` end\n", REFUSE, 0),
    "never closed": ("```python {example}\nx = 1\n", REFUSE, 0),
    "on the line of a bullet": ("- " + TAG.replace("\n", "\n  ").rstrip(" "), REFUSE, 0),
    "in a bullet, two blanks": ("- a\n\n  " + TAG.replace("\n", "\n  ").rstrip(" "), REFUSE, 0),
    "in a bullet, four blanks": ("- a\n\n    " + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "in a number, three blanks": ("1. a\n\n   " + TAG.replace("\n", "\n   ").rstrip(" ") + "\n2. b\n", REFUSE, 0),
    "in a bullet, a tab": ("- a\n\n\t" + TAG.replace("\n", "\n\t").rstrip("\t"), REFUSE, 0),
    "below a list": ("- a\n- b\n\n" + TAG + "\ntext\n", AGREE, 1),
    "between two items": ("1. a\n\n" + TAG + "\n2. b\n", AGREE, 1),
    "in a quote": ("> " + TAG.replace("\n", "\n> ").rstrip("> ") + "\n", REFUSE, 0),
    "in a quote, closed lazily": ("> ```python {example}\n> x = 1\n```\n", REFUSE, 0),
    "in a nested quote": ("> > ```python {example}\n> > x = 1\n> > ```\n", REFUSE, 0),
    "below a quote": ("> a\n\n" + TAG, AGREE, 1),
    "right below a quote": ("> a\n" + TAG, AGREE, 1),
    "in an admonition": ("!!! note\n\n    " + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "in a folded admonition": ("??? note\n    " + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "in a content tab": ('=== "A"\n\n    ' + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "below an admonition": ("!!! note\n    text\n\n" + TAG, AGREE, 1),
    "in a footnote": ("a[^1]\n\n[^1]:\n    " + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "in a definition": ("a\n:   b\n\n    " + TAG.replace("\n", "\n    ").rstrip(" "), REFUSE, 0),
    "in a div": ("<div>\n" + TAG + "</div>\n", REFUSE, 0),
    "in a div with blank lines": ("<div>\n\n" + TAG + "\n</div>\n", AGREE, 1),
    "in a div for Markdown": ('<div markdown="1">\n\n' + TAG + "\n</div>\n", AGREE, 1),
    "in pre": ("<pre>\n" + TAG + "</pre>\n", REFUSE, 0),
    "in script": ("<script>\n" + TAG + "</script>\n", REFUSE, 0),
    "in a comment": ("<!--\n" + TAG + "-->\n", REFUSE, 0),
    "in a comment with blank lines": ("<!--\n\n" + TAG + "\n-->\n", REFUSE, 0),
    "below an unclosed comment": ("<!-- a\n\n" + TAG, REFUSE, 0),
    "below a closed comment": ("<!-- a -->\n\n" + TAG, AGREE, 1),
    "attribute list": ("```{.python .example}\nx = 1\n```\n", REFUSE, 0),
    "attribute list behind a language": ("```python {.example #a}\nx = 1\n```\n", REFUSE, 0),
    "bare word": ("```python example\nx = 1\n```\n", REFUSE, 0),
    "unquoted value": ("```python {example title=a}\nx = 1\n```\n", REFUSE, 0),
    "unknown key": ('```python {example zebra="a"}\nx = 1\n```\n', REFUSE, 0),
    "colon and file": ("```python:a.py\nx = 1\n```\n", REFUSE, 0),
    "two blanks before the brace": ("```python  {example}\nx = 1\n```\n", REFUSE, 0),
    "no blank before the brace": ("```python{example}\nx = 1\n```\n", REFUSE, 0),
    "blanks before the language": ("``` python {example}\nx = 1\n```\n", AGREE, 1),
    "backtick in the info string": ('```python {example title="`"}\nx = 1\n```\n', REFUSE, 0),
    "backtick in the info string of a tilde fence": ('~~~python {example title="`"}\nx = 1\n~~~\n', AGREE, 1),
    "entity in a value": ('```python {example title="&quot;"}\nx = 1\n```\n', AGREE, 1),
    "brace in a value": ('```python {example title="{a}"}\nx = 1\n```\n', AGREE, 1),
    "three backticks in the code": ('~~~python {example}\ns = """\n```\n"""\n~~~\n', AGREE, 1),
    "tilde line in the code": ("```python {example}\ns = '''\n~~~\n'''\n```\n", AGREE, 1),
    "heading in the code": ("```python {example}\n# a heading?\nx = 1\n```\n", AGREE, 1),
    "blank lines round the code": ("```python {example}\n\n\nx = 1\n\n\n```\n", AGREE, 1),
    "tab in the code": ("```python {example}\nif True:\n\tx = 1\n```\n", AGREE, 1),
    "an ordinary fence that only CommonMark reads": ("```text a: b\nx\n```\n\n" + TAG, REFUSE, 0),
    "an ordinary fence closed longer": ("```text\nx\n`````\n\n" + TAG, REFUSE, 0),
    "an ordinary fence never closed": (TAG + "\n```text\nx\n", REFUSE, 0),
    "an ordinary fence in a bullet": ("- a\n\n    ```text\n    x\n    ```\n\n" + TAG, AGREE, 1),
    "an ordinary fence in a tab": ('=== "A"\n\n    ```text\n    x\n    ```\n\n' + TAG, AGREE, 1),
    "inline code that begins a line": ("```x``` is code\n\n" + TAG, AGREE, 1),
    "an unclosed paragraph of HTML": ("<p>\n\n" + TAG, AGREE, 1),
    "a token look-alike in the text": ("LS0123456789N0000X\n\n" + TAG, AGREE, 1),
}


@pytest.mark.parametrize("name", INPUTS)
def test_parsers_agree_or_the_lesson_is_refused(name: str) -> None:
    body, wanted, count = INPUTS[name]
    lesson, problems = parse_lesson((FRONT + body).encode(), Origin("lessons/p/01-x.md", "p", "x", 1))

    assert (AGREE if problems == () else REFUSE) == wanted, problems
    if wanted == REFUSE:
        assert all(problem.line > 5 for problem in problems)
        return
    assert len(lesson.examples) == count
    page = render_lesson(lesson, LessonResult((), ("",) * 0, (), {}, ()), Outline(()))
    text = page.markdown.split("---\n", 2)[2]
    html = join_page(markdown.markdown(text, extensions=EXTENSIONS), page)
    blocks = re.findall(r'class="ls-block ls-example"', html)
    assert len(blocks) == count
    assert not re.search(r"LS[0-9A-F]{10}N\d{4}X", html.replace("LS0123456789N0000X", ""))


def test_the_table_has_what_was_compared() -> None:
    assert len(INPUTS) >= 65
    assert {wanted for _, wanted, _ in INPUTS.values()} == {AGREE, REFUSE}
