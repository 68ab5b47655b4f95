# The work hash: SHA-256 over canonical JSON of all that determines what a job answers.
# Paths, lines and display options are not in it, so that prose moves freely round an example.
from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from runner.jobs.values import Job

PROTOCOL: Mapping[str, int] = {"probe": 1, "session": 1, "record": 1, "replay": 1, "task": 1}


def hash_json(value: Any) -> str:
    """`sha256:<hex>` of a JSON value: keys sorted, no blanks, ASCII."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def hash_job(job: Job) -> str:
    """The work hash of a job. PROTOCOL is raised by hand when the harness measures or counts differently."""
    files = {name: hashlib.sha256(content).hexdigest() for name, content in job.files.items()}
    return hash_json({"protocol": PROTOCOL[job.kind], "kind": job.kind, "work": job.work, "files": files})
