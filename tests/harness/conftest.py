# Imports torch once, before any test of this folder: without NumPy it warns, and here every warning is an error.
# The first dispatch mode of a process imports more of torch, which warns as well.
from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

    from runner.harness.counters import count_allocations

    with count_allocations():
        torch.ones(1)
