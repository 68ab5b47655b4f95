# The objects and storages that passed between check and the candidate, by number: the same in record and replay.
# A value becomes JSON that names its objects and storages; from that JSON check gets plain values, in both jobs alike.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from runner.harness.bench import UnrecordableError
from runner.harness.storages import read_bytes

SCALARS = (bool, int, str)
CONTAINERS: Mapping[type, str] = {list: "list", tuple: "tuple", dict: "dict", torch.Size: "Size"}
NAMED_TUPLES = "torch.return_types"

Encoded = Any
"""JSON: a scalar as it is, else an object with `float`, `dtype`, `device`, `tensor` or `object`."""


class World:
    """What was seen so far. Everything is kept alive, so that identities cannot be reused."""

    def __init__(self, *, keep_grad: bool = False) -> None:
        self.storages: list[Any] = []
        self._storage_numbers: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self._faces: dict[int, Any] = {}
        self._kept: list[object] = []
        self._next = 0
        self._keep_grad = keep_grad

    def read_storages(self) -> list[bytes]:
        """The bytes of every storage, in the order of their numbers."""
        return [read_bytes(storage) for storage in self.storages]

    def add_storage(self, storage: Any) -> int:
        """The number of a storage, a new one if it was not seen before."""
        key = int(storage._cdata)
        if key not in self._storage_numbers:
            self._storage_numbers[key] = len(self.storages)
            self.storages.append(storage)
        return self._storage_numbers[key]

    def encode(self, value: Any, *, given: bool, above: tuple[int, ...] = ()) -> Encoded:
        """A value as JSON. `given` by check, an object is what check sees; otherwise check gets a plain one for it.

        Raises UnrecordableError, which names the type, for anything that is not of the permitted kinds.
        """
        if value is None or type(value) in SCALARS:
            return value
        if type(value) is float:
            return {"float": value.hex()}
        if type(value) is torch.dtype:
            return {"dtype": str(value).removeprefix("torch.")}
        if type(value) is torch.device:
            return {"device": str(value)}
        if type(value) in (torch.Tensor, torch.nn.Parameter):
            return self._encode_tensor(value, given)
        kind = name_container(value)
        if kind is None:
            raise UnrecordableError(f"{name_article(type(value).__name__)} cannot be recorded")
        return self._encode_container(value, kind, given, above)

    def _encode_tensor(self, tensor: torch.Tensor, given: bool) -> Encoded:
        return {"tensor": self._number(tensor, given), **self.describe_tensor(tensor)}

    def describe_tensor(self, tensor: torch.Tensor) -> dict[str, Any]:
        """Kind, layout and storage of a dense tensor; UnrecordableError for any other."""
        wrapped = torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        if wrapped or tensor.layout != torch.strided or tensor.is_nested or tensor.is_quantized or tensor.is_meta:
            raise UnrecordableError(
                "a tensor that is not dense (sparse, nested, quantized, meta, or inside a transform) cannot be recorded"
            )
        return {
            "type": type(tensor).__name__,
            "storage": self.add_storage(tensor.untyped_storage()),
            "dtype": str(tensor.dtype).removeprefix("torch."),
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "offset": tensor.storage_offset(),
            "conj": tensor.is_conj(),
            "neg": tensor.is_neg(),
            "grad": tensor.requires_grad,
        }

    def _encode_container(self, value: Any, kind: str, given: bool, above: tuple[int, ...]) -> Encoded:
        if id(value) in above:
            raise UnrecordableError(f"{name_article(kind)} that contains itself cannot be recorded")
        inner = (*above, id(value))
        number = self._number(value, given)
        if kind == "dict":
            if any(type(key) not in (str, int) for key in value):
                raise UnrecordableError("a dict whose keys are not all str or int cannot be recorded")
            items: list[Any] = [[key, self.encode(item, given=given, above=inner)] for key, item in value.items()]
        else:
            items = [self.encode(item, given=given, above=inner) for item in value]
        return {"object": number, "kind": kind, "items": items}

    def _number(self, value: object, given: bool) -> int:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._next
            self._bind(number, value)
            if given:
                self._faces[number] = value
        return number

    def _bind(self, number: int, value: object) -> None:
        self._numbers[id(value)] = number
        self._kept.append(value)
        self._next = max(self._next, number + 1)

    def decode(self, encoded: Encoded) -> Any:
        """What check sees for an encoded value; objects that it has already are brought up to date in place."""
        if not isinstance(encoded, dict):
            return encoded
        if "float" in encoded:
            return float.fromhex(encoded["float"])
        if "dtype" in encoded:
            return self._decode_tensor(encoded) if "tensor" in encoded else getattr(torch, encoded["dtype"])
        if "device" in encoded:
            return torch.device(encoded["device"])
        return self._decode_container(encoded)

    def _decode_tensor(self, encoded: Mapping[str, Any]) -> torch.Tensor:
        number = encoded["tensor"]
        face: torch.Tensor | None = self._faces.get(number)
        if face is None:
            face = self.make_tensor(encoded)
            if self._keep_grad:
                face = restore_grad(face, encoded)
            self._set_face(number, face)
        elif place_of(self.describe_tensor(face)) != place_of(encoded):
            face.data = self.make_tensor(encoded)
        return face

    def make_tensor(self, encoded: Mapping[str, Any]) -> torch.Tensor:
        """A plain detached tensor on the storage that `encoded` names."""
        storage = self.storages[encoded["storage"]]
        tensor = torch.empty(0, dtype=getattr(torch, encoded["dtype"]), device=storage.device)
        tensor.set_(storage, encoded["offset"], encoded["shape"], encoded["stride"])
        tensor = torch._C._VariableFunctions._conj(tensor) if encoded["conj"] else tensor
        return torch._neg_view(tensor) if encoded["neg"] else tensor

    def _decode_container(self, encoded: Mapping[str, Any]) -> Any:
        kind, number = encoded["kind"], encoded["object"]
        face = self._faces.get(number)
        if kind == "dict":
            content = {key: self.decode(item) for key, item in encoded["items"]}
            face = {} if face is None else face
            face.clear()
            face.update(content)
        elif kind == "list":
            members = [self.decode(item) for item in encoded["items"]]
            face = [] if face is None else face
            face[:] = members
        else:
            members = [self.decode(item) for item in encoded["items"]]
            face = build_tuple(kind, members) if face is None else face
        self._set_face(number, face)
        return face

    def _set_face(self, number: int, face: object) -> None:
        if self._faces.get(number) is not face:
            self._faces[number] = face
            self._bind(number, face)


