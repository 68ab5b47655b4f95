# Where a job runs: what a page says beside a number, and what a cached answer depends on.
# Collected in the child, since only there torch and its device are known.
from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import runner


def describe_environment(device: str) -> dict[str, Any]:
    """Versions, machine and device as JSON; `date` is today's, in UTC."""
    return {
        "device": device,
        "device_name": name_device(device),
        "cpu": name_cpu(),
        "python": platform.python_version(),
        "torch": read_version("torch"),
        "labsheet": runner.__version__,
        "platform": f"{platform.system().lower()}-{platform.machine()}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def read_version(package: str) -> str | None:
    """Installed version of a package with its build tag; None without it."""
    module = sys.modules.get(package)
    if module is not None:
        return str(module.__version__)
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return None


def name_cpu() -> str:
    """The processor's model, as the system names it."""
    with contextlib.suppress(OSError):
        for row in Path("/proc/cpuinfo").read_text().splitlines():
            if row.startswith("model name"):
                return row.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def name_device(device: str) -> str:
    """Name of the GPU, or the processor's."""
    if device != "cuda":
        return name_cpu()
    import torch

    return str(torch.cuda.get_device_name())


def run_probe(work: dict[str, Any], place: dict[str, Any], mark: Callable[[], None]) -> dict[str, Any]:
    """Answers whether torch can be imported, why not, and whether it sees a GPU."""
    try:
        import torch
    except ImportError as error:
        return {"torch_error": str(error), "cuda": False, "environment": describe_environment("cpu")}
    cuda = bool(torch.cuda.is_available()) if work.get("device") != "cpu" else False
    return {"torch_error": None, "cuda": cuda, "environment": describe_environment("cuda" if cuda else "cpu")}
