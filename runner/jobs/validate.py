# Runs everything that a course's lessons ask for and has it judged: sessions, and every candidate of every task.
# Runs in parallel, judges in order, so that results do not depend on which job ended first.
from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from runner.jobs.candidates import Trial, Trials
from runner.jobs.digest import hash_job
from runner.jobs.plan import Candidate, Setting, hash_task, plan_session, public_seed, sessions_of
from runner.jobs.values import Job
from runner.judge.contract import implied_names
from runner.judge.examples import Played, judge_session, read_values
from runner.judge.tasks import judge_task, skip_candidate
from runner.judge.values import ExampleResult, LessonResult, Outcome, TaskResult, Verdict
from runner.judge.verdict import case_reports, judge_candidate
from runner.lesson.problems import ProblemLog
from runner.lesson.values import DEFAULT_SESSION, Example, Lesson, Task

Ask = Callable[[Job], Outcome]
Step = Callable[[int, int, str], None]
TORCH_ADVICE = "Install it: pip install -r requirements.txt"


@dataclass(frozen=True, slots=True)
class Assignment:
    """A lesson and what this machine has for it."""

    lesson: Lesson
    """What to validate."""
    sessions: tuple[str, ...]
    """The sessions to run."""
    tasks: tuple[Task, ...]
    """The tasks to run."""
    setting: Setting
    """Device and files."""
    torch_error: str | None
    """Why torch cannot be imported; None when it can."""
    skipped: str | None
    """Why nothing of it can run here; None when it can."""
    memory_bytes: int | None = None
    """Memory of this machine; None when it is not known."""


@dataclass(slots=True)
class _Running:
    """The futures of one assignment."""

    assignment: Assignment
    sessions: dict[str, tuple[Job, Future[Outcome]]] = field(default_factory=dict)
    tasks: list[tuple[Task, str, list[Future[Trial]]]] = field(default_factory=list)


def validate_lessons(
    assignments: Sequence[Assignment], ask: Ask, slots: int, step: Step | None = None
) -> dict[str, LessonResult]:
    """The result of each lesson by its id. `step` hears how many jobs of how many are done, and which."""
    pool = ThreadPoolExecutor(slots)
    counter = _Counter(step)
    try:
        running = [_start(assignment, counter.wrap(ask), pool) for assignment in assignments]
        counter.total = sum(len(r.sessions) + sum(len(trials) for _, _, trials in r.tasks) for r in running)
        return {r.assignment.lesson.id: _collect(r) for r in running}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after an interrupt nobody waits for what still runs


class _Counter:
    """Counts finished units for a progress display."""

    def __init__(self, step: Step | None) -> None:
        self._step, self.done, self.total = step, 0, 0
        self._lock = threading.Lock()

    def wrap(self, ask: Ask) -> Ask:
        def asking(job: Job) -> Outcome:
            outcome = ask(job)
            if job.kind != "record" or not (outcome.result or {}).get("cases"):
                with self._lock:
                    self.done += 1
                    if self._step is not None:
                        self._step(self.done, max(self.total, self.done), job.label)
            return outcome

        return asking


def _start(assignment: Assignment, ask: Ask, pool: ThreadPoolExecutor) -> _Running:
    running = _Running(assignment)
    lesson, setting = assignment.lesson, assignment.setting
    for session in assignment.sessions:
        job = plan_session(lesson, session, setting)
        if assignment.skipped is None and (assignment.torch_error is None or not job.work["torch"]):
            running.sessions[session] = (job, pool.submit(ask, job))
    for task in assignment.tasks:
        digest = hash_task(task, task_setting(assignment, task))
        trials = Trials(lesson, task, task_setting(assignment, task), public_seed(digest), ask)
        candidates = _candidates(lesson, task) if why_skipped(assignment, task) is None else ()
        futures = [pool.submit(trials.run, candidate) for candidate in candidates]
        running.tasks.append((task, digest, futures))
    return running


def task_setting(assignment: Assignment, task: Task) -> Setting:
    """Where a task runs: on the lesson's device, or on the CPU where the task wants that."""
    return replace(assignment.setting, device="cpu") if task.device == "cpu" else assignment.setting


