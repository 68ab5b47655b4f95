# Builds the example lesson and its results by hand, so that pages are tested without the parser and the runner.
# A few lines of regular expression find the fences: enough for one well-formed document.
from __future__ import annotations

import json
import re
from pathlib import Path as FilePath

from runner.judge.values import Check, ExampleResult, LessonResult, TaskResult, Verdict
from runner.lesson.values import (
    Example,
    ExpectedOutput,
    Fence,
    InlineValue,
    Lesson,
    Path,
    Planned,
    Prediction,
    Question,
    Task,
    Wrong,
)
from runner.pages.outline import Outline

SOURCE = FilePath(__file__).with_name("example.md")
ENVIRONMENT = {
    "device": "cpu",
    "cpu": "AMD EPYC <9B14>",
    "python": "3.11.7",
    "torch": "2.13.0",
    "platform": "linux-x86_64",
    "date": "2026-11-30T12:00:00Z",
}
DIGEST = "sha256:" + "3f9c" * 16


def find_fences(text: str) -> list[Fence]:
    """Tagged fences of a well-formed text."""
    fences = []
    for match in re.finditer(r"^```(\w+)(?: \{([^\n]*)\})?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        tags = {name: value for name, _, value in re.findall(r'([a-z_]+)(="([^"]*)")?', match[2] or "")}
        line = text.count("\n", 0, match.start()) + 1
        fences.append(Fence(match[1], tags, match[3], line, line + match[3].count("\n") + 1))
    return fences


def make_example(fence: Fence, expected: Fence | None = None) -> Example:
    """An example without print assertions."""
    output = None if expected is None else ExpectedOutput(expected, None, like=False, measured=False)
    raises = ("RuntimeError", "out=") if "raises" in fence.tags else None
    tags = fence.tags
    return Example(
        fence, "default", "hide" in tags, tags.get("title"), (), tags.get("tab"), raises, (), output, fence.code
    )


def make_lesson(text: str | None = None, **changes: object) -> Lesson:
    """The example lesson of the format, or another text with examples only."""
    text = SOURCE.read_text("utf-8") if text is None else text
    fences = find_fences(text)
    parts: list[object] = []
    for number, fence in enumerate(fences):
        if "example" in fence.tags:
            after = fences[number + 1] if number + 1 < len(fences) else None
            parts.append(make_example(fence, after if after is not None and after.language == "output" else None))
        elif "predict" in fence.tags:
            spec = {
                "ask": "How many new tensors does `x - x.max()` make?",
                "truth": 2,
                "because": "One element, then *all*.",
            }
            parts.append(Prediction("shift-allocations", spec, fence))
        elif "question" in fence.tags:
            parts.append(Question("why-two", make_question(), fence))
    if any("task" in fence.tags for fence in fences):
        parts.append(make_task(text, fences))
    values = tuple(
        InlineValue(
            match[1],
            text.count("\n", 0, match.start()) + 1,
            match.start() - text.rfind("\n", 0, match.start()),
            match[0],
            2,
        )
        for match in re.finditer(r"`\{=\} (.*?)`", text)
    )
    front = re.match(r"---\n.*?^---\n", text, re.MULTILINE | re.DOTALL)
    fields: dict[str, object] = {
        "id": "example/shift",
        "source": "lessons/example/01-shift.md",
        "path_id": "example",
        "slug": "shift",
        "step": 1,
        "title": "Shift a vector, <keep> the vector",
        "summary": "A small lesson that shows each construct of the format once.",
        "difficulty": "easy",
        "topic": "Example",
        "minutes": 5,
        "needs": (),
        "tags": ("format",),
        "files": (),
        "timeout_s": 60.0,
        "device": "any",
        "text": text,
        "body_line": 1 + (front[0].count("\n") if front else 0),
        "parts": tuple(
            sorted(parts, key=lambda part: (part.spec_fence if isinstance(part, Task) else part.fence).line)
        ),
        "values": values,
    }
    return Lesson(**(fields | changes))


def make_question() -> dict[str, object]:
    """The spec of the lesson's question."""
    return {
        "ask": "Why does the reference make two tensors and not one?",
        "choices": [
            {"text": "The maximum is a tensor too.", "right": True, "because": "A reduction returns a new tensor."},
            {"text": "Subtraction copies its input first.", "because": "It reads the input; nothing is copied."},
            {"wrong": "shift/spread-out", "because": "This one makes three."},
        ],
    }


def make_task(text: str, fences: list[Fence]) -> Task:
    """The lesson's one task."""
    by_tag = {tag: fence for fence in fences for tag in fence.tags}
    wrong = tuple(
        Wrong(str(fence.tags["wrong"]), str(fence.tags["fails"]), fence.code.split("\n")[0].removeprefix("# "), fence)
        for fence in fences
        if "wrong" in fence.tags
    )
    statement = "Write `shift`, which subtracts the largest element"
    return Task(
        id="shift",
        title="Shift by the maximum",
        function="shift",
        signature="def shift(x: torch.Tensor) -> torch.Tensor",
        statement=statement,
        statement_line=text[: text.index(statement)].count("\n") + 1,
        spec={"title": "Shift by the maximum", "cases": [{"x": {"tensor": [3.0, 1.0, 2.0]}}]},
        cases=({"x": {"tensor": [3.0, 1.0, 2.0]}},),
        random=8,
        tolerance={},
        contract=(),
        inout=(),
        timeout_s=30.0,
        device="any",
        memory_bytes=None,
        report_schema={"type": "object"},
        expected_reports=(json.loads(by_tag["expected"].code),),
        spec_fence=by_tag["task"],
        starter=by_tag["starter"],
        checker=by_tag["checker"],
        expected=by_tag["expected"],
        reference=by_tag["reference"],
        inputs=by_tag["inputs"],
        wrong=wrong,
        hints=tuple(fence for fence in fences if "hint" in fence.tags),
    )


def make_verdict(status: str, report: dict[str, object] | None, *failed: str) -> Verdict:
    """A verdict with the failed checks that are named."""
    checks = (
        Check("contract.same-type", 0, "passed", None, None, ""),
        Check("contract.input-unchanged", 0, "passed", None, None, ""),
        *(Check(name, 0, "failed", 2, 3, "3 new tensors, </script> 2 are allowed") for name in failed),
    )
    return Verdict(
        "example/shift#shift", status, None, checks, () if report is None else (report,), "", ENVIRONMENT, 0.1, DIGEST
    )


def make_result(lesson: Lesson) -> LessonResult:
    """What became of a lesson when all went well."""
    printed = "[0.0, -2.0, -1.0]\ntensor([3., 1., 2.])\n\x1b[31mtorch\x1b[0m.float32 \x07\u202e<b>\n"
    outputs = ["", printed, "1.0\n5.0\n"]
    examples = [
        ExampleResult(
            line=example.fence.line,
            status="passed",
            stdout=outputs[number] if number < len(outputs) else "",
            stderr="",
            dropped_bytes=0,
            error="RuntimeError: sub(): functions with out=... arguments don't support automatic differentiation"
            if example.raises
            else None,
            digest=DIGEST,
        )
        for number, example in enumerate(lesson.examples)
    ]
    report: dict[str, object] = {"values": [0.0, -2.0, -1.0], "allocations": 2, "x_unchanged": True}
    tasks = [
        TaskResult(
            f"{lesson.id}#{task.id}",
            "passed",
            make_verdict("passed", report),
            make_verdict("failed", {**report, "allocations": 0}, "report.values", "report.allocations"),
            tuple(make_verdict("failed", {**report, "allocations": 3}, wrong.fails) for wrong in task.wrong),
            DIGEST,
        )
        for task in lesson.tasks
    ]
    return LessonResult(tuple(examples), ("3",) * len(lesson.values), tuple(tasks), ENVIRONMENT, ())


def make_outline(lesson: Lesson) -> Outline:
    """A path of three steps, the last two planned."""
    planned = (Planned(2, "Views & copies"), Planned(3, "Fusion"))
    path = Path("example", "lessons/example/index.md", "Example path", "One of each.", 1, None, planned, "Words.\n", 7)
    return Outline(((path, (lesson,)),))
