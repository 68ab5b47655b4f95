# Inline values: `{=} expression` in prose. CommonMark decides which code spans are real.
# One that only looks real (in an admonition, a comment, a heading) is a problem, not silently text.
from __future__ import annotations

import ast
import re

from markdown_it.token import Token

from runner.lesson.fences import Scan
from runner.lesson.problems import ProblemLog
from runner.lesson.values import Example, InlineValue

VALUE = re.compile(r"(?<!`)`\{=\} (?P<expression>[^`\n]+)`(?!`)")
LONGER_SPAN = re.compile(r"(?<!`)(`{2,})(?!`).+?(?<!`)\1(?!`)")
LATER = re.compile(r"(?<!`)`\{assume\} [^`\n]+`(?!`)")


def find_values(text: str, scan: Scan, examples: list[Example], log: ProblemLog) -> tuple[InlineValue, ...]:
    """The inline values of a page, in order; `text` has its front matter blanked out."""
    real, in_headings = _find_span_lines(scan.tokens)
    found: list[InlineValue] = []
    for number, row in enumerate(text.split("\n"), 1):
        if number in scan.covered:
            continue
        row = _blank_longer_spans(row)  # noqa: PLW2901  code spans that only show how a value is written
        for match in LATER.finditer(row):
            log.add(number, "`{assume}` is not supported yet", "Write the number plainly for now.", match.start() + 1)
        for match in VALUE.finditer(row):
            if number in in_headings:
                log.add(number, "an inline value stands in a heading", "Say it in the paragraph below.")
            elif number not in real:
                advice = "Put it into a paragraph of its own, outside comments, HTML and indented code."
                log.add(number, "this inline value would not be replaced", advice, match.start() + 1)
            elif (value := _read_value(match, number, examples, log)) is not None:
                found.append(value)
    return tuple(found)


def _blank_longer_spans(row: str) -> str:
    return LONGER_SPAN.sub(lambda match: " " * len(match[0]), row)


def _find_span_lines(tokens: tuple[Token, ...]) -> tuple[set[int], set[int]]:
    """Lines of blocks in which CommonMark sees every value that the text shows, and lines of headings."""
    real: set[int] = set()
    in_headings: set[int] = set()
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.type != "inline" or token.map is None:
            continue
        lines = range(token.map[0] + 1, token.map[1] + 1)
        spans = [c for c in token.children or () if c.type == "code_inline" and c.content.startswith("{=} ")]
        if before is not None and before.type == "heading_open":
            in_headings.update(lines)
        elif len(spans) == len(VALUE.findall(_blank_longer_spans(token.content))):
            real.update(lines)
    return real, in_headings


def _read_value(match: re.Match[str], line: int, examples: list[Example], log: ProblemLog) -> InlineValue | None:
    expression = match["expression"].strip()
    try:
        ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError) as error:
        log.add(line, f"not a Python expression: `{expression}` ({error})", "Mend the expression.", match.start() + 1)
        return None
    after = sum(example.session == "default" and example.fence.line < line for example in examples)
    if not after:
        log.add(line, "no example stands above this inline value", "Move it below the example that it needs.")
        return None
    return InlineValue(expression, line, match.start() + 1, match[0], after)
