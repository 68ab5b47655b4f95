# What check calls in the candidate's place: the recorder here, the replayer in the other job.
# One call at a time and nothing but calls; both know which exception of check was the candidate's own.
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from runner.harness.bench import Bench, ForbiddenCallError, UnrecordableError, UnrecordableResultError
from runner.harness.raised import build_raised, encode_raised
from runner.harness.storages import digest_contents, read_bytes
from runner.harness.streams import OwnStream
from runner.harness.world import World

Json = Any


class Caller:
    """Stands for the candidate before check: it can be called, and that is all."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._thread = threading.get_ident()
        self.given: BaseException | None = None
        self.original: BaseException | None = None
        self.ended: BaseException | None = None

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_torchdynamo"):  # what torch.compile asks of what it is given
            raise self._bench.note("checker", ForbiddenCallError("check compiled the candidate; it may only call it"))
        raise AttributeError(f"check may only call the candidate: it has no attribute {name}")

    def _admit(self) -> None:
        if threading.get_ident() != self._thread:
            raise self._bench.note(
                "checker", ForbiddenCallError("check called the candidate from another thread; call it in check's own")
            )
        if self.ended is not None:
            raise self.ended

    def _encode_arguments(self, world: World, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Json:
        try:
            return encode_call(world, args, kwargs, given=True)
        except UnrecordableError as error:
            text = f"check gave the candidate an argument that it may not: {error}"
            raise self._bench.note("checker", UnrecordableError(text)) from None

    def _raise(self, encoded: Json, original: BaseException | None) -> NoReturn:
        self.given = build_raised(encoded)
        self.original = self.given if original is None else original
        raise self.given from None


class Recorder(Caller):
    """Calls a function and writes down what it was given, changed, returned or raised."""

    def __init__(self, function: Callable[..., Any], bench: Bench, seed: int) -> None:
        super().__init__(bench)
        self._function = function
        self._stream = OwnStream(seed)
        self.world = World()
        self.calls: list[dict[str, Json]] = []
        self.before: list[bytes] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns, as plain values on its storages; its exception as the nearest known class."""
        self._admit()
        with torch._C._DisableTorchDispatch():
            call: dict[str, Json] = {"args": self._encode_arguments(self.world, args, kwargs)}
            self.before = self.world.read_storages()
            call["before"] = digest_contents(self.before)
        self.calls.append(call)
        result, error = self._run(call, args, kwargs)
        with torch._C._DisableTorchDispatch():
            if self.ended is not None:
                raise self.ended
            self._note_result(call, result, error)
            self._note_changes(call, args, kwargs)
            if error is not None:
                self._raise(call["raise"], error)
            return self.world.decode(call["return"])

    def _run(
        self, call: dict[str, Json], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, Exception | None]:
        counters = list(self._bench.counters)
        totals = [counter.total for counter in counters]
        result, error = None, None
        self._stream.swap()
        try:
            result = self._function(*args, **kwargs)
        except Exception as raised:
            error = raised
        except BaseException as raised:
            self.ended = raised
            call["ended"] = type(raised).__name__
        finally:
            self._stream.swap()
        call["counts"] = [counter.total - total for counter, total in zip(counters, totals, strict=True)]
        return result, error

    def _note_result(self, call: dict[str, Json], result: Any, error: Exception | None) -> None:
        if error is not None:
            call["raise"] = encode_raised(error)
            return
        try:
            call["return"] = self.world.encode(result, given=False)
        except UnrecordableError as refused:
            self._refuse(call, f"the candidate returned what it may not: {refused}")

    def _note_changes(self, call: dict[str, Json], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            call["after_args"] = encode_call(self.world, args, kwargs, given=False)
        except UnrecordableError as refused:
            self._refuse(call, f"the candidate put into its arguments what it may not: {refused}")
        known = dict(enumerate(self.before))
        call["after"] = [
            [number, storage.device.type, content]
            for number, storage in enumerate(self.world.storages)
            if (content := read_bytes(storage)) != known.get(number)
        ]
        if call["after_args"] != call["args"]:
            decode_call(self.world, call["after_args"])

    def _refuse(self, call: dict[str, Json], text: str) -> NoReturn:
        call["unrecordable"] = text
        raise self._bench.note("candidate", UnrecordableResultError(text))


def encode_call(world: World, args: tuple[Any, ...], kwargs: dict[str, Any], *, given: bool) -> Json:
    """The arguments of a call: [positional ones, [name, value] of the others]."""
    return [
        [world.encode(value, given=given) for value in args],
        [[name, world.encode(value, given=given)] for name, value in kwargs.items()],
    ]


def decode_call(world: World, encoded: Json) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that `encode_call` wrote down."""
    return [world.decode(value) for value in encoded[0]], {name: world.decode(value) for name, value in encoded[1]}
