# What a record or replay job keeps while check runs: the open counters and the harness's own errors.
# An error of the harness is kept here when it is raised, so that a check that catches it hides nothing.
from __future__ import annotations

from typing import Protocol, TypeVar

E = TypeVar("E", bound=BaseException)


class Counter(Protocol):
    """Something that counts while it is open."""

    total: int


class HarnessError(Exception):
    """An error of the harness; counts even if check or the candidate catches it."""

    __module__ = "builtins"  # learners read its name, not where it lives


class CannotCount(HarnessError):  # noqa: N818 - the name says it
    """An operation took or made a tensor whose storage cannot be read."""

    __module__ = "builtins"


class UnrecordableError(HarnessError):
    """A value that is no None, bool, int, float, str, dtype, device, dense tensor, or a container of these."""

    __module__ = "builtins"


class UnrecordableResultError(UnrecordableError):
    """The candidate returned such a value, or put it into an argument."""

    __module__ = "builtins"


class ForbiddenCallError(HarnessError):
    """Check called the candidate otherwise than once after the other, in its own thread."""

    __module__ = "builtins"


class ReplayMismatchError(HarnessError):
    """Check did not do on the recording what it did with the candidate."""

    __module__ = "builtins"


class ReportError(HarnessError):
    """What check returned is no JSON object."""

    __module__ = "builtins"


class MissingNameError(HarnessError):
    """A unit does not define the function that it is there for."""

    __module__ = "builtins"


class Bench:
    """The state of one job that check, counters and the recorder share."""

    def __init__(self) -> None:
        self.counters: list[Counter] = []
        self.faults: list[tuple[str, BaseException]] = []

    def note(self, by: str, error: E) -> E:
        """Keeps an error and whose fault it is (candidate, checker or harness); returns it to be raised."""
        self.faults.append((by, error))
        return error
