# The plain engine: a fresh Python for each job, under a supervisor of its own.
# Works wherever Python does; slower than a warm server, and the fallback where fork is unsafe.
from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from pathlib import Path

import runner
from runner.jobs.engine import EngineError
from runner.jobs.exchange import exchange, make_folder
from runner.jobs.values import Job
from runner.judge.values import Outcome

ROOT = Path(runner.__file__).resolve().parents[1]
FIND = f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
SUPERVISOR = FIND + "from runner.jobs.supervisor import keep; keep()"
CHILD = FIND + f"from runner.harness.child import main; main({str(ROOT)!r})"


class FreshEngine:
    """Runs each job in a fresh Python process."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._closed = False
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    @property
    def slots(self) -> int:
        """How many jobs may run at once."""
        return self._slots

    @property
    def description(self) -> str:
        """What it is, in words."""
        return "a fresh process for each job"

    def run(self, job: Job) -> Outcome:
        """Runs one job to its end; EngineError when no process could be had."""
        with make_folder() as folder:
            watcher = self._start()
            assert watcher.stdin is not None
            assert watcher.stdout is not None
            try:
                return exchange(job, folder, [sys.executable, "-P", "-c", CHILD], watcher.stdin, watcher.stdout)
            finally:
                with self._lock:
                    self._running.discard(watcher)
                _end(watcher)

    def close(self) -> None:
        """Ends every running job; its caller gets an outcome `cancelled`."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for watcher in running:
            _end(watcher)

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise EngineError("the engine is closed")
            try:
                watcher = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", SUPERVISOR],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                raise EngineError(f"no process could be started: {error}") from error
            self._running.add(watcher)
            return watcher


def _end(watcher: subprocess.Popen[bytes]) -> None:
    """Hangs up: the supervisor kills its job and ends."""
    for stream in (watcher.stdin, watcher.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    watcher.wait()
