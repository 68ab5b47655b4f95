# The warm engine: jobs are forked from a server that has imported torch once, and cost milliseconds, not seconds.
# For jobs on the CPU of a Linux machine; every other job goes to the plain engine behind it.
from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from typing import IO

from runner.jobs.engine import EngineError
from runner.jobs.exchange import DIED, clean_environment, exchange, make_folder
from runner.jobs.fresh import FIND, ROOT, FreshEngine
from runner.jobs.values import Job
from runner.judge.values import Outcome

SERVER = (
    f"{FIND}from runner.harness.warm import warm_up; warm_up(); from runner.harness.child import main; "
    f"from runner.jobs.server import serve; serve(lambda: main({str(ROOT)!r}))"
)


def can_fork_warm() -> bool:
    """Whether a process that has imported torch may be forked here: on Linux, and nowhere else for certain."""
    return sys.platform == "linux"


class WarmEngine:
    """Forks each job from a warm server, which starts with the first job."""

    def __init__(self, slots: int) -> None:
        self._fresh = FreshEngine(slots)
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._orders: set[IO[bytes]] = set()
        self._closed = False

    @property
    def slots(self) -> int:
        """How many jobs may run at once."""
        return self._fresh.slots

    @property
    def description(self) -> str:
        """What it is, in words."""
        return "a process for each job, forked from a warm server; a fresh one on a GPU and without torch"

    def run(self, job: Job) -> Outcome:
        """Runs one job to its end; EngineError when no process could be had."""
        if job.work.get("device") != "cpu" or not job.work.get("torch"):
            return self._fresh.run(job)  # a fresh Python without torch is up before a server would be
        return self._run_forked(job) or self._run_forked(job) or DIED

    def close(self) -> None:
        """Ends every running job, whose callers get an outcome `cancelled`, and the server."""
        with self._lock:
            self._closed = True
            for orders in self._orders:
                _close(orders)  # the supervisor sees it and ends its job
            self._stop()
        self._fresh.close()

    def _run_forked(self, job: Job) -> Outcome | None:
        """The outcome; None when the server was gone before it could take the job."""
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        with (
            open(ours_out, "wb") as orders,  # noqa: PTH123  a descriptor
            open(ours_in, "rb") as answers,  # noqa: PTH123  a descriptor
            make_folder() as folder,
        ):
            try:
                taken = self._hand_over([theirs_in, theirs_out], orders)
                outcome = exchange(job, folder, None, orders, answers) if taken else None
            finally:
                with self._lock:
                    self._orders.discard(orders)
                _close(orders)
        return None if outcome is DIED and not self._is_alive() else outcome

    def _hand_over(self, pair: list[int], orders: IO[bytes]) -> bool:
        with self._lock:
            try:
                if self._closed:
                    raise EngineError("the engine is closed")
                socket.send_fds(self._open_line(), [b"J"], pair)
                self._orders.add(orders)
            except BrokenPipeError:
                self._stop()
                return False
            finally:
                for fd in pair:
                    os.close(fd)
        return True

    def _is_alive(self) -> bool:
        with self._lock:
            return self._server is not None and self._server.poll() is None

    def _open_line(self) -> socket.socket:
        if self._server is not None and self._server.poll() is not None:
            self._stop()
        if self._line is None:
            ours, theirs = socket.socketpair()
            try:
                self._server = subprocess.Popen(
                    [sys.executable, "-P", "-c", SERVER],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                    env=clean_environment(os.environ, "cpu"),
                )
            except OSError as error:
                ours.close()
                raise EngineError(f"no process could be started: {error}") from error
            finally:
                theirs.close()
            self._line = ours
        return self._line

    def _stop(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._server is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(5)
            if self._server.poll() is None:
                self._server.kill()
                self._server.wait()
        self._line, self._server = None, None


def _close(orders: IO[bytes]) -> None:
    """Hangs up; what was not sent any more is dropped."""
    with contextlib.suppress(OSError):
        orders.close()
