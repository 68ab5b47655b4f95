# A checker runs twice, with the candidate and on the recording: what comes of 53 awkward ones and some more.
# Each runs in real processes, and the judge says what the two answers amount to.
from __future__ import annotations

from typing import Any

import pytest

from runner.judge.values import Outcome, Verdict
from runner.judge.verdict import judge_candidate
from tests.harness.batch import play_all
from tests.harness.tricky import PLACE, TRICKY, Tricky
from tests.judge.sample import make_task


def judge(tricky: Tricky, answer: dict[str, Any]) -> Verdict:
    expected = tricky.outcome if isinstance(tricky.outcome, dict) else {}
    task = make_task(expected=[expected], inout=tricky.inout, contract=["-finite"])

    def outcome(kind: str) -> Outcome:
        result = answer[kind]
        return Outcome("ok" if result is not None else "no-result", result, (), "", 0.1)

    replay = None if answer["record"] is None else outcome("replay")
    return judge_candidate(
        task_id="p/x#shift",
        task=task,
        record=outcome("record"),
        replay=replay,
        expected=[expected if isinstance(tricky.outcome, dict) else None],
        implied=None,
        digest="sha256:0",
    )


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    played = play_all([{"work": tricky.work, "place": PLACE} for tricky in TRICKY])
    return {tricky.name: answer for tricky, answer in zip(TRICKY, played, strict=True)}


@pytest.mark.parametrize("tricky", TRICKY, ids=lambda tricky: tricky.name)
def test_checker_is_replayed_or_refused(tricky: Tricky, answers: dict[str, dict[str, Any]]) -> None:
    answer = answers[tricky.name]
    verdict = judge(tricky, answer)
    if isinstance(tricky.outcome, dict):
        assert answer["record"]["cases"][0].get("report") == tricky.outcome, answer["record"]["cases"][0].get("error")
        assert answer["replay"]["cases"][0].get("report") == tricky.outcome, answer["replay"]["cases"][0].get("error")
        assert verdict.status == "passed", verdict.reason
    elif tricky.outcome.startswith("error "):
        assert verdict.status == "error"
        assert verdict.reason is not None
        assert verdict.reason.startswith(tricky.outcome.removeprefix("error "))
    else:
        assert verdict.failed == (tricky.outcome,), verdict.reason
