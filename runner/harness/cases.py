# One case of a task, played in either job: inputs, the call of check, and what came of it as JSON.
# Which code was at fault is decided here, where the exceptions still are objects.
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from runner.harness.bench import Bench, MissingNameError
from runner.harness.callers import Caller
from runner.harness.counters import AllocationCounter
from runner.harness.encode import encode_report
from runner.harness.errors import describe_error
from runner.harness.rounding import rounded
from runner.harness.streams import LARGEST_SEED, seed_streams
from runner.harness.units import load_unit

Json = Any


def harness_names(bench: Bench) -> dict[str, object]:
    """What checker and inputs find defined, beside the builtins."""
    return {"torch": torch, "count_allocations": partial(AllocationCounter, bench), "rounded": rounded}


def candidate_seed(work: Mapping[str, Any]) -> int:
    """Seed of the candidate's own stream of random numbers."""
    return (int(work["seed"]) + 1) % LARGEST_SEED


def load_function(code: str, name: str, *, unit: str, place: Mapping[str, Any], names: Mapping[str, object]) -> Any:
    """Runs one unit of a task and returns its function; raises what the code raises, or MissingNameError."""
    path = place["candidate_path"] if unit == "candidate" else place["path"]
    module_name = unit if unit in ("candidate", "reference") else f"labsheet_{unit}"
    module = load_unit(code, name=module_name, path=path, line=place["lines"][unit], names=names)
    function = getattr(module, name, None)
    if function is None:
        raise MissingNameError(f"the code defines no function `{name}`")
    if not callable(function):
        raise MissingNameError(f"`{name}` is no function, it is {type(function).__name__}")
    return function


@dataclass(frozen=True, slots=True)
class Stage:
    """The author's side of a task, loaded."""

    bench: Bench
    """Counters and faults."""
    check: Callable[..., Any]
    """check(candidate, **case)."""
    inputs: Callable[..., Any] | None
    """inputs(rng, device)."""
    device: str
    """cpu or cuda."""
    seed: int
    """Of check's stream."""

    def make_arguments(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """What check gets beside the candidate."""
        if "given" in case:
            return {name: make_value(value, self.device) for name, value in case["given"].items()}
        if self.inputs is None:
            raise MissingNameError("a random case needs an inputs fence")
        seed_streams(case["random"])
        rng = torch.Generator().manual_seed(case["random"] % LARGEST_SEED)
        with torch.device("cpu"):
            made = self.inputs(rng, torch.device(self.device))
        if not isinstance(made, dict) or not all(isinstance(name, str) for name in made):
            raise TypeError("inputs must return a dict of name to value: the arguments of check")
        return made


def load_stage(work: Mapping[str, Any], place: Mapping[str, Any]) -> Stage | Json:
    """The author's side, or the answer of a case that says why it does not load."""
    bench = Bench()
    names = harness_names(bench)
    functions: dict[str, Any] = {"inputs": None}
    for unit, name in (("checker", "check"), ("inputs", "inputs")):
        if work[unit] is None:
            continue
        try:
            functions[unit] = load_function(work[unit], name, unit=unit, place=place, names=names)
        except BaseException as error:
            return {"error": describe_error(error), "by": unit}
    return Stage(bench, functions["checker"], functions["inputs"], work["device"], int(work["seed"]))


def make_value(value: Any, device: str) -> Any:
    """A value of a published case: a mapping with `tensor` (and perhaps `dtype`) becomes a tensor, at any depth."""
    if isinstance(value, dict) and "tensor" in value:
        dtype = getattr(torch, value["dtype"].removeprefix("torch.")) if value.get("dtype") else None
        return torch.tensor(read_numbers(value["tensor"]), dtype=dtype, device=device)
    if isinstance(value, dict):
        return {key: make_value(item, device) for key, item in value.items()}
    if isinstance(value, list):
        return [make_value(item, device) for item in value]
    return value


def read_numbers(value: Any) -> Any:
    """Numbers of a tensor, in which "nan" and "inf" may stand for what JSON lacks."""
    if isinstance(value, list):
        return [read_numbers(item) for item in value]
    return float(value) if isinstance(value, str) else value


def play_case(stage: Stage, arguments: Mapping[str, Any], caller: Caller, close: Callable[[], None]) -> Json:
    """Calls check; {"report", "rounded"}, or {"error", "by"}.

    An error of the harness comes before one of the candidate or of check. `close` runs after check, to note a fault.
    """
    report, raised = None, None
    try:
        report = stage.check(caller, **arguments)
    except BaseException as error:
        raised = error
    else:
        close()
    if caller.ended is not None:
        return {"error": describe_error(caller.ended), "by": "candidate"}
    if stage.bench.faults:
        by, fault = stage.bench.faults[0]
        return {"error": describe_error(fault), "by": by}
    if raised is not None:
        own = raised is caller.given and caller.original is not None
        return {
            "error": describe_error(caller.original if own and caller.original else raised),
            "by": "candidate" if own else "checker",
        }
    try:
        encoded, digits = encode_report(report)
    except BaseException as error:
        return {"error": describe_error(error), "by": "checker"}
    return {"report": encoded, "rounded": digits}


def prepare_case(stage: Stage, case: Mapping[str, Any]) -> dict[str, Any] | BaseException:
    """The case's arguments with check's stream seeded and no fault noted, or what making them raised."""
    try:
        arguments = stage.make_arguments(case)
    except BaseException as error:
        return error
    stage.bench.faults.clear()
    seed_streams(stage.seed)
    return arguments
