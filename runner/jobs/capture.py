# One captured stream of a job, split into sections; what is too long keeps its head and its tail.
# Apart from the supervisor, so that what a page may show is bounded in one place.
from __future__ import annotations

import os
from typing import Any


class Capture:
    """One stream of the child, split into sections; keeps head and tail of each."""

    def __init__(self, fd: int, keep_bytes: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.total = 0
        self._keep_head = keep_bytes * 3 // 4
        self._keep_tail = keep_bytes - self._keep_head
        self._sections: list[dict[str, Any]] = []
        self._start()

    def _start(self) -> None:
        self._head, self._tail, self._count = bytearray(), bytearray(), 0

    def drain(self) -> bool:
        """Takes what is there now; False when the stream has ended."""
        for _ in range(256):
            try:
                part = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not part:
                return False
            self._take(part)
        return True

    def _take(self, part: bytes) -> None:
        self.total += len(part)
        self._count += len(part)
        room = self._keep_head - len(self._head)
        self._head += part[:room]
        self._tail += part[room:] if room > 0 else part
        del self._tail[: -self._keep_tail]

    def close_section(self) -> None:
        """Ends the section and begins the next."""
        dropped = self._count - len(self._head) - len(self._tail)
        note = f"\n[… {dropped} bytes not shown …]\n".encode() if dropped else b""
        text = (bytes(self._head) + note + bytes(self._tail)).decode("utf-8", "backslashreplace")
        self._sections.append({"text": text, "dropped": dropped})
        self._start()

    @property
    def sections(self) -> list[dict[str, Any]]:
        """What each section held so far."""
        return self._sections
