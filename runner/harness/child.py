# The child program: reads one request, sets the process up, runs it and answers with one frame of JSON.
# Descriptors: 0 nothing, 1 and 2 captured, 3 the channel to the supervisor, 4 where the fault handler writes.
from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import random
import signal
import socket
import struct
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

from runner.harness.errors import find_home

CHANNEL, TRACE = 3, 4
PROGRAMS = {
    "probe": ("runner.harness.environment", "run_probe"),
    "session": ("runner.harness.session", "run_session"),
    "record": ("runner.harness.record", "run_record"),
    "replay": ("runner.harness.replay", "run_replay"),
}


encode_answer = json.JSONEncoder(allow_nan=False, ensure_ascii=True).encode  # bound before any job's code runs


class Channel:
    """The line to the supervisor; its token never leaves this object."""

    def __init__(self, fd: int) -> None:
        self._line = socket.socket(fileno=os.dup(fd))
        os.close(fd)
        request = json.loads(self._read(*struct.unpack(">I", self._read(4))))
        self._token = request.pop("token").encode()
        self.request: dict[str, Any] = request

    def _read(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            part = self._line.recv(min(count, 1 << 20))
            if not part:
                os._exit(125)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _say(self, kind: bytes, content: bytes = b"") -> None:
        self._line.sendall(struct.pack(">I", 33 + len(content)) + kind + self._token + content)

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(Exception):
                if stream is not None:
                    stream.flush()

    def ready(self) -> None:
        """Tells that the set-up is over and the job's own time begins."""
        self._say(b"R")
        self._read(5)

    def mark(self) -> None:
        """Ends a section: all that was written so far belongs to it."""
        self._flush()
        self._say(b"M")
        self._read(5)

    def answer(self, result: dict[str, Any]) -> None:
        """Says the result and ends the process, whatever threads or exit handlers it has."""
        self._flush()
        self._say(b"A", encode_answer(result).encode())
        os._exit(0)


def prepare_process(request: dict[str, Any]) -> None:
    """One thread, a recorded seed, the asked device; torch only where the job's code speaks of it."""
    faulthandler.enable(file=TRACE)
    faulthandler.register(signal.SIGUSR2, file=TRACE, all_threads=False)
    tempfile.tempdir = None  # a warm server may have looked it up for itself
    work = request["work"]
    random.seed(work.get("seed", 0))
    if work.get("torch") and request["kind"] != "probe":  # which asks whether torch can be imported
        prepare_torch(work)


def prepare_torch(work: dict[str, Any]) -> None:
    """Imports torch and fixes what a job may not leave to the machine."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
        torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    with contextlib.suppress(RuntimeError):
        torch.set_num_interop_threads(1)
    torch.manual_seed(work.get("seed", 0))
    if work.get("device") == "cuda":
        torch.set_default_device("cuda")


def load_program(kind: str) -> Callable[[dict[str, Any], dict[str, Any], Callable[[], None]], dict[str, Any]]:
    """The function that runs this kind of job."""
    module, name = PROGRAMS[kind]
    program: Callable[..., dict[str, Any]] = getattr(importlib.import_module(module), name)
    return program


def main(root: str) -> None:
    """Runs the request that waits on the channel; `root` is where the package was found."""
    channel = Channel(CHANNEL)
    try:
        prepare_process(channel.request)
        program = load_program(channel.request["kind"])
        sys.path[:] = [find_home(), *(path for path in sys.path if path != root)]
        sys.modules["__main__"] = types.ModuleType("__main__")
        channel.ready()
        result = program(channel.request["work"], channel.request["place"], channel.mark)
    except BaseException:
        result = {"broken": traceback.format_exc(limit=-4)}
    try:
        channel.answer(result)
    except (TypeError, ValueError) as error:
        channel.answer({"broken": f"the answer is not JSON: {error}"})
