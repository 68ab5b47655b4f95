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
    """Runs jobs on an engine, none whose answer is known. Safe to call from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Mapping[str, Any], Outcome]] = {}
        self._asked: set[str] = set()
        self._lock = threading.Lock()
        self.run_count = 0

    def ask(self, job: Job, engine: Engine) -> Outcome:
        """The outcome of a job: the known one, or that of running it now."""
        digest = hash_job(job)
        with self._lock:
            self._asked.add(digest)
            known = self._known.get(digest)
        if known is not None and (known[0] == job.place or not names_lines(known[1], job)):
            return known[1]
        outcome = engine.run(job)
        with self._lock:
            self.run_count += 1
            if outcome.status in CONCLUSIVE:
                self._known[digest] = (job.place, outcome)
        return outcome

    def keep_asked(self) -> None:
        """Forgets what was not asked for since the last call, so that a long preview does not grow."""
        with self._lock:
            self._known = {digest: known for digest, known in self._known.items() if digest in self._asked}
            self._asked = set()

    def forget(self) -> None:
        """Forgets every answer."""
        with self._lock:
            self._known.clear()


def names_lines(outcome: Outcome, job: Job) -> bool:
    """Whether an outcome names lines of its lesson, which hold only while the lesson's lines stay where they are."""
    path = str(job.place.get("path"))
    texts = (text for section in outcome.sections for text in (section.stdout, section.stderr))
    told = bool(outcome.frames) or outcome.status != "ok" or _has_frames(outcome.result)
    return told or any(path in text for text in texts)


def _has_frames(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value.get("frames")) or any(_has_frames(part) for part in value.values())
    return isinstance(value, list) and any(_has_frames(part) for part in value)
