# A warm server: a process that has imported torch once and forks a supervisor, with its job below, for each order.
# It has one thread and runs no job's code itself; it ends when the build closes its line.
from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable

from runner.jobs.supervisor import main as supervise
from runner.jobs.tree import become_subreaper, find_children, find_descendants

LINE = 0  # its standard input
TICK_S = 0.5


def serve(become_job: Callable[[], None]) -> None:
    """Forks a supervisor for each pair of descriptors that comes over the line, until the line is closed."""
    assert threading.active_count() == 1, "a process with threads must not be forked"
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    become_subreaper()
    line = socket.socket(fileno=LINE)
    supervisors: set[int] = set()
    while True:
        ready, _, _ = select.select([line], [], [], TICK_S)
        _reap(supervisors)
        if not ready:
            continue
        word, pair, _, _ = socket.recv_fds(line, 1, 2)
        if not word:
            return
        pid = os.fork()
        if pid == 0:
            line.close()
            _become_supervisor(pair, become_job)
        supervisors.add(pid)
        for fd in pair:
            os.close(fd)


def _reap(supervisors: set[int]) -> None:
    """Takes dead children, and kills orphans: what a killed supervisor left comes to this process."""
    with contextlib.suppress(ChildProcessError):
        while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            supervisors.discard(pid)
    for orphan in find_children(os.getpid()):
        if orphan not in supervisors:
            for pid in [orphan, *find_descendants(orphan)]:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)


def _become_supervisor(pair: list[int], become_job: Callable[[], None]) -> None:
    """Runs one order on descriptors 0 and 1, in a session of its own, and ends the process."""
    status = 1
    try:
        os.setsid()
        orders, answers = pair
        os.dup2(orders, 0)
        os.dup2(answers, 1)
        for fd in pair:
            os.close(fd)
        supervise(become_job)
        status = 0
    except Exception as error:  # noqa: BLE001  whatever it was, this fork must not go on as a second server
        sys.stderr.write(f"labsheet: a supervisor broke: {error!r}\n")
    finally:
        os._exit(status)
