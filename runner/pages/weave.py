# Makes a page's Markdown: pieces of a lesson's text give way to tokens, and the tokens' HTML is kept aside.
# CommonMark decided where the pieces are; whatever the site's Markdown does, it meets plain words only.
from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from runner.lesson.values import InlineValue
from runner.pages.values import Block


@dataclass(frozen=True, slots=True)
class Change:
    """One piece of the text and what takes its place."""

    start: int
    """Where the piece starts in the text, in characters."""
    end: int
    """Where it ends; equal to `start` for an insertion."""
    line: int
    """Line of the file that the piece comes from."""
    html: str | None
    """What a reader sees instead; None removes the piece."""
    inline: bool = False
    """Whether it stands in a line of prose."""
    anchors: tuple[str, ...] = ()
    """Ids in `html` that links may name."""


def replace_lines(text: str, first: int, last: int, html: str | None, anchors: tuple[str, ...] = ()) -> Change:
    """A change of whole lines, from 1; `last = first - 1` inserts before `first`."""
    start, end = find_line(text, first), find_line(text, last + 1)
    return Change(start, end, first, html, anchors=anchors)


def replace_value(text: str, value: InlineValue, html: str) -> Change:
    """A change of an inline value; raises `ValueError` when it is not where it says."""
    start = find_line(text, value.line) + value.column - 1
    end = start + len(value.source)
    if text[start:end] != value.source:
        raise ValueError(f"line {value.line}, column {value.column}: {value.source} does not stand here")
    return Change(start, end, value.line, html, inline=True)


def find_line(text: str, line: int) -> int:
    """Where a line starts, in characters; the end of the text for a line after the last."""
    position = 0
    for _ in range(line - 1):
        position = text.find("\n", position) + 1
        if position == 0:
            return len(text)
    return position


def weave_changes(source: str, text: str, changes: Iterable[Change], start: int = 0) -> tuple[str, tuple[Block, ...]]:
    """The text from `start` on with its changes made, and their blocks; raises `ValueError` when two overlap.

    Insertions stand before what begins at their place, those of one place in the order given.
    """
    prefix = _choose_prefix(source, text)
    pieces: list[str] = []
    blocks: list[Block] = []
    position = start
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        if change.start < position:
            raise ValueError(f"{source}:{change.line}: two blocks overlap")
        pieces.append(text[position : change.start])
        position = change.end
        if change.html is None:
            pieces.append("\n")
            continue
        token = f"{prefix}N{len(blocks):04d}X"
        pieces.append(token if change.inline else f"\n{token}\n\n")
        blocks.append(Block(token, change.html, change.line, change.inline, change.anchors))
    return "".join([*pieces, text[position:]]), tuple(blocks)


def _choose_prefix(source: str, text: str) -> str:
    """Letters and digits that the text does not hold; the same in each build, since heading ids may hold them."""
    salt = ""
    while True:
        prefix = "LS" + hashlib.sha256(f"{source}{salt}".encode()).hexdigest()[:10].upper()
        if prefix not in text:
            return prefix
        salt += "+"
