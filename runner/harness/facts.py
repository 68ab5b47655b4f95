# What the contract is judged by: what each call returned, what that shares memory with, which arguments changed.
# Taken from the recorded call and the bytes around it, for candidate and reference alike; the parent judges.
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from runner.harness.callers import Recorder, decode_call
from runner.harness.storages import make_storage
from runner.harness.world import Encoded, World

Json = Any


class Observer:
    """Describes the calls of one function within a case, one after the other."""

    def __init__(self, inout: Sequence[str]) -> None:
        self._inout = frozenset(inout)
        self._earlier: set[int] = set()

    def describe(
        self, call: Mapping[str, Json], names: Sequence[str], before: Sequence[bytes], after: Sequence[bytes]
    ) -> Json:
        """{"raised", "unrecordable", "result", "shares", "watched", "changed"} of a call; a result is a tree of types.

        `before` and `after` are the bytes of every storage around the call, by number.
        """
        given = list(zip(names, list_arguments(call["args"]), strict=True))
        left = dict(zip(names, list_arguments(call.get("after_args", call["args"])), strict=True))
        watched = [name for name, value in given if name not in self._inout and is_mutable(value)]
        spoilt = self._find_spoilt(given, before, after)
        returned = "return" in call and "unrecordable" not in call
        side = {
            "raised": call["raise"]["name"] if "raise" in call else call.get("ended"),
            "unrecordable": call.get("unrecordable"),
            "result": describe_result(call["return"], after) if returned else None,
            "shares": self._describe_sharing(call["return"], given, after) if returned else None,
            "watched": watched,
            "changed": [n for n, value in given if n in watched and (left[n] != value or n in spoilt)],
        }
        if returned:
            self._earlier.update(tensor["storage"] for tensor in find_tensors(call["return"]))
        return side

    def _describe_sharing(self, result: Encoded, given: Sequence[tuple[str, Encoded]], after: Sequence[bytes]) -> Json:
        made = {tensor["storage"] for tensor in find_tensors(result) if after[tensor["storage"]]}
        arguments = {name: {t["storage"] for t in find_tensors(value)} for name, value in given}
        everything = set().union(*arguments.values())
        return {
            "tensors": len(made),
            "arguments": [name for name, storages in arguments.items() if storages & made],
            "earlier": bool(made & (self._earlier - everything)),
        }

    def _find_spoilt(
        self, given: Sequence[tuple[str, Encoded]], before: Sequence[bytes], after: Sequence[bytes]
    ) -> set[str]:
        """Arguments with a byte changed in their storages that no argument which may change covers."""
        spoilt = set()
        free = [tensor for name, value in given if name in self._inout for tensor in find_tensors(value)]
        for name, value in given:
            for number in {tensor["storage"] for tensor in find_tensors(value)}:
                covers = [tensor for tensor in free if tensor["storage"] == number]
                if before[number] != after[number] and is_changed(before[number], after[number], covers):
                    spoilt.add(name)
        return spoilt