def why_skipped(assignment: Assignment, task: Task) -> str | None:
    """Why a task cannot be tried on this machine; None when it can."""
    if assignment.skipped is not None:
        return assignment.skipped
    if assignment.torch_error is not None:
        return f"torch cannot be imported: {assignment.torch_error}"
    if task.device == "cuda" and assignment.setting.device != "cuda":
        return "it needs a GPU, and none is used here"
    if task.memory_bytes and assignment.memory_bytes and task.memory_bytes > assignment.memory_bytes:
        has = f"{assignment.memory_bytes / 1024**3:.1f} GiB"
        return f"it needs {task.spec['memory']} of memory, and this machine has {has}"
    return None


def _candidates(lesson: Lesson, task: Task) -> Iterator[Candidate]:
    for fence in (task.reference, task.starter, *(wrong.fence for wrong in task.wrong)):
        yield Candidate.of_fence(fence, lesson)


def _collect(running: _Running) -> LessonResult:
    lesson, log = running.assignment.lesson, ProblemLog(running.assignment.lesson.source)
    examples: dict[int, ExampleResult] = {}
    values: tuple[str, ...] = ("",) * len(lesson.values)
    environment: Mapping[str, Any] = {}
    for session, members in sessions_of(lesson).items():
        if session not in running.sessions:
            examples |= {e.fence.line: _leave_out(e, running.assignment, session, log) for e in members}
            continue
        job, future = running.sessions[session]
        outcome = future.result()
        environment = environment or outcome.environment
        own = lesson.values if session == DEFAULT_SESSION else ()
        played = Played(members, own, job.work["steps"], outcome, hash_job(job))
        examples |= {result.line: result for result in judge_session(played, log)}
        if session == DEFAULT_SESSION:
            values = read_values(outcome, [(v.line, v.column, v.expression) for v in lesson.values], log)
    tasks = [_judge_task(running.assignment, task, digest, trials, log) for task, digest, trials in running.tasks]
    environment = environment or next((t.reference.environment for t in tasks), {})
    ordered = tuple(examples[example.fence.line] for example in lesson.examples)
    return LessonResult(ordered, values, tuple(tasks), environment, log.problems)


def _leave_out(example: Example, assignment: Assignment, session: str, log: ProblemLog) -> ExampleResult:
    """The result of an example that is not run here."""
    wanted = session in assignment.sessions
    if wanted and assignment.skipped is None and assignment.torch_error is not None:
        log.add(example.fence.line, f"torch cannot be imported: {assignment.torch_error}", TORCH_ADVICE)
    status = "skipped" if wanted and assignment.skipped is not None else "not_run"
    return ExampleResult(example.fence.line, status, "", "", 0, None, "")


def _judge_task(
    assignment: Assignment, task: Task, digest: str, futures: list[Future[Trial]], log: ProblemLog
) -> TaskResult:
    identifier = f"{assignment.lesson.id}#{task.id}"
    if not futures:
        reason = why_skipped(assignment, task) or ""
        if assignment.skipped is None and assignment.torch_error is not None:
            log.add(task.spec_fence.line, reason, TORCH_ADVICE)
        skipped = skip_candidate(task_id=identifier, task=task, reason=reason, digest=digest)
        return judge_task(task, skipped, skipped, [skipped] * len(task.wrong), log)
    reference, *others = [future.result() for future in futures]
    verdicts = [*judge_trials(identifier, task, reference, [reference, *others], digest)]
    return judge_task(task, verdicts[0], verdicts[1], verdicts[2:], log)


def judge_trials(
    identifier: str, task: Task, reference: Trial, trials: Sequence[Trial], digest: str
) -> Iterator[Verdict]:
    """The verdict of each trial, in order; what random cases must report is what the reference reported."""
    published = task.expected_reports
    replayed = case_reports(reference.replay) if reference.replay else ()
    drawn = [*replayed[len(published) :], *[None] * task.random][: task.random]
    implied = implied_names(reference.replay, task) if reference.replay else None
    for trial in trials:
        expected = [*published, *([None] * task.random if trial is reference else drawn)]
        yield judge_candidate(
            task_id=identifier,
            task=task,
            record=trial.record,
            replay=trial.replay,
            expected=expected,
            implied=implied,
            digest=digest,
        )
