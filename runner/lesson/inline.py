# Inline values: `{=} expression` in prose. CommonMark decides which code spans are real.
# One that only looks real (in an admonition, a comment, a heading) is a problem, not silently text.
from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from markdown_it.token import Token

from runner.lesson.fences import Scan
from runner.lesson.problems import ProblemLog
from runner.lesson.values import Example, InlineValue

VALUE = re.compile(r"(?<!`)`\{=\} (?P<expression>[^`\n]+)`(?!`)")
LONGER_SPAN = re.compile(r"(?<!`)(`{2,})(?!`).+?(?<!`)\1(?!`)")
LATER = re.compile(r"(?<!`)`\{assume\} [^`\n]+`(?!`)")


def find_values(text: str, scan: Scan, examples: list[Example], log: ProblemLog) -> tuple[InlineValue, ...]:
    """The inline values of a page, in order; `text` has its front matter blanked out."""
    blocks = _find_blocks(scan.tokens)
    found: list[InlineValue] = []
    counts: dict[int, int] = {}
    for number, row in enumerate(text.split("\n"), 1):
        if number in scan.covered:
            continue
        row = _blank_longer_spans(row)  # noqa: PLW2901  code spans that only show how a value is written
        for match in LATER.finditer(row):
            log.add(number, "`{assume}` is not supported yet", "Write the number plainly for now.", match.start() + 1)
        for match in VALUE.finditer(row):
            block = blocks.get(number)
            if block is not None:
                counts[block.line] = counts.get(block.line, 0) + 1
            if block is None or not block.spans:
                advice = "Put it into a paragraph of its own, outside comments, HTML and indented code."
                log.add(number, "this inline value would not be replaced", advice, match.start() + 1)
            elif not block.heading and (value := _read_value(match, number, examples, log)) is not None:
                found.append(value)
    _check_blocks(blocks, counts, log)
    return tuple(found)


def _check_blocks(blocks: Mapping[int, _Block], counts: Mapping[int, int], log: ProblemLog) -> None:
    """Code spans that begin with {=} and were not read as values; `counts` has the read ones by first line."""
    for block in {block.line: block for block in blocks.values()}.values():
        if block.heading and block.spans:
            log.add(block.line, "an inline value stands in a heading", "Say it in the paragraph below.")
        elif block.spans > counts.get(block.line, 0):
            advice = "Write `{=} expression` between single backticks, with one space, on one line."
            log.add(block.line, "an inline value of this paragraph cannot be read", advice)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of text as CommonMark sees it."""

    line: int
    """Its first line."""
    spans: int
    """How many of its code spans begin with {=} and hold more."""
    heading: bool
    """Whether it is a heading."""


def _blank_longer_spans(row: str) -> str:
    return LONGER_SPAN.sub(lambda match: " " * len(match[0]), row)


def _find_blocks(tokens: tuple[Token, ...]) -> dict[int, _Block]:
    """Line to the block that it belongs to."""
    blocks: dict[int, _Block] = {}
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.type != "inline" or token.map is None:
            continue
        texts = [child.content.strip() for child in token.children or () if child.type == "code_inline"]
        spans = sum(text.startswith("{=}") and text != "{=}" for text in texts)
        heading = before is not None and before.type == "heading_open"
        block = _Block(token.map[0] + 1, spans, heading)
        blocks |= dict.fromkeys(range(token.map[0] + 1, token.map[1] + 1), block)
    return blocks


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
