# What passes between an engine and the supervisor of one job: the order, then what was seen and what was answered.
# The same over the pipes of a fresh process and over those that a warm server hands on.
from __future__ import annotations

import base64
import json
import os
import re
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from runner.jobs.frames import pack_frame
from runner.jobs.tree import is_stopped
from runner.jobs.values import Job
from runner.judge.values import Outcome, Section

PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CUDA_HOME", "SYSTEMROOT")
PASSED_ON_PREFIXES = ("OPENBLAS_", "NVIDIA_")
LARGEST_FILE = 1024**3  # torch.compile's precompiled header alone is over 64 MiB
DEFAULT_MEMORY = 8 * 1024**3
TRACE_FRAME = re.compile(r'File "([^"\n]+)", line (\d+) in ')
BACKSTOP_S = 360.0  # a supervisor keeps all limits itself; this is for one that cannot
LOOK_S = 1.0
DIED = Outcome("supervisor-died", None, (), "its supervisor was killed", 0.0)


def encode_order(job: Job, folder: str, argv: list[str] | None) -> bytes:
    """What a supervisor is told, as JSON: `argv` starts the child, None lets a warm server's fork become it."""
    limits = job.limits
    resources = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": LARGEST_FILE}
    if job.work.get("device") != "cuda":  # CUDA reserves address space far beyond what it uses
        resources["RLIMIT_DATA"] = limits.memory_bytes or _at_most(DEFAULT_MEMORY)
    order = {
        "folder": folder,
        "argv": argv,
        "env": clean_environment(os.environ, str(job.work.get("device", "cpu"))),
        "files": {name: base64.b64encode(content).decode() for name, content in job.files.items()},
        "request": {"kind": job.kind, "work": job.work, "place": job.place},
        "limits": {
            "timeout_s": limits.timeout_s,
            "section_timeout_s": limits.section_timeout_s,
            "keep_bytes": limits.keep_bytes,
            "produced_bytes": limits.produced_bytes,
            "resources": resources,
        },
    }
    return json.dumps(order).encode()


def _at_most(wanted: int) -> int:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def clean_environment(mine: Mapping[str, str], device: str) -> dict[str, str]:
    """The environment of a job: a few variables of ours, and what a GPU's driver needs."""
    kept = {name: value for name, value in mine.items() if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)}
    return {
        **kept,
        "CUDA_VISIBLE_DEVICES": "" if device == "cpu" else mine.get("CUDA_VISIBLE_DEVICES", "0"),
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


@contextmanager
def make_folder() -> Iterator[str]:
    """A job's working directory; removed at the end, also when its supervisor could not."""
    folder = str(Path(tempfile.mkdtemp(prefix="labsheet-")).resolve())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def exchange(job: Job, folder: str, argv: list[str] | None, orders: IO[bytes], answers: IO[bytes]) -> Outcome:
    """Gives a supervisor its order and waits for the outcome; `supervisor-died` when it gives none."""
    order = encode_order(job, folder, argv)
    try:
        pid = int(_read_frame(answers))
        orders.write(pack_frame(order))
        orders.flush()
        _wait(answers, pid, job.limits.timeout_s + BACKSTOP_S)
        told = json.loads(_read_frame(answers))
        answer = _read_frame(answers)
    except (EOFError, OSError, ValueError):
        return DIED
    return decode_outcome(told, answer, {str(job.place.get(name)) for name in ("path", "candidate_path")})


def _wait(answers: IO[bytes], pid: int, limit_s: float) -> None:
    """Waits until the supervisor speaks; one that a job has stopped, or that is far too late, is killed."""
    until = time.monotonic() + limit_s
    while not select.select([answers], [], [], LOOK_S)[0]:
        if is_stopped(pid) or time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            raise EOFError


def _read_frame(stream: IO[bytes]) -> bytes:
    head = stream.read(4)
    if len(head) < 4:
        raise EOFError
    (length,) = struct.unpack(">I", head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


def decode_outcome(told: Mapping[str, Any], answer: bytes, paths: Collection[str]) -> Outcome:
    """The outcome that a supervisor's report and the child's answer (JSON) amount to; `paths` are the author's."""
    sections = tuple(
        Section(_hide_paths(s["stdout"], told["folder"]), _hide_paths(s["stderr"], told["folder"]), s["dropped"])
        for s in told["sections"]
    )
    status, detail = told["status"], told["detail"]
    result: Any = None
    if status == "ok":
        try:
            result = json.loads(answer, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            status, detail = "no-result", "its answer is not JSON"
    if status == "ok" and not isinstance(result, dict):
        status, detail, result = "no-result", "its answer is not a JSON object", None
    elif status == "ok" and "broken" in result:
        status, detail, result = "error", f"the harness broke: {result['broken']}", None
    frames = find_frames(told["trace"], told["folder"], paths)
    return Outcome(status, result, sections, detail, float(told["seconds"]), frames)


def find_frames(trace: str, folder: str, paths: Collection[str]) -> tuple[tuple[str, int], ...]:
    """Files and lines of author code in what the fault handler wrote, innermost first."""
    frames = [(name.removeprefix(folder + "/"), int(line)) for name, line in TRACE_FRAME.findall(trace)]
    return tuple(frame for frame in frames if frame[0] in paths or not frame[0].startswith(("/", "<")))


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _hide_paths(text: str, folder: str) -> str:
    """Paths of this machine say nothing to a reader: the working directory becomes `.`, Python's own `…`."""
    return text.replace(folder, ".").replace(sys.prefix, "…").replace(sys.base_prefix, "…")
