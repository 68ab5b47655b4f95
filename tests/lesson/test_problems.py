# What authors get wrong, as documents: each lesson text with the problems that it must give.
# A case whose lesson has no problem says so, so that nothing passes by being empty.
from __future__ import annotations

import pytest
from case_files import Case, ids, read_cases, update_cases

from runner.lesson.parse import Origin, parse_lesson

FRONT = "---\ntitle: T\nsummary: S\n---\n"
ORIGIN = Origin("lessons/p/01-x.md", "p", "x", 1)
NAME = "lesson_problems"


def find_problems(case: Case) -> str:
    text = case.input if case.input.startswith(("---", "no front matter")) else FRONT + case.input
    text = text.replace("⇥", "\t").replace("␍", "\r").replace("␀", "\0")
    _, problems = parse_lesson(text.encode("utf-8"), ORIGIN)
    return "".join(f"{problem}\n" for problem in problems) or "no problem\n"


def test_update(update_goldens: bool) -> None:
    if update_goldens:
        update_cases(NAME, find_problems)
    assert read_cases(NAME)


@pytest.mark.parametrize("case", read_cases(NAME), ids=ids(read_cases(NAME)))
def test_problems(case: Case) -> None:
    assert find_problems(case) == case.expected
