# Builds a session job from bare codes, as the plan does from a lesson: fences ten lines apart, from line 10 on.
# Torch-free, so that a job costs a Python start and no more.
from __future__ import annotations

from runner.jobs.values import Job, Limits

PATH = "lessons/p/01-x.md"


def make_session(
    *codes: str,
    timeout_s: float = 20.0,
    raises: bool = False,
    torch: bool = False,
    files: dict[str, bytes] | None = None,
) -> Job:
    """A session of examples with these codes."""
    work = {
        "examples": [{"code": code, "raises": raises} for code in codes],
        "steps": [{"example": number} for number in range(len(codes))],
        "device": "cpu",
        "seed": 1,
        "torch": torch,
    }
    place = {"path": PATH, "lines": [10 * (n + 1) for n in range(len(codes))], "prints": [[] for _ in codes]}
    return Job("session", work, place, files or {}, Limits(timeout_s=timeout_s), "test")
