# The text of a file becomes a `Lesson` or a `Path`: every stage of the room in its order.
# A parser never stops at a fault: it notes it and reads on, so that one run shows them all.
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from markdown_it.token import Token

from runner.lesson.examples import attach_output, read_example, read_norun
from runner.lesson.fences import Scan, kind_of, scan_fences
from runner.lesson.front_matter import FrontMatter, split_front_matter
from runner.lesson.inline import find_values
from runner.lesson.problems import Problem, ProblemLog
from runner.lesson.questions import check_references, read_prediction, read_question
from runner.lesson.source import decode_source
from runner.lesson.tasks import TaskFences, add_fence, build_task
from runner.lesson.values import Example, Fence, Lesson, Part, Path, Planned, Prediction, Question, Task

FILE_NAME = re.compile(r"^(?P<step>\d\d)-(?P<slug>[a-z0-9]+(?:-[a-z0-9]+)*)\.md$")
DEFAULT_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a page comes from: what its path on disk says about it."""

    source: str
    """POSIX path of the file, relative to the course."""
    path_id: str
    """Its path; `docs` for a page under docs/."""
    slug: str
    """Its name in addresses."""
    step: int
    """Its place in the path; 0 for a page under docs/."""

    @property
    def is_lesson(self) -> bool:
        """Whether it is a lesson, not a page under docs/."""
        return self.step > 0


def parse_lesson(
    data: bytes, origin: Origin, default_timeout_s: float = DEFAULT_TIMEOUT_S
) -> tuple[Lesson, tuple[Problem, ...]]:
    """The lesson in the bytes of a file, as far as it could be read, and every problem in it."""
    log = ProblemLog(origin.source)
    text = decode_source(data, log)
    if text is None:
        return _make_lesson(origin, "", FrontMatter(None, 1, ""), default_timeout_s), log.problems
    front = split_front_matter(text, "lesson.schema" if origin.is_lesson else None, log)
    scan = scan_fences(front.body, log, strict=origin.is_lesson)
    if origin.is_lesson:
        _check_headings(front.body, scan, log)
    parts = _Reader(front, scan, log).read()
    values = find_values(front.body, scan, [part for part in parts if isinstance(part, Example)], log)
    lesson = _make_lesson(origin, text, front, default_timeout_s)
    return replace(lesson, parts=parts, values=values), log.problems


def _make_lesson(origin: Origin, text: str, front: FrontMatter, default_timeout_s: float) -> Lesson:
    said = front.document.value if front.document and isinstance(front.document.value, dict) else {}
    return Lesson(
        id=f"{origin.path_id}/{origin.slug}",
        source=origin.source,
        path_id=origin.path_id,
        slug=origin.slug,
        step=origin.step,
        title=str(said.get("title", origin.slug)),
        summary=str(said.get("summary", "")),
        difficulty=said.get("difficulty", "") if origin.is_lesson else "",
        topic=said.get("topic", "") if origin.is_lesson else "",
        minutes=said.get("minutes", 0) if origin.is_lesson else 0,
        needs=tuple(said.get("needs", ())) if origin.is_lesson else (),
        tags=tuple(said.get("tags", ())) if origin.is_lesson else (),
        files=tuple(said.get("files", ())) if origin.is_lesson else (),
        timeout_s=float(said.get("timeout", default_timeout_s)) if origin.is_lesson else default_timeout_s,
        device=said.get("device", "any") if origin.is_lesson else "any",
        text=text,
        body_line=front.body_line,
        parts=(),
        values=(),
    )


def _check_headings(body: str, scan: Scan, log: ProblemLog) -> None:
    for token in scan.tokens:
        if token.type == "heading_open" and token.tag == "h1" and token.map is not None:
            advice = "The title is the heading; begin sections with `##`."
            log.add(token.map[0] + 1, "a lesson has no level-1 heading of its own", advice)
    for number, row in enumerate(body.split("\n"), 1):
        if number not in scan.covered and re.match(r"#{1,6}[^#\s]", row):
            log.add(
                number, "a heading needs a space after its marks", "Write `## Title`, or `\\#` for the sign itself."
            )


class _Reader:
    """Reads the tagged fences of one page in their order."""

    def __init__(self, front: FrontMatter, scan: Scan, log: ProblemLog) -> None:
        self._lines = front.body.split("\n")
        self._body_line, self._scan, self._log = front.body_line, scan, log
        self._headings = [_end_line(t) for t in scan.tokens if t.type == "heading_open" and not t.level]
        self._parts: list[Part] = []
        self._tasks: list[TaskFences] = []
        self._last: Fence | None = None
        self._last_example: int | None = None

    def read(self) -> tuple[Part, ...]:
        """Every part of the page, in the order of the file."""
        for fence in self._scan.fences:
            self._take(fence, kind_of(fence))
            self._last = fence
        for gathered in self._tasks:
            task = build_task(gathered, self._log)
            if task is not None:
                self._parts.append(task)
        self._check_ids()
        return tuple(sorted(self._parts, key=_part_line))

    def _take(self, fence: Fence, kind: str) -> None:
        example_above, self._last_example = self._last_example, None
        part: Part | None = None
        match kind:
            case "example":
                part = read_example(fence, self._log)
                self._last_example = len(self._parts) if part else None
            case "output":
                self._take_output(fence, example_above)
            case "norun":
                part = read_norun(fence, self._log)
            case "predict":
                part = read_prediction(fence, self._log)
            case "question":
                part = read_question(fence, self._log)
            case "task":
                self._tasks.append(self._begin_task(fence))
            case _:
                self._take_task_fence(fence, kind)
        if part is not None:
            self._parts.append(part)

    def _take_output(self, fence: Fence, example_above: int | None) -> None:
        follows = self._last is not None and kind_of(self._last) == "example" and self._is_blank(self._last, fence)
        if not follows:
            advice = "Put it right after the example, or use another language, such as text."
            self._log.add(fence.line, "this output follows no example", advice)
        elif example_above is not None:
            example = self._parts[example_above]
            assert isinstance(example, Example)
            self._parts[example_above] = attach_output(example, fence, self._log)

    def _is_blank(self, above: Fence, below: Fence) -> bool:
        return not "".join(self._lines[above.end_line : below.line - 1]).strip()

    def _begin_task(self, fence: Fence) -> TaskFences:
        first = max([self._body_line, *(h + 1 for h in self._headings if h < fence.line)])
        if self._tasks:
            first = max(first, self._tasks[-1].end_line + 1)
        rows = range(first, fence.line)
        while rows and not self._lines[rows[0] - 1].strip():
            rows = rows[1:]
        tagged = {n for f in self._scan.fences for n in range(f.line, f.end_line + 1)}
        prose = "\n".join("" if n in tagged else self._lines[n - 1] for n in rows)
        return TaskFences(fence, prose.strip("\n"), rows[0] if rows else fence.line)

    def _take_task_fence(self, fence: Fence, kind: str) -> None:
        if self._tasks:
            add_fence(self._tasks[-1], kind, fence, self._log)
        else:
            advice = 'Begin the task with its spec: ```yaml {task="my-task"}.'
            self._log.add(fence.line, f"this {kind} belongs to no task", advice)

    def _check_ids(self) -> None:
        tasks = {part.id: part for part in self._parts if isinstance(part, Task)}
        groups: dict[str, list[tuple[str, Fence]]] = {
            "tasks": [(t.spec.tags["task"] or "", t.spec) for t in self._tasks],
            "predictions": [(p.id, p.fence) for p in self._parts if isinstance(p, Prediction)],
            "questions": [(p.id, p.fence) for p in self._parts if isinstance(p, Question)],
        }
        for what, pairs in groups.items():
            first: dict[str, int] = {}
            for identifier, fence in pairs:
                if identifier in first:
                    message = f"two {what} have the id `{identifier}`, the first at line {first[identifier]}"
                    self._log.add(fence.line, message, "Rename one of them.")
                first.setdefault(identifier, fence.line)
        complete = len(tasks) == len(self._tasks)
        for part in self._parts:
            if isinstance(part, Question) and complete:
                check_references(part, tasks, self._log)


def _end_line(token: Token) -> int:
    assert token.map is not None
    return token.map[1]


def _part_line(part: Part) -> int:
    return part.spec_fence.line if isinstance(part, Task) else part.fence.line


def parse_path(data: bytes, path_id: str, source: str) -> tuple[Path, tuple[Problem, ...]]:
    """The path that an index.md describes, as far as it could be read, and every problem in it."""
    log = ProblemLog(source)
    text = decode_source(data, log)
    nothing = Path(path_id, source, path_id, "", 0, None, (), "", 1)
    if text is None:
        return nothing, log.problems
    front = split_front_matter(text, "path.schema", log)
    for fence in scan_fences(front.body, log, strict=False).fences:
        log.add(fence.line, "a path's page runs nothing", "Put it into a lesson.")
    for number, row in enumerate(front.body.split("\n"), 1):
        if "`{=} " in row:
            log.add(number, "a path's page has no values", "Put it into a lesson.", row.index("`{=} ") + 1)
    if front.document is None:
        return nothing, log.problems
    said = front.document.value
    path = replace(
        nothing,
        title=said["title"],
        summary=said["summary"],
        order=said["order"],
        audience=said.get("audience"),
        planned=tuple(_read_planned(said.get("planned", ()))),
        body="\n".join(front.body.split("\n")[front.body_line - 1 :]),
        body_line=front.body_line,
    )
    return path, log.problems


def _read_planned(rows: Any) -> Iterator[Planned]:
    for row in rows:
        yield Planned(row["step"], row["title"])
