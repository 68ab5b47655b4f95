# Check and the candidate draw random numbers from streams of their own: a replay without the candidate draws the same.
# Each stream is the state of Python's, torch's and (where loaded) NumPy's global generators.
from __future__ import annotations

import random
import sys
from typing import Any

import torch

LARGEST_SEED = 2**63


def seed_streams(seed: int) -> None:
    """Seeds every global generator of the process."""
    random.seed(seed)
    torch.manual_seed(seed % LARGEST_SEED)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def read_streams() -> dict[str, Any]:
    """The state of every global generator."""
    state: dict[str, Any] = {"random": random.getstate(), "torch": torch.get_rng_state()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        state["cuda"] = torch.cuda.get_rng_state_all()
    if "numpy" in sys.modules:
        state["numpy"] = sys.modules["numpy"].random.get_state()
    return state


def write_streams(state: dict[str, Any]) -> None:
    """Puts the global generators into a state that was read; one that was not loaded then stays as it is."""
    random.setstate(state["random"])
    torch.set_rng_state(state["torch"])
    if "cuda" in state:
        torch.cuda.set_rng_state_all(state["cuda"])
    if "numpy" in state and "numpy" in sys.modules:
        sys.modules["numpy"].random.set_state(state["numpy"])


class OwnStream:
    """The candidate's stream: it takes the place of check's for the length of a call."""

    def __init__(self, seed: int) -> None:
        before = read_streams()
        seed_streams(seed)
        self._away = read_streams()
        write_streams(before)

    def swap(self) -> None:
        """Exchanges the streams: before a call the candidate's come in, after it check's come back."""
        here = read_streams()
        write_streams(self._away)
        self._away = here