def name_container(value: object) -> str | None:
    """list, tuple, dict, Size, or the name of one of torch's named tuples; None for anything else."""
    cls = type(value)
    if cls in CONTAINERS:
        return CONTAINERS[cls]
    named = cls.__module__ == NAMED_TUPLES and getattr(torch.return_types, cls.__name__, None) is cls
    return f"{NAMED_TUPLES}.{cls.__name__}" if named else None


def build_tuple(kind: str, members: list[Any]) -> Any:
    """A tuple, a torch.Size or one of torch's named tuples with these members."""
    if kind == "tuple":
        return tuple(members)
    if kind == "Size":
        return torch.Size(members)
    return getattr(torch.return_types, kind.removeprefix(f"{NAMED_TUPLES}."))(members)


def restore_grad(tensor: torch.Tensor, encoded: Mapping[str, Any]) -> torch.Tensor:
    """The tensor as a leaf that asks for a gradient, or a parameter, as the encoded one did."""
    if encoded["type"] == "Parameter":
        return torch.nn.Parameter(tensor, requires_grad=encoded["grad"])
    return tensor.requires_grad_(encoded["grad"])


def place_of(encoded: Mapping[str, Any]) -> dict[str, Any]:
    """Where and how a tensor lies in its storage."""
    return {key: encoded[key] for key in ("storage", "dtype", "shape", "stride", "offset", "conj", "neg")}


def name_article(name: str) -> str:
    """A noun with its article."""
    return f"an {name}" if name[:1] in "aeiouAEIOU" else f"a {name}"
