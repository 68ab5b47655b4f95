# Prediction and question fences become values.
# What they promise is checked here: a right choice, a truth, wrong solutions that exist.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.lesson.problems import ProblemLog
from runner.lesson.schema import check_value, say_nearest
from runner.lesson.tags import ID, ID_ADVICE
from runner.lesson.values import Fence, Prediction, Question, Task
from runner.lesson.yaml_core import Document, load_yaml

WHAT = {"predict": "prediction", "question": "question"}


def read_prediction(fence: Fence, log: ProblemLog) -> Prediction | None:
    """A predict fence as a value; None after a problem."""
    document = _read_spec(fence, "predict", log)
    if document is None:
        return None
    truth, choices = document.value["truth"], document.value.get("choices")
    line, column = document.place(("truth",))
    if isinstance(truth, Mapping):
        log.add(line, "a truth from a record or an example is not supported yet", "Write the number.", column)
        return None
    if choices is not None and truth not in choices:
        log.add(line, f"the truth `{truth}` is none of the choices", "Make it one of them.", column)
    if choices is None and (isinstance(truth, bool) or not isinstance(truth, int | float)):
        log.add(line, "the truth is no number", "Write a number, or add `choices`.", column)
    return Prediction(fence.tags["predict"] or "", document.value, fence)


def read_question(fence: Fence, log: ProblemLog) -> Question | None:
    """A question fence as a value; None after a problem."""
    document = _read_spec(fence, "question", log)
    if document is None:
        return None
    spec = document.value
    if ("choices" in spec) == ("answer" in spec):
        log.add(fence.line, "a question has either `choices` or an `answer`", "Keep one of the two.")
        return None
    for number, choice in enumerate(spec.get("choices", ())):
        if ("text" in choice) == ("wrong" in choice):
            line, column = document.place(("choices", number))
            log.add(line, "a choice has either `text` or `wrong`", "Keep one of the two.", column)
    if "choices" in spec and not any(choice.get("right") for choice in spec["choices"]):
        log.add(fence.line, "this question has no right choice", "Give one choice `right: true`.")
    return Question(fence.tags["question"] or "", spec, fence)


def _read_spec(fence: Fence, tag: str, log: ProblemLog) -> Document | None:
    identifier = fence.tags[tag] or ""
    if not ID.match(identifier):
        log.add(fence.line, f"`{identifier}` is no id", ID_ADVICE)
    document = load_yaml(fence.code, fence.code_line, log)
    if document is None:
        return None
    if not isinstance(document.value, Mapping):
        log.add(fence.line, f"this {WHAT[tag]} says nothing", "Write `ask: …` and the rest as YAML.")
        return None
    return document if check_value(document, f"{tag}.schema", f"this {WHAT[tag]}", log) else None


def check_references(question: Question, tasks: Mapping[str, Task], log: ProblemLog) -> None:
    """Every `wrong: <task>/<id>` of a question must exist in the lesson."""
    known = [f"{task.id}/{wrong.id}" for task in tasks.values() for wrong in task.wrong]
    choices: list[Mapping[str, Any]] = list(question.spec.get("choices", ()))
    for choice in choices:
        name = choice.get("wrong")
        if name is None:
            continue
        if name not in known:
            log.add(question.fence.line, f"there is no wrong solution `{name}`", say_nearest(name, known))
        elif choice.get("right"):
            log.add(question.fence.line, f"the wrong solution `{name}` is marked as right", "Take `right` out.")
