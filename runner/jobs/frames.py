# Frames on a pipe: a length in four bytes, big end first, and that many bytes.
# The one format between the build, its supervisors and their children.
from __future__ import annotations

import os
import struct


def read_exactly(fd: int, count: int) -> bytes:
    """Reads `count` bytes of a descriptor; EOFError when it ends early."""
    parts: list[bytes] = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_frame(fd: int) -> bytes:
    """Reads one frame: its length in four bytes, big end first, and its content."""
    (length,) = struct.unpack(">I", read_exactly(fd, 4))
    return read_exactly(fd, length)


def pack_frame(content: bytes) -> bytes:
    """One frame as bytes."""
    return struct.pack(">I", len(content)) + content


def write_frame(fd: int, content: bytes) -> None:
    """Writes one frame."""
    view = memoryview(pack_frame(content))
    while view:
        view = view[os.write(fd, view) :]
