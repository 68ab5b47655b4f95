# Compares what an example wrote with what its output fence says: as text, with `...`, or by numbers.
# Linear in the length of the texts, whatever they hold.
from __future__ import annotations

import difflib
import re

from runner.lesson.values import ExpectedOutput

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MOST_ROWS = 16


def output_agrees(expected: ExpectedOutput, wrote: str) -> bool:
    """Whether a standard output is what the fence says."""
    said, got = trim_rows(expected.fence.code), trim_rows(wrote)
    if expected.measured or said == got:
        return True
    if expected.like:
        return matches_like(said, got)
    if expected.tolerance is not None:
        return matches_numbers(said, got, expected.tolerance)
    return False


def trim_rows(text: str) -> str:
    """The text without trailing blanks on its lines and without final newlines."""
    return "\n".join(row.rstrip() for row in text.split("\n")).rstrip("\n")


def matches_like(pattern: str, text: str) -> bool:
    """Whether the text is the pattern, in which `...` stands for anything."""
    first, *middle = pattern.split("...")
    if not middle:
        return pattern == text
    last = middle.pop()
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def matches_numbers(said: str, got: str, tolerance: float) -> bool:
    """Whether two texts differ in nothing but numbers, and those by at most `tolerance` of the larger one."""
    if NUMBER.sub("0", said) != NUMBER.sub("0", got):
        return False
    pairs = zip(NUMBER.findall(said), NUMBER.findall(got), strict=True)
    return all(_is_close(float(a), float(b), tolerance) for a, b in pairs)


def _is_close(a: float, b: float, tolerance: float) -> bool:
    return a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


def show_difference(said: str, got: str) -> str:
    """The lines that differ: `-` stated, `+` measured; capped."""
    rows = list(difflib.ndiff(trim_rows(said).split("\n")[:200], trim_rows(got).split("\n")[:200]))
    rows = [row.rstrip()[:200] for row in rows if row[:1] in "-+"]
    more = [f"… {len(rows) - MOST_ROWS} more lines"] if len(rows) > MOST_ROWS else []
    return "\n".join(rows[:MOST_ROWS] + more)
