# The process tree below a supervisor: who is in it, and that orphans stay in it.
# Known on Linux only; elsewhere a job's process group is all that can be killed.
from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

KILLING_S = 10.0


def find_children(pid: int) -> list[int]:
    """The living children of `pid`, on Linux; elsewhere none is known."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in path.read_text().split()]
    return found


def find_descendants(pid: int) -> list[int]:
    """Every living process below `pid`, on Linux; elsewhere none is known."""
    found: list[int] = []
    queue = [pid]
    while queue:
        children = find_children(queue.pop())
        found += children
        queue += children
    return found


def become_subreaper() -> None:
    """Lets orphans of the job come to this process instead of init (Linux, prctl 36)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Lets this process be killed when its supervisor is (Linux, prctl 1)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def kill_descendants(first: int | None = None) -> int | None:
    """Kills every process below this one, in rounds, until none is left or ten seconds are over.

    `first` is the leader of a job's process group; its wait status is returned, None when it was taken before.
    """
    status_of_first: int | None = None
    until = time.monotonic() + KILLING_S
    while time.monotonic() < until:
        if first is not None:
            with contextlib.suppress(OSError):
                os.killpg(first, signal.SIGKILL)
        below = find_descendants(os.getpid())
        for pid in [*([] if first is None else [first]), *below]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            pid, status = os.waitpid(-1, 0 if below else os.WNOHANG)
        except ChildProcessError:
            break
        if pid == first:
            status_of_first = status
    return status_of_first


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, as far as the system tells (Linux)."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("T", "t")
    return False
