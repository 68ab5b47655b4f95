# A `Job`: one thing to run in one child process, as JSON-ready data.
# `work` determines the outcome and is hashed; `place` only says where its lines stand.
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may use."""

    timeout_s: float
    """Wall time from the moment that Python and torch are up."""
    section_timeout_s: float | None = None
    """Wall time between two marks of the child; None sets no such limit."""
    memory_bytes: int | None = None
    """The most data memory, where the system can limit it."""
    keep_bytes: int = 64 * 1024
    """How much of each stream is kept for each section: its head and its tail."""
    produced_bytes: int = 4 * 1024 * 1024
    """How much a job may write in all before it is stopped."""


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to run in one child process."""

    kind: str
    """probe, session, record or replay."""
    work: Mapping[str, Any]
    """JSON-ready: all that determines the outcome, without paths and lines."""
    place: Mapping[str, Any]
    """JSON-ready: paths and lines, for messages and tracebacks only."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Name in the working directory to content; their hashes are part of the digest."""
    limits: Limits = Limits(timeout_s=60.0)
    """What it may use."""
    label: str = ""
    """For progress: what runs."""
