# The process tree below a supervisor: who is in it, and that orphans stay in it.
# Known on Linux only; elsewhere a job's process group is all that can be killed.
from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
from pathlib import Path


def find_descendants(pid: int) -> list[int]:
    """Every living process below `pid`, on Linux; elsewhere none is known."""
    found: list[int] = []
    queue = [pid]
    while queue:
        for path in Path(f"/proc/{queue.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                children = [int(word) for word in path.read_text().split()]
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
