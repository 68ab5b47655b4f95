# How a job ended, in words for a learner: the reasons of verdicts that are timeout or error.
# Status words are the engine's; what they mean for a candidate is said here.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.judge.values import Outcome

ENDINGS: Mapping[str, str] = {
    "timeout": "{who} did not finish in time",
    "signal": "{who} crashed its process",
    "exit": "{who} ended the process",
    "no-result": "{who} ended the process before the check was done",
    "output-limit": "{who} wrote more output than is allowed",
    "memory-limit": "{who} took more memory than is allowed",
    "cancelled": "the run was cancelled",
    "supervisor-died": "the process that watches the run was killed",
    "refused": "the run was refused",
    "error": "the run broke",
}


def describe_ending(outcome: Outcome, who: str) -> tuple[str, str]:
    """Status of the verdict (timeout or error) and the reason, for an outcome without a usable answer."""
    status = "timeout" if outcome.status == "timeout" else "error"
    if outcome.status == "ok":
        return status, f"{who} left an answer that is none: the report was lost or forged"
    text = ENDINGS.get(outcome.status, "the run ended as {status}").format(who=who, status=outcome.status)
    detail = f": {outcome.detail}" if outcome.detail else ""
    where = f" (in {outcome.frames[0][0]}, line {outcome.frames[0][1]})" if outcome.frames else ""
    return status, f"{text}{detail}{where}"


def describe_fault(error: Mapping[str, Any]) -> str:
    """The last line of a traceback and where it was raised; of an error of the harness what it says."""
    if "HarnessError" in error["mro"]:
        return str(error["message"])
    frames = error["frames"]
    where = f" ({frames[-1]['file']}, line {frames[-1]['line']})" if frames else ""
    return f"{error['last']}{where}"
