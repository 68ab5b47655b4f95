# Comments on prints are assertions: finds them in the code, and decides whether a text agrees with one.
# Static here, by syntax tree and tokens; the child notes what each print wrote by its caller's place.
from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterator

from runner.lesson.problems import ProblemLog
from runner.lesson.values import Fence, PrintAssertion

HIDE = re.compile(r"#\s*hide\s*$")
ADVICE = "Give the print a line of its own with the comment last, or begin the comment with `# note:`."


def read_comments(code: str) -> dict[int, tuple[int, str]]:
    """Line (from 1) to column and text of the comment that ends it; empty for code that cannot be tokenized."""
    found: dict[int, tuple[int, str]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = (token.start[1], token.string)
    except (tokenize.TokenError, SyntaxError):
        return found
    return found


def find_assertions(fence: Fence, tree: ast.Module, log: ProblemLog) -> tuple[PrintAssertion, ...]:
    """The asserted prints of a fence, in order; a comment that could belong to two prints is a problem."""
    calls = _find_prints(tree)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    lines = fence.code.split("\n")
    found: list[PrintAssertion] = []
    for line, (column, comment) in read_comments(fence.code).items():
        here = [call for call in calls if call.end_lineno == line]
        text = HIDE.sub("", comment).lstrip("#").strip()
        if not here or not text or text.startswith("note:"):
            continue
        call = here[0]
        assert call.end_lineno is not None
        assert call.end_col_offset is not None
        before = lines[line - 1][:column].encode()
        tail = before[max(c.end_col_offset or 0 for c in here) :].decode().strip()
        if len(here) > 1 or id(call) not in statements or tail or _shares_line(call, tree):
            log.add(fence.line + line, "this comment asserts no print that stands alone", ADVICE, column + 1)
            continue
        found.append(PrintAssertion((call.lineno, call.col_offset, call.end_lineno, call.end_col_offset), text))
    return tuple(sorted(found, key=lambda assertion: assertion.span))


def _find_prints(tree: ast.Module) -> list[ast.Call]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def _shares_line(call: ast.Call, tree: ast.Module) -> bool:
    """Whether another statement begins on the print's last line after it (`print(1); x = 2`)."""
    end = (call.end_lineno or 0, call.end_col_offset or 0)
    return any((node.lineno, node.col_offset) >= end and node.lineno == end[0] for node in _statements(tree))


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def drop_hidden_lines(code: str) -> str:
    """The code without the lines whose comment is `# hide`."""
    comments = read_comments(code)
    hidden = {line for line, (_, text) in comments.items() if HIDE.search(text)}
    rows = code.split("\n")
    return "\n".join(row for number, row in enumerate(rows, 1) if number not in hidden)


def text_agrees(comment: str, wrote: str) -> bool:
    """Whether what a print wrote is what its comment says: the text, its lines joined, or an equal literal."""
    wrote = wrote.removesuffix("\n")
    rows = "\n".join(row.rstrip() for row in wrote.split("\n"))
    flat = re.sub(r"[ \t]*\n[ \t]*", " ", wrote).strip()
    if comment in (rows.strip(), rows, flat):
        return True
    try:
        said, got = ast.literal_eval(comment), ast.literal_eval(flat)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return same_literal(said, got)


def same_literal(a: object, b: object) -> bool:
    """Equal literals of the same types throughout: 1 is neither True nor 1.0, and 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same_literal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return _same_members(a, b) and all(same_literal(a[key], b[key]) for key in a)
    if isinstance(a, set) and isinstance(b, set):
        return _same_members(a, b)
    return repr(a) == repr(b) if isinstance(a, float | complex) else a == b


def _same_members(a: Collection[object], b: Collection[object]) -> bool:
    """Members (or keys) that are equal and of the same types, in any order."""
    return len(a) == len(b) and sorted(map(repr, a)) == sorted(map(repr, b))
