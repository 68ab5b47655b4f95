# Renders predictions and questions plainly: what is asked is open, every answer is folded.
# A choice may name a wrong solution of a task instead of a text; then its code is the choice.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.lesson.values import Lesson, Prediction, Question, Wrong
from runner.pages.tasks import drop_remark
from runner.pages.templating import render_template
from runner.pages.weave import Change, replace_lines


def change_prediction(lesson: Lesson, prediction: Prediction, links: Mapping[str, str]) -> Change:
    """The change of a prediction; its anchor is `predict-<id>`."""
    anchor = f"predict-{prediction.id}"
    spec = prediction.spec
    html = render_template(
        "prediction.html",
        anchor=anchor,
        ask=str(spec.get("ask", "")),
        truth=_describe_truth(spec),
        because=str(spec.get("because", "")),
        links=links,
    )
    return replace_lines(lesson.text, prediction.fence.line, prediction.fence.end_line, html, (anchor,))


def change_question(lesson: Lesson, question: Question, links: Mapping[str, str]) -> Change:
    """The change of a question; its anchor is `question-<id>`."""
    anchor = f"question-{question.id}"
    html = render_template(
        "question.html",
        anchor=anchor,
        ask=str(question.spec.get("ask", "")),
        choices=[_describe_choice(lesson, choice) for choice in question.spec.get("choices", ())],
        answer=question.spec.get("answer"),
        links=links,
    )
    return replace_lines(lesson.text, question.fence.line, question.fence.end_line, html, (anchor,))


def _describe_truth(spec: Mapping[str, Any]) -> str | None:
    """The answer with its unit; None when it is a value that no number in the lesson states."""
    truth = spec.get("truth")
    if isinstance(truth, bool) or not isinstance(truth, int | float):
        return None
    unit = spec.get("unit")
    return f"{truth} {unit}" if unit else str(truth)


def _describe_choice(lesson: Lesson, choice: Mapping[str, Any]) -> dict[str, Any]:
    wrong = find_wrong(lesson, str(choice.get("wrong", "")))
    return {
        "text": choice.get("text"),
        "code": None if wrong is None else drop_remark(wrong),
        "right": bool(choice.get("right", False)),
        "because": str(choice.get("because", "")),
    }


def find_wrong(lesson: Lesson, name: str) -> Wrong | None:
    """The wrong solution that `<task>/<wrong id>` names."""
    task_id, _, wrong_id = name.partition("/")
    found = (wrong for task in lesson.tasks if task.id == task_id for wrong in task.wrong if wrong.id == wrong_id)
    return next(found, None)
