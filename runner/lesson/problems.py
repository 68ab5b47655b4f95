# A mistake of an author is data: a `Problem` with a place, a reason and a remedy.
# Stages collect problems and go on; only the edges (the site, the command) stop for them.
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that an author has to mend."""

    path: str
    """POSIX path of the file, relative to the folder of the course."""
    line: int
    """Line in the file, from 1."""
    column: int
    """Column in the line, from 1."""
    message: str
    """What is wrong; further lines may show a traceback or a difference."""
    advice: str
    """What to do about it."""

    def __str__(self) -> str:
        first, *more = self.message.split("\n")
        rows = [f"{self.path}:{self.line}:{self.column}: {first}", *more]
        return "\n    ".join([*rows, *self.advice.split("\n")])


class ProblemLog:
    """Collects the problems of one file, so that a parser can go on after each."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._problems: list[Problem] = []

    def add(self, line: int, message: str, advice: str, column: int = 1) -> None:
        """Notes a problem at a line and column (both from 1)."""
        self._problems.append(Problem(self.path, line, column, message, advice))

    @property
    def count(self) -> int:
        """How many were noted so far: a part is without fault when this stays the same."""
        return len(self._problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was noted so far, each once, sorted by place."""
        return tuple(sorted(set(self._problems)))


def format_problems(problems: Iterable[Problem]) -> str:
    """All problems sorted by file and line, then their number."""
    rows = sorted(set(problems))
    count = "1 problem" if len(rows) == 1 else f"{len(rows)} problems"
    return "\n".join([*(str(row) for row in rows), count])