def is_changed(before: bytes, after: bytes, covers: Sequence[Encoded]) -> bool:
    """Whether bytes differ outside the elements of the tensors in `covers`."""
    if not covers or len(before) != len(after):
        return True
    differs = as_bytes(before) != as_bytes(after)
    for tensor in covers:
        size = getattr(torch, tensor["dtype"]).itemsize
        places = torch.arange(len(before) // size, device="cpu").as_strided(
            tensor["shape"], tensor["stride"], tensor["offset"]
        )
        differs[: len(before) // size * size].view(-1, size)[places.reshape(-1)] = False
    return bool(differs.any())


def as_bytes(content: bytes) -> torch.Tensor:
    """Bytes as a tensor of uint8 on the CPU."""
    return torch.empty(0, dtype=torch.uint8, device="cpu").set_(make_storage(content, "cpu"))


def list_arguments(encoded: Encoded) -> list[Encoded]:
    """The values of a call's arguments, positional ones first."""
    return [*encoded[0], *(value for _, value in encoded[1])]


def name_arguments(function: Callable[..., Any], encoded: Encoded) -> list[str]:
    """For each argument of a call the name of its parameter in `function`; its place where there is none."""
    keywords = [name for name, _ in encoded[1]]
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    count = len(encoded[0])
    return [positional[n] if n < len(positional) else f"argument {n + 1}" for n in range(count)] + keywords


def find_tensors(encoded: Encoded) -> Iterator[Encoded]:
    """The tensors in an encoded value."""
    if isinstance(encoded, dict) and "tensor" in encoded:
        yield encoded
    elif isinstance(encoded, dict) and "items" in encoded:
        for item in encoded["items"]:
            yield from find_tensors(item[1] if encoded["kind"] == "dict" else item)


def is_mutable(encoded: Encoded) -> bool:
    """Whether an argument can be changed: a tensor, a list or a dict, or a tuple with one."""
    if not isinstance(encoded, dict):
        return False
    if "tensor" in encoded or encoded.get("kind") in ("list", "dict"):
        return True
    return any(is_mutable(item) for item in encoded.get("items", ()))


def describe_result(encoded: Encoded, contents: Sequence[bytes]) -> Json:
    """A tree of types: {"type"} with, for tensors, shape, dtype, device and how many elements are not finite."""
    if not isinstance(encoded, dict):
        return {"type": "None" if encoded is None else type(encoded).__name__}
    if "float" in encoded:
        value = float.fromhex(encoded["float"])
        return {"type": "float", "elements": 1, "nonfinite": int(value - value != 0.0)}
    if "tensor" in encoded:
        return describe_tensor(encoded, contents)
    if "items" in encoded:
        items = encoded["items"]
        keys = {"keys": [key for key, _ in items]} if encoded["kind"] == "dict" else {}
        values = [value for _, value in items] if encoded["kind"] == "dict" else items
        return {"type": encoded["kind"], **keys, "items": [describe_result(value, contents) for value in values]}
    return {"type": "torch.dtype" if "dtype" in encoded else "torch.device"}


def describe_tensor(encoded: Encoded, contents: Sequence[bytes]) -> Json:
    """Type, shape, dtype, number of elements, and how many of them are NaN or infinite."""
    dtype = getattr(torch, encoded["dtype"])
    nonfinite = 0
    if dtype.is_floating_point or dtype.is_complex:
        world = World()
        world.add_storage(make_storage(contents[encoded["storage"]], "cpu"))
        tensor = world.make_tensor({**encoded, "storage": 0})
        nonfinite = int((~tensor.to(torch.complex128 if dtype.is_complex else torch.float64).isfinite()).sum())
    elements = 1
    for size in encoded["shape"]:
        elements *= size
    return {
        "type": encoded["type"],
        "shape": encoded["shape"],
        "dtype": encoded["dtype"],
        "elements": elements,
        "nonfinite": nonfinite,
    }


@dataclass(frozen=True, slots=True)
class Held:
    """A copy of a call's arguments, as they were before it: what the reference is given."""

    names: Sequence[str]
    """Names of the arguments, positional ones first."""
    arguments: tuple[list[Any], dict[str, Any]]
    """Positional and named values; they share memory with each other as the call's did, and with nothing else."""
    grad: bool
    """Whether gradients were recorded."""


def hold_arguments(world: World, encoded: Encoded, names: Sequence[str], before: Sequence[bytes]) -> Held:
    """Copies the arguments that `encoded` describes from the bytes of their storages."""
    used = {tensor["storage"] for value in list_arguments(encoded) for tensor in find_tensors(value)}
    copies = World(keep_grad=True)
    for number, storage in enumerate(world.storages):
        copies.add_storage(make_storage(before[number] if number in used else b"", str(storage.device)))
    return Held(names, decode_call(copies, encoded), torch.is_grad_enabled())


def run_reference(recorder: Recorder, observer: Observer, held: Held) -> Json:
    """What the reference does with the held arguments, described as `Observer.describe` does."""
    args, kwargs = held.arguments
    done = len(recorder.calls)
    try:
        with torch.set_grad_enabled(held.grad):
            recorder(*args, **kwargs)
    except BaseException:  # the call says what was raised
        recorder.ended = None
    if len(recorder.calls) == done:
        return None
    return observer.describe(recorder.calls[-1], held.names, recorder.before, recorder.world.read_storages())
