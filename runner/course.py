# A course: reads it, runs what is new, judges it, renders it. The one object that both entry points hold.
# It ties the stages together and decides nothing that a stage could decide.
from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from runner import __version__
from runner.jobs.answers import Answers
from runner.jobs.candidates import Trials
from runner.jobs.digest import hash_json
from runner.jobs.engine import Engine
from runner.jobs.engines import count_cores, make_engine, may_have_gpu, read_memory_bytes
from runner.jobs.plan import Candidate, Setting, hash_task, sessions_of, uses_torch
from runner.jobs.validate import Assignment, Step, judge_trials, task_setting, validate_lessons, why_skipped
from runner.jobs.values import Job, Limits
from runner.judge.tasks import skip_candidate
from runner.judge.values import NOT_RUN, LessonResult, Outcome, Verdict
from runner.lesson.parse import DEFAULT_TIMEOUT_S
from runner.lesson.problems import Problem, ProblemLog
from runner.lesson.schema import check_value
from runner.lesson.values import Example, Lesson, Task
from runner.lesson.yaml_core import Document
from runner.library import Library, read_library
from runner.pages.data import encode_course
from runner.pages.outline import Outline
from runner.pages.site import Site, render_site

CONFIG = "mkdocs.yml"
RUN_VARIABLE = "LABSHEET_RUN"
Select = Callable[[Lesson, int, int], bool]


@dataclass(frozen=True, slots=True)
class Machine:
    """What this machine has for jobs."""

    cuda: bool
    """Whether torch sees a GPU."""
    torch_error: str | None
    """Why torch cannot be imported; None when it can."""
    environment: Mapping[str, Any]
    """Versions and device, as the probe found them."""


