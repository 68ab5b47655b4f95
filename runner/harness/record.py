# The first of the two jobs that judge a candidate: check runs with it, and every call is written down.
# What it answers is only a claim of the process that the candidate lives in; the replay tests it.
from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from runner.harness.callers import Recorder
from runner.harness.cases import Stage, candidate_seed, load_function, load_stage, play_case, prepare_case
from runner.harness.environment import describe_environment
from runner.harness.errors import describe_error

Json = Any


def run_record(work: dict[str, Any], place: dict[str, Any], mark: Callable[[], None]) -> dict[str, Any]:
    """Plays every case with the candidate: {"loads": null or error, "cases": [...], "environment"}.

    A case is {"report", "rounded"} or {"error", "by": candidate, checker, inputs or harness}, with its "calls" (replay
    reads them). After the candidate ended the process (SystemExit, KeyboardInterrupt) the cases stop.
    """
    stage = load_stage(work, place)
    answer: dict[str, Any] = {"loads": None, "cases": [], "environment": describe_environment(work["device"])}
    if not isinstance(stage, Stage):
        answer["cases"] = [{**stage, "calls": []} for _ in work["cases"]]
        return answer
    try:
        candidate = load_function(work["candidate"], work["function"], unit="candidate", place=place, names={})
    except BaseException as error:
        answer["loads"] = describe_error(error)
        return answer
    for case in work["cases"]:
        recorder = Recorder(candidate, stage.bench, candidate_seed(work))
        answer["cases"].append(record_case(stage, case, recorder))
        mark()
        if recorder.ended is not None:
            break
    return answer


def record_case(stage: Stage, case: Mapping[str, Any], recorder: Recorder) -> Json:
    """One case with its calls."""
    arguments = prepare_case(stage, case)
    if isinstance(arguments, BaseException):
        return {"error": describe_error(arguments), "by": "inputs", "calls": []}
    played = play_case(stage, arguments, recorder, close=lambda: None)
    return {**played, "calls": [encode_bytes(call) for call in recorder.calls]}


def encode_bytes(call: Mapping[str, Json]) -> Json:
    """A call with its storages as base64."""
    after = [[number, device, base64.b64encode(content).decode()] for number, device, content in call.get("after", [])]
    return {**call, "after": after}
