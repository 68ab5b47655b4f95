# The second of the two jobs: check runs on the recording, the reference on copies of each call's arguments.
# A check that does more than ask the candidate gives another report here, or asks for another call.
from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from runner.harness.bench import Bench, ReplayMismatchError, UnrecordableResultError
from runner.harness.callers import Caller, Recorder, decode_call
from runner.harness.cases import Stage, candidate_seed, load_function, load_stage, play_case, prepare_case
from runner.harness.environment import describe_environment
from runner.harness.errors import describe_error
from runner.harness.facts import Held, Observer, hold_arguments, name_arguments, run_reference
from runner.harness.storages import digest_contents, make_storage, write_bytes
from runner.harness.world import World

Json = Any


class Replayer(Caller):
    """Answers check from a recording, as long as check asks what it asked then."""

    def __init__(
        self, calls: Sequence[Json], bench: Bench, reference: Callable[..., Any], inout: Sequence[str]
    ) -> None:
        super().__init__(bench)
        self._calls = calls
        self._reference = reference
        self._observer = Observer(inout)
        self.world = World()
        self.held: list[Held] = []
        self.facts: list[Json] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the recording says that the candidate returned, changed or raised."""
        self._admit()
        if len(self.held) >= len(self._calls):
            raise self._mismatch("check calls the candidate more often than it did before")
        call = self._calls[len(self.held)]
        with torch._C._DisableTorchDispatch():
            before = self._compare(call, args, kwargs)
            names = name_arguments(self._reference, call["args"])
            self.held.append(hold_arguments(self.world, call["args"], names, before))
            self._load(call)
            self.facts.append(self._observer.describe(call, names, before, self.world.read_storages()))
            if "raise" in call:
                self._raise(call["raise"], None)
            if "unrecordable" in call:
                raise self._bench.note("candidate", UnrecordableResultError(call["unrecordable"]))
            if "return" not in call:
                raise self._mismatch("the candidate does not come back from a call")
            return self.world.decode(call["return"])

    def _compare(self, call: Json, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[bytes]:
        number = len(self.held) + 1
        if self._encode_arguments(self.world, args, kwargs) != call["args"]:
            raise self._mismatch(f"check gives other arguments to call {number} than it did before")
        before = self.world.read_storages()
        if digest_contents(before) != call["before"]:
            raise self._mismatch(
                f"at call {number} other values stand in the arguments or in earlier results than before "
                "(memory that nothing was written to, or a change between the calls)"
            )
        return before

    def _load(self, call: Json) -> None:
        for number, device, content in call["after"]:
            data = base64.b64decode(content)
            if number < len(self.world.storages):
                write_bytes(self.world.storages[number], data)
            else:
                self.world.add_storage(make_storage(data, device))
        if call.get("after_args", call["args"]) != call["args"]:
            decode_call(self.world, call["after_args"])
        for counter, made in zip(self._bench.counters, call["counts"], strict=False):
            counter.total += made

    def _mismatch(self, text: str) -> ReplayMismatchError:
        return self._bench.note("harness", ReplayMismatchError(f"replayed without the candidate, {text}"))

    def close(self) -> None:
        """Notes a fault unless check has asked for every recorded call."""
        if len(self.held) < len(self._calls):
            self._mismatch("check calls the candidate less often than it did before")


def run_replay(work: dict[str, Any], place: dict[str, Any], mark: Callable[[], None]) -> dict[str, Any]:
    """Plays the recorded cases without the candidate: {"cases": [...], "environment"}.

    A case is {"report", "rounded"} or {"error", "by"}, with "facts": for each call {"candidate", "reference"}, what
    `Observer.describe` says of the recorded call and of the reference on the same arguments.
    """
    stage = load_stage(work, place)
    answer: dict[str, Any] = {"cases": [], "environment": describe_environment(work["device"])}
    reference: Any = None
    if isinstance(stage, Stage):
        try:
            reference = load_function(work["reference"], work["function"], unit="reference", place=place, names={})
        except BaseException as error:
            stage = {"error": describe_error(error), "by": "harness"}
    if not isinstance(stage, Stage):
        answer["cases"] = [{**stage, "facts": []} for _ in work["calls"]]
        return answer
    for case, calls in zip(work["cases"], work["calls"], strict=False):
        answer["cases"].append(replay_case(stage, case, calls, reference, work))
        mark()
    return answer


def replay_case(
    stage: Stage, case: Mapping[str, Any], calls: Sequence[Json], reference: Any, work: Mapping[str, Any]
) -> Json:
    """One case with the facts of its calls. The reference runs last, where it cannot disturb check."""
    arguments = prepare_case(stage, case)
    if isinstance(arguments, BaseException):
        return {"error": describe_error(arguments), "by": "inputs", "facts": []}
    replayer = Replayer(calls, stage.bench, reference, work["inout"])
    played = play_case(stage, arguments, replayer, replayer.close)
    recorder, observer = Recorder(reference, Bench(), candidate_seed(work)), Observer(work["inout"])
    pairs = zip(replayer.facts, replayer.held, strict=True)
    facts = [{"candidate": f, "reference": run_reference(recorder, observer, held)} for f, held in pairs]
    return {**played, "facts": facts}
