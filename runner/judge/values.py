# The values that judging reads and makes: what became of a job, and what that means.
# They stand below `jobs`, which fills an `Outcome`, and `pages`, which shows a verdict.
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner.lesson.problems import Problem


@dataclass(frozen=True, slots=True)
class Section:
    """What one part of a job (an example, a case) wrote."""

    stdout: str
    """Standard output, capped."""
    stderr: str
    """Standard error, capped."""
    dropped_bytes: int = 0
    """How much more was written than was kept."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job."""

    status: str
    """ok, error, exit, no-result, signal, timeout, memory-limit, output-limit, cancelled, supervisor-died, refused."""
    result: Mapping[str, Any] | None
    """The JSON object that the job answered; None without an answer."""
    sections: tuple[Section, ...]
    """What each section of the job wrote, in order; the last one may have been cut short."""
    detail: str
    """The limit that was met, the signal, the exit status; empty when ok."""
    seconds: float
    """Wall time of the job."""
    frames: tuple[tuple[str, int], ...] = ()
    """Files and lines of author code where it hung or crashed, innermost first."""

    @property
    def environment(self) -> Mapping[str, Any]:
        """Where the job ran; empty when it did not say."""
        found = (self.result or {}).get("environment")
        return found if isinstance(found, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Check:
    """One named comparison in a verdict."""

    id: str
    """report.<key>, contract.<name> or candidate.loads."""
    case: int | None
    """Number of the case, published ones first; None where no case is concerned."""
    status: str
    """passed, failed or not_run."""
    expected: Any
    """JSON value."""
    actual: Any
    """JSON value."""
    message: str
    """A sentence for the learner."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a candidate is worth (schema labsheet/verdict/1)."""

    task: str
    """`<path>/<slug>#<task>`."""
    status: str
    """passed, failed, error, timeout or skipped."""
    reason: str | None
    """Why, in a sentence, when it is not passed."""
    checks: tuple[Check, ...]
    """Every check that the spec implies."""
    reports: tuple[Mapping[str, Any] | None, ...]
    """The report of each published case, as replayed; None where there is none."""
    stdout: str
    """What the candidate printed."""
    environment: Mapping[str, Any]
    """Where it was judged."""
    seconds: float
    """Wall time of its jobs."""
    digest: str
    """sha256:<hex> of all that determines the verdict."""

    @property
    def failed(self) -> tuple[str, ...]:
        """Ids of the failed checks, each once, in order."""
        return tuple(dict.fromkeys(c.id for c in self.checks if c.status == "failed"))


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """What became of an example."""

    line: int
    """Line of its opening fence."""
    status: str
    """passed, failed, not_run or skipped (the machine lacks the device)."""
    stdout: str
    """What it wrote, as shown."""
    stderr: str
    """What it wrote to standard error."""
    dropped_bytes: int
    """How much of its output is not shown."""
    error: str | None
    """Last line of the traceback that it was expected to raise."""
    digest: str
    """sha256:<hex> of all that determines it."""
    stated: bool = False
    """Whether comments on its prints say all of its output already."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What became of a task's own candidates."""

    id: str
    """`<path>/<slug>#<task>`."""
    status: str
    """passed when the reference passes, the starter does not and each wrong one is caught; failed or skipped."""
    reference: Verdict
    """Of the reference."""
    starter: Verdict
    """Of the starter."""
    wrong: tuple[Verdict, ...]
    """Of each wrong solution, in order."""
    digest: str
    """sha256:<hex> of all that determines them."""


@dataclass(frozen=True, slots=True)
class LessonResult:
    """What became of a lesson."""

    examples: tuple[ExampleResult, ...]
    """In the order of the lesson's examples."""
    values: tuple[str, ...]
    """Text of each inline value, in order."""
    tasks: tuple[TaskResult, ...]
    """In the order of the lesson's tasks."""
    environment: Mapping[str, Any]
    """Where it ran."""
    problems: tuple[Problem, ...]
    """What its author has to mend."""


NOT_RUN = LessonResult((), (), (), {}, ())
"""The result of a lesson of which nothing has run."""
