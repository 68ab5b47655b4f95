# Runs record and replay jobs in processes of their own, forked from one that has torch and its dispatch modes imported.
# A test of 53 checkers needs some 110 processes: started afresh they would take minutes, forked they take seconds.
from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def play_all(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any] | None]:
    """For each {"work", "replay"} the answers {"record", "replay"}; None in place of a record that did not come."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.harness.batch import serve; serve()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        check=True,
    )
    return [json.loads(row) for row in done.stdout.splitlines()]


def serve() -> None:
    """Answers each request on stdout: record in one child, replay in the next."""
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    import torch  # noqa: PLC0415 - only the server needs it

    from runner.harness.counters import count_allocations  # noqa: PLC0415
    from runner.harness.record import run_record  # noqa: PLC0415
    from runner.harness.replay import run_replay  # noqa: PLC0415

    torch.set_num_threads(1)
    with count_allocations():  # the first dispatch mode of a process imports for seconds
        torch.ones(1)
    for request in json.load(sys.stdin):
        work, place = request["work"], request["place"]
        record = fork(run_record, work, place)
        replay = None
        if record is not None:
            calls = [case["calls"] for case in record["cases"]]
            replay = fork(
                run_replay, {**work, "candidate": None, "calls": calls, "cases": work["cases"][: len(calls)]}, place
            )
        sys.stdout.write(json.dumps({"record": record, "replay": replay}) + "\n")
        sys.stdout.flush()


def fork(program: Any, work: dict[str, Any], place: dict[str, Any]) -> Any:
    """What the program answers in a child; None when it ends without an answer."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.dup2(2, 1)
        answer = program(work, place, lambda: None)
        with os.fdopen(writer, "w") as stream:
            json.dump(answer, stream, allow_nan=False)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None
