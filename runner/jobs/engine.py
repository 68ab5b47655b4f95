# What every engine promises, whatever it runs jobs on: one call, one job, one process of its own.
# Engines are safe to call from `slots` threads at once; the schedule above them decides the order.
from __future__ import annotations

from typing import Protocol

from runner.jobs.values import Job
from runner.judge.values import Outcome


class Engine(Protocol):
    """Runs jobs, each in a process of its own."""

    @property
    def slots(self) -> int:
        """How many jobs may run at once."""

    @property
    def description(self) -> str:
        """What it is, in words."""

    def run(self, job: Job) -> Outcome:
        """Runs one job to its end. A job that fails is an outcome; EngineError means that it could not be run."""

    def close(self) -> None:
        """Ends what still runs; later calls of `run` raise EngineError."""


class EngineError(Exception):
    """The machinery that runs jobs is broken; no job's fault."""
