# The values that a lesson's text becomes: what every later stage reads.
# All are frozen; lines are those of the file, from 1. Over 300 lines, since they are one vocabulary and read together.
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DEFAULT_SESSION = "default"


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block at column 0 that carries tags."""

    language: str
    """The first word of the info string."""
    tags: Mapping[str, str | None]
    """Tag to value, in order; a bare word has None."""
    code: str
    """The text between the fence lines; not empty text ends with a newline."""
    line: int
    """Line of the opening fence."""
    end_line: int
    """Line of the closing fence."""

    @property
    def code_line(self) -> int:
        """Line in the file of the first line of code."""
        return self.line + 1


@dataclass(frozen=True, slots=True)
class PrintAssertion:
    """A comment behind a print that says what the print writes."""

    span: tuple[int, int, int, int]
    """The call in the code: line, column, end line, end column; lines from 1, columns in UTF-8 bytes from 0."""
    text: str
    """What the comment says."""

    @property
    def line(self) -> int:
        """Line in the fence's code where the comment stands, from 1."""
        return self.span[2]


@dataclass(frozen=True, slots=True)
class ExpectedOutput:
    """An output fence: the whole standard output of the example before it."""

    fence: Fence
    """Where it stands and what it says."""
    tolerance: float | None
    """Relative tolerance of the numbers in it; None compares text."""
    like: bool
    """Whether `...` in it matches anything."""
    measured: bool
    """Whether it is replaced by the real output."""


@dataclass(frozen=True, slots=True)
class Example:
    """A fence that is run and shown."""

    fence: Fence
    """Its code and place."""
    session: str
    """The process that it shares with other examples."""
    hide: bool
    """Run, not shown."""
    title: str | None
    """Shown above the code."""
    hl_lines: tuple[int, ...]
    """Highlighted lines, counted in the code as shown, from 1."""
    tab: str | None
    """Label of its content tab; consecutive examples with one are shown as tabs."""
    raises: tuple[str, str] | None
    """Name of the exception type that it must raise, and a text in its message."""
    prints: tuple[PrintAssertion, ...]
    """Comments that assert what a print writes."""
    expected: ExpectedOutput | None
    """What its whole standard output must be."""
    shown_code: str
    """The code without the lines that end in `# hide`."""


@dataclass(frozen=True, slots=True)
class InlineValue:
    """`{=} expression` in prose: replaced by its value."""

    expression: str
    """A Python expression, evaluated in the default session."""
    line: int
    """Line in the file."""
    column: int
    """Column of the opening backtick, from 1."""
    source: str
    """The code span as written, backticks included."""
    after: int
    """How many examples of the default session stand above it."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A known-wrong solution: it must fail, by the check that it declares."""

    id: str
    """Unique in its task."""
    fails: str
    """Id of the check that must be among the failed ones, or `error`."""
    because: str
    """Markdown from its leading comment lines: why it tempts and why it is wrong."""
    fence: Fence
    """Its code and place; a complete file."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a learner must write, with all that judges it."""

    id: str
    """Kebab-case, unique in the lesson."""
    title: str
    """Shown as the panel's heading."""
    function: str
    """Name of the candidate: the starter's one public function."""
    signature: str
    """The candidate's `def` line, without the colon."""
    statement: str
    """Markdown: what the learner reads before the spec."""
    statement_line: int
    """Line of the file where the statement starts."""
    spec: Mapping[str, Any]
    """The spec as written, checked against `task.schema.json`."""
    cases: tuple[Mapping[str, Any], ...]
    """The published cases, as written: name to value, a tensor as {tensor, dtype}."""
    random: int
    """How many unpublished cases are drawn."""
    tolerance: Mapping[str, float]
    """Report key to relative tolerance."""
    contract: tuple[str, ...]
    """Names to add, or with a leading minus to drop."""
    inout: tuple[str, ...]
    """Parameters of the candidate that may change."""
    timeout_s: float
    """Seconds for one case."""
    device: str
    """any, cpu or cuda."""
    memory_bytes: int | None
    """The most memory that a job may take."""
    report_schema: Mapping[str, Any]
    """JSON Schema of a report: the spec's, or inferred from the expected reports."""
    expected_reports: tuple[Mapping[str, Any], ...]
    """The report of each published case, in order."""
    spec_fence: Fence
    """The spec's place."""
    starter: Fence
    """What the learner starts from."""
    checker: Fence
    """Defines check(candidate, **case)."""
    expected: Fence
    """The expected reports' place."""
    reference: Fence
    """The solution that passes everything."""
    inputs: Fence | None
    """Defines inputs(rng, device)."""
    wrong: tuple[Wrong, ...]
    """Known-wrong solutions, in order."""
    hints: tuple[Fence, ...]
    """Markdown hints, in order."""

    @property
    def fences(self) -> tuple[Fence, ...]:
        """Every fence of the task, the spec first."""
        rest = [self.starter, self.checker, self.expected, self.reference]
        rest += [] if self.inputs is None else [self.inputs]
        rest += [*(wrong.fence for wrong in self.wrong), *self.hints]
        return (self.spec_fence, *sorted(rest, key=lambda fence: fence.line))


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a learner commits before the truth is shown."""

    id: str
    """Kebab-case, unique in the lesson."""
    spec: Mapping[str, Any]
    """As written, checked against `predict.schema.json`."""
    fence: Fence
    """Its place."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question for retrieval, with choices or a model answer."""

    id: str
    """Kebab-case, unique in the lesson."""
    spec: Mapping[str, Any]
    """As written, checked against `question.schema.json`."""
    fence: Fence
    """Its place."""


