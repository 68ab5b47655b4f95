# Answers that this process already has: a job whose work hash is known is not run again.
# Kept in memory, so that `mkdocs serve` runs only what changed; conclusive outcomes only.
from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from runner.jobs.digest import hash_job
from runner.jobs.engine import Engine
from runner.jobs.values import Job
from runner.judge.values import Outcome

CONCLUSIVE = ("ok", "no-result")


class Answers:
    """Runs jobs on an engine, each work hash once. Safe to call from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Mapping[str, Any], Outcome]] = {}
        self._lock = threading.Lock()
        self.run_count = 0

    def ask(self, job: Job, engine: Engine) -> Outcome:
        """The outcome of a job: the known one, or that of running it now."""
        digest = hash_job(job)
        with self._lock:
            known = self._known.get(digest)
        if known is not None and (known[0] == job.place or not names_lines(known[1])):
            return known[1]
        outcome = engine.run(job)
        with self._lock:
            self.run_count += 1
            if outcome.status in CONCLUSIVE:
                self._known[digest] = (job.place, outcome)
        return outcome

    def forget(self) -> None:
        """Forgets every answer."""
        with self._lock:
            self._known.clear()


def names_lines(outcome: Outcome) -> bool:
    """Whether an outcome names lines of its lesson, which hold only while the lesson's lines stay where they are."""
    return bool(outcome.frames) or outcome.status != "ok" or _has_frames(outcome.result)


def _has_frames(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value.get("frames")) or any(_has_frames(part) for part in value.values())
    return isinstance(value, list) and any(_has_frames(part) for part in value)
