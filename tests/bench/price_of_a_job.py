# What a job costs beside the least that anybody could pay for it: a bare Python that imports torch and ends.
# All are timed in turn, so that a machine whose speed drifts slows all; the ratios are what may be compared.
from __future__ import annotations

import datetime
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from runner.jobs.engine import Engine
from runner.jobs.fresh import FreshEngine
from runner.jobs.values import Job
from runner.jobs.warm import WarmEngine, can_fork_warm

ROUNDS = 11
RESULTS = Path(__file__).with_name("RESULTS.md")
BARE = "bare import"
# A job leaves by os._exit too, and taking torch down again is a good part of a bare import.
SHORT = "bare import that leaves by `os._exit`"
FRESH = "job in a fresh process"
WARM = "job forked from the warm server"


def time_call(call: Callable[[], object]) -> float:
    """Wall time of a call in seconds."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def run_python(code: str) -> None:
    """Runs code in a bare Python."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def run_job(engine: Engine) -> str:
    """Runs a job that imports torch; returns the machine as the job names it."""
    outcome = engine.run(Job(kind="probe", work={"torch": True, "device": "cpu"}, place={}))
    if outcome.status != "ok":
        raise RuntimeError(f"the job ended as {outcome.status}: {outcome.detail}")
    found = outcome.environment
    return f"{found['cpu']}, {found['platform']}, Python {found['python']}, torch {found['torch']}"


def take_samples(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each call, one a round, each round beginning with another."""
    for call in calls.values():
        call()  # the first of each warms the disk's cache
    samples_s: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            samples_s[name].append(time_call(calls[name]))
    return samples_s


def render_row(name: str, samples_s: Mapping[str, list[float]]) -> str:
    """A row of the table: time, and its multiple of the shortest bare import, round by round."""
    low, middle, high = (value * 1e3 for value in statistics.quantiles(samples_s[name], n=4))
    ratios = [this / bare for this, bare in zip(samples_s[name], samples_s[SHORT], strict=True)]
    less, ratio, more = statistics.quantiles(ratios, n=4)
    beside = "" if name == SHORT else f"{ratio:.3f} ({less:.3f} to {more:.3f})"
    return f"| {name} | {middle:.0f} ({low:.0f} to {high:.0f}) | {beside} |"


def render_results(samples_s: Mapping[str, list[float]], machine: str) -> str:
    """The results as a Markdown page."""
    rows = "\n".join(render_row(name, samples_s) for name in samples_s)
    return f"""# What a job costs

A job that has torch, in both engines, beside bare Pythons that import it. {len(samples_s[SHORT])} of each, in turn;
medians, in brackets the middle half. The warm server's own start is not in its row. Written by `make bench`.

| what | ms | this : {SHORT} |
| --- | ---: | ---: |
{rows}

{machine}, {datetime.datetime.now(datetime.UTC).date().isoformat()}
"""


def main() -> None:
    """Takes the samples, writes RESULTS.md and shows it."""
    engines: dict[str, Engine] = {FRESH: FreshEngine(slots=2)}
    if can_fork_warm():
        engines[WARM] = WarmEngine(slots=2)
    calls: dict[str, Callable[[], object]] = {
        BARE: lambda: run_python("import torch"),
        SHORT: lambda: run_python("import os, torch; os._exit(0)"),
    }
    for name, engine in engines.items():
        calls[name] = partial(run_job, engine)
    text = render_results(take_samples(calls, ROUNDS), run_job(engines[FRESH]))
    for engine in engines.values():
        engine.close()
    RESULTS.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