@dataclass(frozen=True, slots=True)
class NotRun:
    """Python that is shown and not run, with the reason."""

    reason: str
    """Why it is not run."""
    fence: Fence
    """Its code and place."""


Part = Example | Task | Prediction | Question | NotRun


@dataclass(frozen=True, slots=True)
class Planned:
    """A step of a path that is not written yet."""

    step: int
    """Its number in the path."""
    title: str
    """What it will be about."""


@dataclass(frozen=True, slots=True)
class Path:
    """An ordered folder of lessons."""

    id: str
    """The folder's name."""
    source: str
    """POSIX path of its index.md, relative to the course."""
    title: str
    """Shown as its heading."""
    summary: str
    """One sentence."""
    order: float
    """Its place among the paths."""
    audience: str | None
    """For whom it is."""
    planned: tuple[Planned, ...]
    """Steps to come."""
    body: str
    """Markdown below the front matter."""
    body_line: int
    """Line of the file where the body starts."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A Markdown file: what its author wrote, as values."""

    id: str
    """`<path>/<slug>`; for a page under docs/ `docs/<page>`."""
    source: str
    """POSIX path of the file, relative to the course."""
    path_id: str
    """The path that it belongs to; `docs` for a page under docs/."""
    slug: str
    """Its name in addresses."""
    step: int
    """Its place in the path, from 1; 0 for a page under docs/."""
    title: str
    """Its heading."""
    summary: str
    """One sentence."""
    difficulty: str
    """easy, medium or hard; empty for a page under docs/."""
    topic: str
    """Its category."""
    minutes: int
    """Reading and doing, in minutes."""
    needs: tuple[str, ...]
    """Ids of lessons that come first."""
    tags: tuple[str, ...]
    """Free words for the tags page."""
    files: tuple[str, ...]
    """Data files beside the lesson that its jobs may read."""
    timeout_s: float
    """Seconds for its examples together."""
    device: str
    """any, cpu or cuda."""
    text: str
    """The whole file: LF line ends, no byte order mark."""
    body_line: int
    """Line of the file where the Markdown below the front matter starts."""
    parts: tuple[Part, ...]
    """Everything tagged, in the order of the file."""
    values: tuple[InlineValue, ...]
    """Inline values, in the order of the file."""

    @property
    def examples(self) -> tuple[Example, ...]:
        """Its examples, in order."""
        return tuple(part for part in self.parts if isinstance(part, Example))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Its tasks, in order."""
        return tuple(part for part in self.parts if isinstance(part, Task))
