# The two jobs of a candidate in their order: record with it, then replay without it.
# What comes back is judged elsewhere; this only knows that the second needs the first's recording.
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runner.jobs.plan import Candidate, Setting, plan_record, plan_replay
from runner.jobs.values import Job
from runner.judge.values import Outcome
from runner.lesson.values import Lesson, Task


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a candidate's two jobs."""

    record: Outcome
    """Of the job that ran the candidate."""
    replay: Outcome | None
    """Of the job that replayed the checker; None when nothing was recorded."""


@dataclass(frozen=True, slots=True)
class Trials:
    """How the candidates of one task are tried on this machine."""

    lesson: Lesson
    """Where the task stands."""
    task: Task
    """The task."""
    setting: Setting
    """Device and files."""
    seed: int
    """Of the unpublished cases."""
    ask: Callable[[Job], Outcome]
    """Runs a job, or answers for it."""

    def run(self, candidate: Candidate) -> Trial:
        """Runs both jobs of a candidate."""
        record = self.ask(plan_record(self.lesson, self.task, candidate, self.setting, self.seed))
        recorded = record.result if record.status == "ok" else None
        if not recorded or not recorded.get("cases"):
            return Trial(record, None)
        return Trial(record, self.ask(plan_replay(self.lesson, self.task, recorded, self.setting, self.seed)))
