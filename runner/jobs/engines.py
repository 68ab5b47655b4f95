# Which engine runs jobs on this machine, and whether a GPU is worth asking torch for.
# Both are decided by looking, so that a build without a GPU imports torch once and no more.
from __future__ import annotations

import sys
from pathlib import Path

from runner.jobs.engine import Engine
from runner.jobs.fresh import FreshEngine
from runner.jobs.warm import WarmEngine, can_fork_warm

GPU_DRIVERS = ("/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg")


def make_engine(slots: int) -> Engine:
    """The fastest engine that is safe here."""
    return WarmEngine(slots) if can_fork_warm() else FreshEngine(slots)


def may_have_gpu() -> bool:
    """False where no driver of a GPU is to be seen, so that torch need not be asked."""
    return sys.platform != "linux" or any(Path(name).exists() for name in GPU_DRIVERS)
