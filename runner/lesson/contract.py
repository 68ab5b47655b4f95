# Names of the contract checks: what an author may add to or drop from a task.
# They stand here, below the judge that computes them, so that the parser can refuse an unknown one.
from __future__ import annotations

CONTRACT_NAMES: tuple[str, ...] = (
    "same-type",
    "same-shape",
    "same-dtype",
    "finite",
    "input-unchanged",
    "fresh-output",
)
