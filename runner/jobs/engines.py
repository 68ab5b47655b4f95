# Which engine runs jobs on this machine, and whether a GPU is worth asking torch for.
# Both are decided by looking, so that a build without a GPU imports torch once and no more.
from __future__ import annotations

import os
import sys
from pathlib import Path

from runner.jobs.engine import Engine
from runner.jobs.fresh import FreshEngine
from runner.jobs.warm import WarmEngine, can_fork_warm

GPU_DRIVERS = ("/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg")


def make_engine(slots: int) -> Engine:
    """The fastest engine that is safe here."""
    return WarmEngine(slots) if can_fork_warm() else FreshEngine(slots)


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_memory_bytes() -> int | None:
    """Memory of this machine; None when it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def may_have_gpu() -> bool:
    """False where no driver of a GPU is to be seen, so that torch need not be asked."""
    return sys.platform != "linux" or any(Path(name).exists() for name in GPU_DRIVERS)
