# The bytes of storages on any device: read, written, compared by digest.
# Done on raw memory, since a storage may have no tensor that covers it, and NumPy may be absent.
from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterable
from typing import Any

import torch


def read_bytes(storage: Any) -> bytes:
    """All bytes of a storage; for a GPU after its work on the current stream is done."""
    count = int(storage.nbytes())
    if count == 0:
        return b""
    near = storage if storage.device.type == "cpu" else storage.cpu()
    return ctypes.string_at(near.data_ptr(), count)


def write_bytes(storage: Any, content: bytes) -> None:
    """Makes these the bytes of a storage, and its size theirs."""
    if storage.nbytes() != len(content):
        storage.resize_(len(content))
    if not content:
        return
    near = storage if storage.device.type == "cpu" else torch.UntypedStorage(len(content))
    ctypes.memmove(near.data_ptr(), content, len(content))
    if near is not storage:
        storage.copy_(near)


def make_storage(content: bytes, device: str) -> Any:
    """A new storage that holds these bytes."""
    storage = torch.UntypedStorage(0, device=device)
    write_bytes(storage, content)
    return storage


def digest_contents(contents: Iterable[bytes]) -> str:
    """SHA-256 of some storages' bytes, each with its length before it."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.hexdigest()
