# The program that watches one job: it starts the child, captures, limits, times out and kills its whole tree.
# Standard library and its own room only, since one starts for each job: it is up in 20 ms.
from __future__ import annotations

import base64
import contextlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner.jobs.capture import Capture
from runner.jobs.frames import pack_frame, read_frame, write_frame
from runner.jobs.tree import become_subreaper, die_with_parent, kill_descendants

STARTUP_LIMIT_S = 300.0
LARGEST_FRAME = 512 * 1024 * 1024
TICK_S = 0.02


class Watch:
    """Runs one child under its limits and says what became of it."""

    def __init__(self, order: dict[str, Any], folder: str, become_job: Callable[[], None] | None) -> None:
        self.order, self.limits, self.folder = order, order["limits"], folder
        self._become_job = become_job
        self.token = os.urandom(16).hex().encode()
        self.answer: bytes | None = None
        self.status, self.detail = "", ""
        self._buffer = bytearray()
        self._code: int | None = None

    def run(self) -> dict[str, Any]:
        """Starts the child, watches it to its end and kills what is left of it."""
        began = time.monotonic()
        self._start()
        try:
            self._watch()
        finally:
            code = self._end()
        for stream in (self.stdout, self.stderr):
            stream.drain()
            stream.close_section()
        self.trace.drain()
        self.trace.close_section()
        if self.answer is None and not self.status:
            self._name_death(code)
        pairs = zip(self.stdout.sections, self.stderr.sections, strict=True)
        sections = [
            {"stdout": o["text"], "stderr": e["text"], "dropped": o["dropped"] + e["dropped"]} for o, e in pairs
        ]
        return {
            "status": self.status or "ok",
            "detail": self.detail,
            "sections": sections,
            "trace": self.trace.sections[0]["text"],
            "seconds": time.monotonic() - began,
            "folder": self.folder,
        }

    def _name_death(self, code: int) -> None:
        if os.WIFSIGNALED(code):
            self.status, self.detail = "signal", signal.Signals(os.WTERMSIG(code)).name
        else:
            self.status, self.detail = "no-result", f"exit status {os.WEXITSTATUS(code)}"

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        pipes = [os.pipe() for _ in range(3)]
        keep = self.limits["keep_bytes"]
        self.pid = os.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                self._become_child(theirs.fileno(), [write for _, write in pipes])
            os._exit(127)
        theirs.close()
        for _, write in pipes:
            os.close(write)
        self.channel = ours
        ours.setblocking(False)
        self.stdout, self.stderr, self.trace = (Capture(read, keep) for read, _ in pipes)
        self._send(json.dumps({**self.order["request"], "token": self.token.decode()}).encode())
        self._alive, self._began = True, time.monotonic()
        self._ready: float | None = None
        self._section_began: float | None = None

    def _become_child(self, channel: int, streams: list[int]) -> None:
        os.setsid()
        die_with_parent()
        os.chdir(self.folder)
        null = os.open(os.devnull, os.O_RDONLY)
        moved = [200 + n for n in range(4)]  # out of the way of the numbers that are written to below
        for source, target in zip((channel, *streams), moved, strict=True):
            os.dup2(source, target)
        for source, target in zip((null, moved[1], moved[2], moved[0], moved[3]), range(5), strict=True):
            os.dup2(source, target)
        os.closerange(5, 4096)
        for name, value in self.limits["resources"].items():
            limit = getattr(resource, name, None)
            if limit is not None:
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    resource.setrlimit(limit, (value, value))
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        environment = {**self.order["env"], "HOME": self.folder, "TMPDIR": self.folder}
        if self._become_job is None:
            argv = self.order["argv"]
            os.execve(argv[0], argv, environment)  # noqa: S606
        else:
            os.environ.clear()
            os.environ.update(environment)
            self._become_job()

    def _send(self, content: bytes) -> None:
        view = memoryview(pack_frame(content))
        while view:
            try:
                view = view[self.channel.send(view) :]
            except BlockingIOError:
                _, ready, _ = select.select([], [self.channel], [], 1.0)
                if not ready and self._exited():
                    return
            except OSError:
                return

    def _watch(self) -> None:
        poll = select.poll()
        for fd in (self.stdout.fd, self.stderr.fd, self.trace.fd, self.channel.fileno()):
            poll.register(fd, select.POLLIN)
        poll.register(0, 0)  # only the hang-up of the parent counts
        while self.answer is None and not self.status:
            for fd, event in poll.poll(TICK_S * 1000):
                if not self._serve(fd, event):
                    poll.unregister(fd)
            self._check_limits()
            if self._alive and self._exited() and not self._hear_rest():
                return

    def _serve(self, fd: int, event: int) -> bool:
        """Takes what a descriptor has; False when nothing more will come from it."""
        if fd == 0:
            self.status, self.detail = "cancelled", "the build ended"
            return True
        if fd != self.channel.fileno():
            stream = {s.fd: s for s in (self.stdout, self.stderr, self.trace)}[fd]
            return not event or stream.drain()
        if self._hear():
            return True
        if not self.answer and not self._wait_for_death():
            self.status, self.detail = "no-result", "it closed its result channel"
        return False

    def _exited(self) -> bool:
        """Whether the child is dead (it stays a zombie until `_end`)."""
        if self._code is None and hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        if self._code is None:  # macOS before Python 3.13: asking is taking
            pid, code = os.waitpid(self.pid, os.WNOHANG)
            self._code = code if pid else None
        return self._code is not None

    def _wait_for_death(self) -> bool:
        """True when the child ends within a second of closing its channel."""
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            if self._exited():
                return True
            time.sleep(TICK_S / 4)
        return False

    def _hear_rest(self) -> bool:
        while self.answer is None and self._hear():
            pass
        self._alive = False
        return self.answer is not None

    def _hear(self) -> bool:
        """Takes what the child says; False when it will say nothing more."""
        try:
            part = self.channel.recv(1 << 20)
        except BlockingIOError:
            return self._alive and not self._exited()
        except OSError:
            return False
        if not part:
            return False
        self._buffer += part
        while len(self._buffer) >= 4 and self.answer is None:
            (length,) = struct.unpack(">I", self._buffer[:4])
            if length > LARGEST_FRAME:
                self.status, self.detail = "no-result", "it wrote rubbish to its result channel"
                return False
            if len(self._buffer) < 4 + length:
                break
            frame = bytes(self._buffer[4 : 4 + length])
            del self._buffer[: 4 + length]
            self._obey(frame)
        return True

    def _obey(self, frame: bytes) -> None:
        kind, token, content = frame[:1], frame[1:33], frame[33:]
        if token != self.token or kind not in (b"R", b"M", b"A"):
            self.status, self.detail = "no-result", "it wrote rubbish to its result channel"
            return
        now = time.monotonic()
        if kind == b"R":
            self._ready = now
        for stream in (self.stdout, self.stderr):
            stream.drain()
        if kind == b"M":
            self.stdout.close_section()
            self.stderr.close_section()
        if kind == b"A":
            self.answer = content
            return
        self._section_began = now
        self._send(b"G")

    def _check_limits(self) -> None:
        if self.answer is not None or self.status:
            return
        now, limits = time.monotonic(), self.limits
        if self._ready is None:
            self._check_time(now - self._began, STARTUP_LIMIT_S, "to start")
        else:
            self._check_time(now - self._ready, limits["timeout_s"], "in all")
            if limits["section_timeout_s"] is not None and self._section_began is not None:
                self._check_time(now - self._section_began, limits["section_timeout_s"], "for one part")
        if self.stdout.total + self.stderr.total > limits["produced_bytes"]:
            self.status, self.detail = "output-limit", f"it wrote more than {limits['produced_bytes']} bytes"

    def _check_time(self, taken_s: float, limit_s: float, what: str) -> None:
        if taken_s > limit_s and not self.status:
            self.status, self.detail = "timeout", f"it took more than {limit_s:g} s {what}"
            self._ask_where()

    def _ask_where(self) -> None:
        """Lets the child's fault handler write where it hangs, for a tenth of a second."""
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGUSR2)
        until = time.monotonic() + 0.1
        while time.monotonic() < until and self.trace.drain():
            time.sleep(TICK_S)

    def _end(self) -> int:
        """Kills the child and all that descends from it; its wait status."""
        status = kill_descendants(self.pid)
        return (self._code or 0) if status is None else status


def write_files(folder: str, files: dict[str, str]) -> None:
    """Lays out the files that the job may read."""
    for name, content in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))


def main(become_job: Callable[[], None] | None = None) -> None:
    """Tells its process id, reads an order from descriptor 0, runs it, writes its outcome and its answer to 1.

    `become_job` runs the job in a fork of this process; without it the order's `argv` starts a program.
    """
    become_subreaper()
    write_frame(1, str(os.getpid()).encode())
    order = json.loads(read_frame(0))
    folder = order["folder"]
    try:
        write_files(folder, order["files"])
        watch = Watch(order, folder, become_job)
        outcome = watch.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(BrokenPipeError):
        write_frame(1, json.dumps(outcome).encode())
        write_frame(1, watch.answer or b"null")


def keep() -> None:
    """Runs `main` below this process, which outlives it and kills what a killed supervisor leaves behind."""
    become_subreaper()
    pid = os.fork()
    if pid == 0:
        main()
        os._exit(0)
    os.close(0)
    os.close(1)
    os.waitpid(pid, 0)
    kill_descendants()