class Course:
    """The course in a folder, with what is known of it so far."""

    def __init__(self, root: Path, docs_dir: Path, options: Mapping[str, Any], engine: Engine | None = None) -> None:
        self.root, self._docs_dir = root, docs_dir
        self._options, self._option_problems = read_options(options)
        self._given_engine = engine
        self._engine = engine or make_engine(int(self._options.get("jobs", count_cores())))
        self._answers = Answers()
        self._machine: Machine | None = None
        self.library = Library(Outline(()), (), {}, {}, ())
        self.results: Mapping[str, LessonResult] = {}
        self.problems: tuple[Problem, ...] = ()

    @property
    def lessons_dir(self) -> Path:
        """The folder of the lessons."""
        return self.root / str(self._options.get("lessons", "lessons"))

    @property
    def outline(self) -> Outline:
        """Paths and lessons in reading order, as last read."""
        return self.library.outline

    @property
    def docs_pages(self) -> tuple[Lesson, ...]:
        """Pages under docs/ that carry tagged fences, as last read."""
        return self.library.docs_pages

    @property
    def watch(self) -> tuple[Path, ...]:
        """Folders whose changes change the site."""
        return (self.lessons_dir,)

    @property
    def images(self) -> Mapping[str, Path]:
        """Place in the site to image file."""
        return self.library.images

    @property
    def run_count(self) -> int:
        """How many jobs this object has run."""
        return self._answers.run_count

    def source_path(self, source: str) -> Path:
        """The file that a page comes from."""
        return self.root / source

    def close(self) -> None:
        """Ends what still runs; an engine that was given is its giver's to close."""
        if self._given_engine is None:
            self._engine.close()

    def read(self) -> Library:
        """Reads the course from disk, without running anything."""
        timeout_s = float(self._options.get("timeout", DEFAULT_TIMEOUT_S))
        self.library = read_library(self.root, self.lessons_dir, self._docs_dir, timeout_s)
        return self.library

    def refresh(
        self,
        progress: Callable[[str], None] | None = None,
        step: Step | None = None,
        select: Select | None = None,
    ) -> tuple[Problem, ...]:
        """Reads the course, runs what is not answered yet, judges it; every problem, sorted.

        `progress` hears a sentence at the end, `step` each finished job, `select` limits what is run to the parts
        (first line, last line) for which it is true.
        """
        library = self.read()
        problems = [*self._option_problems, *library.problems]
        mode = os.environ.get(RUN_VARIABLE) or str(self._options.get("run", "auto"))
        if mode not in ("auto", "always"):
            problems.append(_refuse_mode(mode))
        else:
            if mode == "always":
                self._answers.forget()
            before = self._answers.run_count
            self.results = self._validate(library, step, select)
            self._answers.keep_asked()
            problems += self._check_device()
            problems += [problem for result in self.results.values() for problem in result.problems]
            if progress is not None:
                progress(f"{len(library.lessons)} pages validated, {self._answers.run_count - before} jobs run")
        self.problems = tuple(sorted(set(problems)))
        return self.problems

    def _check_device(self) -> list[Problem]:
        """A GPU that was asked for and is not there is no reason to run on the CPU without a word."""
        if self._options.get("device") != "cuda" or self._machine is None or self._machine.cuda:
            return []
        advice = "Use `device: auto`, or install a torch that finds the GPU."
        return [Problem(CONFIG, 1, 1, "`device: cuda` is asked for, and torch sees no GPU", advice)]

    def _validate(self, library: Library, step: Step | None, select: Select | None) -> dict[str, LessonResult]:
        wanted = [self._select(lesson, library, select) for lesson in library.lessons]
        needs_torch = any(
            tasks or (sessions and (lesson.device == "cuda" or uses_torch(lesson, library.files_of(lesson))))
            for lesson, sessions, tasks in wanted
        )
        machine = self.probe() if needs_torch else Machine(cuda=False, torch_error=None, environment={})
        assignments = [
            self.assign(lesson, machine, sessions, tasks, files=library.files_of(lesson))
            for lesson, sessions, tasks in wanted
        ]
        try:
            return validate_lessons(assignments, self.ask, self._engine.slots, step)
        except KeyboardInterrupt:
            self._engine.close()
            raise

    def _select(
        self, lesson: Lesson, library: Library, select: Select | None
    ) -> tuple[Lesson, tuple[str, ...], tuple[Task, ...]]:
        """The lesson cut down to what can be run: nothing below its first faulty line, and what is selected."""
        lines = [p.line for p in library.problems if p.path == lesson.source and p.line >= lesson.body_line]
        end = min(lines, default=math.inf)
        tasks = tuple(t for t in lesson.tasks if select is None or select(lesson, *_span(t)))
        cut = replace(
            lesson,
            parts=tuple(p for p in lesson.parts if not isinstance(p, Example) or p.fence.line < end),
            values=tuple(value for value in lesson.values if value.line < end),
        )
        sessions = tuple(
            name
            for name, members in sessions_of(cut).items()
            if select is None or any(select(lesson, e.fence.line, e.fence.end_line) for e in members)
        )
        return cut, sessions, tasks

    def assign(
        self,
        lesson: Lesson,
        machine: Machine,
        sessions: Sequence[str],
        tasks: Sequence[Task],
        files: Mapping[str, bytes],
    ) -> Assignment:
        """What of a lesson runs here, and on which device."""
        wanted = str(self._options.get("device", "auto"))
        device = "cuda" if machine.cuda and wanted != "cpu" and lesson.device != "cpu" else "cpu"
        skipped = "it needs a GPU, and torch sees none here" if lesson.device == "cuda" and device == "cpu" else None
        setting = Setting(device, files)
        memory = read_memory_bytes()
        return Assignment(lesson, tuple(sessions), tuple(tasks), setting, machine.torch_error, skipped, memory)

    def probe(self) -> Machine:
        """What this machine has; asked once."""
        if self._machine is None:
            device = str(self._options.get("device", "auto"))
            device = "cpu" if device == "auto" and not may_have_gpu() else device
            outcome = self._engine.run(
                Job("probe", {"device": device, "torch": True}, {}, {}, Limits(timeout_s=120.0), "probe")
            )
            found = outcome.result or {"torch_error": outcome.detail or outcome.status, "cuda": False}
            self._machine = Machine(bool(found.get("cuda")), found.get("torch_error"), outcome.environment)
        return self._machine

    def ask(self, job: Job) -> Outcome:
        """Runs a job, or answers for it."""
        return self._answers.ask(job, self._engine)

    def judge(self, lesson: Lesson, task: Task, code: str, path: str, seed: int) -> Verdict | None:
        """The verdict of a candidate's code; None when the task's own reference does not pass with this seed."""
        machine = self.probe()
        assignment = self.assign(lesson, machine, (), (task,), files=self.library.files_of(lesson))
        setting = task_setting(assignment, task)
        digest = hash_json([hash_task(task, setting), code, seed])
        identifier = f"{lesson.id}#{task.id}"
        reason = why_skipped(assignment, task)
        if reason is not None:
            return skip_candidate(task_id=identifier, task=task, reason=reason, digest=digest)
        trials = Trials(lesson, task, setting, seed, self.ask)
        reference = trials.run(Candidate.of_fence(task.reference, lesson))
        trial = trials.run(Candidate(code, path, 1))
        own, verdict = judge_trials(identifier, task, reference, [reference, trial], digest)
        return verdict if own.status == "passed" else None

    def encode(self) -> bytes:
        """The course as labsheet.json holds it."""
        return encode_course(self.outline, self.docs_pages, self._join_problems(), __version__)

    @property
    def engine(self) -> str:
        """What runs the jobs, in words."""
        return f"{self._engine.description}, {self._engine.slots} at once"

    def site(self) -> Site:
        """Every page and asset, rendered; lessons with problems become pages that show them."""
        path_problems = {
            path.id: tuple(problem for problem in self.problems if problem.path == path.source)
            for path, _ in self.outline.paths
        }
        results = self._join_problems()
        return render_site(self.outline, self.docs_pages, results, read_schemas(), path_problems=path_problems)

    def _join_problems(self) -> dict[str, LessonResult]:
        """The results, each with every problem of its file, also those found before anything ran."""
        results = dict(self.results)
        for lesson in self.library.lessons:
            found = tuple(problem for problem in self.problems if problem.path == lesson.source)
            if found:
                result = results.get(lesson.id, NOT_RUN)
                results[lesson.id] = replace(result, problems=found)
        return results


def _span(task: Task) -> tuple[int, int]:
    return task.statement_line, max(fence.end_line for fence in task.fences)


def _refuse_mode(mode: str) -> Problem:
    advice = f"Use `run: auto` or `always`, or unset {RUN_VARIABLE}."
    if mode == "never":
        message = "`run: never` answers from committed records, and this version writes none yet"
    else:
        message = f"{RUN_VARIABLE} is `{mode}`, which is none of `auto`, `always` and `never`"
    return Problem(CONFIG, 1, 1, message, advice)


def read_options(options: Any) -> tuple[Mapping[str, Any], tuple[Problem, ...]]:
    """The options under extra.labsheet, and what is wrong with them; faulty options are as if not given."""
    log = ProblemLog(CONFIG)
    if check_value(Document(options, {}), "options.schema", "extra.labsheet", log):
        return options, ()
    return {}, log.problems


def read_schemas() -> dict[str, bytes]:
    """The shipped JSON Schemas by file name."""
    folder = resources.files("runner.lesson").joinpath("schemas")
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.endswith(".json")}
