# Pieces of a text give way to tokens at exactly the places that the parser named.
from __future__ import annotations

import pytest

from runner.lesson.values import InlineValue
from runner.pages.weave import Change, find_line, replace_lines, replace_value, weave_changes

TEXT = "one\n```x\ncode\n```\nfour `{=} a` end\n"


def test_lines_become_a_token_alone_in_its_paragraph() -> None:
    markdown, blocks = weave_changes("a.md", TEXT, [replace_lines(TEXT, 2, 4, "<b>", ("here",))])
    token = blocks[0].token
    assert markdown == f"one\n\n{token}\n\nfour `{{=}} a` end\n"
    assert (blocks[0].line, blocks[0].anchors, blocks[0].inline) == (2, ("here",), False)
    assert token.isalnum()


def test_removed_lines_leave_a_paragraph_break() -> None:
    assert weave_changes("a.md", TEXT, [replace_lines(TEXT, 2, 4, None)])[0] == "one\n\nfour `{=} a` end\n"


def test_insertion_keeps_every_line() -> None:
    markdown, blocks = weave_changes("a.md", TEXT, [replace_lines(TEXT, 1, 0, "<b>")])
    assert markdown == f"\n{blocks[0].token}\n\n{TEXT}"


def test_insertion_stands_before_what_begins_at_its_place() -> None:
    changes = [
        replace_lines(TEXT, 2, 4, "fence"),
        replace_lines(TEXT, 2, 1, "first"),
        replace_lines(TEXT, 2, 1, "then"),
    ]
    _, blocks = weave_changes("a.md", TEXT, changes)
    assert [block.html for block in blocks] == ["first", "then", "fence"]


def test_inline_value_keeps_its_line() -> None:
    value = InlineValue("a", 5, 6, "`{=} a`", 0)
    markdown, blocks = weave_changes("a.md", TEXT, [replace_value(TEXT, value, "3")])
    assert markdown.endswith(f"four {blocks[0].token} end\n")


def test_inline_value_at_another_place_is_a_breakage() -> None:
    with pytest.raises(ValueError, match="does not stand here"):
        replace_value(TEXT, InlineValue("a", 5, 7, "`{=} a`", 0), "3")


def test_overlapping_changes_are_a_breakage() -> None:
    with pytest.raises(ValueError, match=r"a\.md:3: two blocks overlap"):
        weave_changes("a.md", TEXT, [replace_lines(TEXT, 2, 4, "x"), replace_lines(TEXT, 3, 3, "y")])


def test_token_never_is_a_word_of_the_text() -> None:
    _, (block,) = weave_changes("a.md", TEXT, [Change(0, 0, 1, "")])
    _, (other,) = weave_changes("a.md", TEXT + block.token, [Change(0, 0, 1, "")])
    assert other.token != block.token


@pytest.mark.parametrize(("line", "position"), [(1, 0), (2, 4), (6, 35), (9, 35)])
def test_lines_are_found_by_number(line: int, position: int) -> None:
    assert find_line(TEXT, line) == position
