# Test cases as documents: `## title`, the input between lines of four tildes, the expected text after it likewise.
# `pytest --update-goldens` rewrites the expected texts; it is refused where CI is set.
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases"
CASE = re.compile(
    r"^## (?P<title>[^\n]+)\n\n~~~~\n(?P<input>.*?)~~~~\n\n~~~~\n(?P<expected>.*?)~~~~\n", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Case:
    """One case of a document."""

    title: str
    input: str
    expected: str


def read_cases(name: str) -> list[Case]:
    """The cases of `tests/cases/<name>.md`; none at all is an error."""
    cases = [
        Case(m["title"], m["input"], m["expected"]) for m in CASE.finditer((CASES / f"{name}.md").read_text("utf-8"))
    ]
    assert cases, f"{name}.md holds no case"
    titles = [case.title for case in cases]
    assert len(set(titles)) == len(titles), f"two cases of {name}.md have one title"
    return cases


def update_cases(name: str, compute: Callable[[Case], str]) -> None:
    """Rewrites the expected text of every case."""
    file = CASES / f"{name}.md"

    def replace(match: re.Match[str]) -> str:
        case = Case(match["title"], match["input"], match["expected"])
        return f"## {case.title}\n\n~~~~\n{case.input}~~~~\n\n~~~~\n{compute(case)}~~~~\n"

    file.write_text(CASE.sub(replace, file.read_text("utf-8")), encoding="utf-8")


def ids(cases: list[Case]) -> Iterator[str]:
    """Titles as test ids."""
    return (case.title for case in cases)
