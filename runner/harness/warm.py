# What a warm server does once, so that its jobs need not: imports, and the first use of what torch sets up lazily.
# One thread before the first operation, no CUDA, nothing compiled: a process that did otherwise must not be forked.
from __future__ import annotations

import importlib
import warnings


def warm_up() -> None:
    """Imports torch and the programs of jobs; without torch only what does not need it."""
    importlib.import_module("runner.harness.session")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
            _warm_up_torch()
    except ImportError:
        return  # jobs that need torch say so themselves


def _warm_up_torch() -> None:
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    for name in ("record", "replay"):
        importlib.import_module(f"runner.harness.{name}")
    counters = importlib.import_module("runner.harness.counters")
    weights = torch.ones(16, 16, requires_grad=True)
    (torch.relu(torch.ones(4, 16) @ weights)).sum().backward()
    with counters.count_allocations():
        torch.ones(2).add(1)
    str(torch.ones(2))
