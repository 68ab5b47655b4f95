# Renders examples: highlighted code, what became of it, and what it wrote, as it wrote it.
# A run of examples with tab labels is one block; hidden examples leave no trace on the page.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.judge.values import ExampleResult
from runner.lesson.values import Example, Lesson, NotRun, Part
from runner.pages.provenance import describe_status
from runner.pages.templating import render_template
from runner.pages.weave import Change, replace_lines


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example beside what became of it, as the template reads it."""

    example: Example
    """What its author wrote."""
    result: ExampleResult | None
    """What became of it; None when nothing ran it yet."""
    mark: str
    """A sign for its status."""
    words: str
    """The same in words."""

    @property
    def output(self) -> str:
        """What is shown of what it wrote: nothing where the comments on its prints say it all already."""
        if self.result is None or (self.result.stated and self.example.expected is None):
            return ""
        return self.result.stdout


def change_examples(lesson: Lesson, results: Mapping[int, ExampleResult]) -> Iterator[Change]:
    """Changes of all examples and their output fences; `results` by line of the opening fence."""
    for run in group_tabs(lesson):
        first = run[0]
        if not first.hide:
            shown = [_pair_result(example, results) for example in run]
            html = render_template("example.html", run=shown, line=first.fence.line)
            yield replace_lines(lesson.text, first.fence.line, first.fence.end_line, html)
        else:
            yield replace_lines(lesson.text, first.fence.line, first.fence.end_line, None)
        for example in run:
            if example is not first:
                yield replace_lines(lesson.text, example.fence.line, example.fence.end_line, None)
            if example.expected is not None:
                fence = example.expected.fence
                # the output of a hidden example is what its author wants to be seen of it
                output = render_template("output.html", item=_pair_result(example, results)) if example.hide else None
                yield replace_lines(lesson.text, fence.line, fence.end_line, output)


def change_not_run(lesson: Lesson, part: NotRun) -> Change:
    """The change of code that is shown and not run."""
    html = render_template("not_run.html", part=part)
    return replace_lines(lesson.text, part.fence.line, part.fence.end_line, html)


def group_tabs(lesson: Lesson) -> tuple[tuple[Example, ...], ...]:
    """Examples in order; those with tab labels that follow each other over blank lines only, together."""
    lines = lesson.text.split("\n")
    groups: list[list[Example]] = []
    before: Part | None = None
    for part in lesson.parts:
        if isinstance(part, Example):
            if isinstance(before, Example) and _continues_tabs(before, part, lines):
                groups[-1].append(part)
            else:
                groups.append([part])
        before = part
    return tuple(tuple(group) for group in groups)


def _continues_tabs(before: Example, after: Example, lines: Sequence[str]) -> bool:
    if before.tab is None or after.tab is None or before.hide or after.hide:
        return False
    end = before.fence.end_line if before.expected is None else before.expected.fence.end_line
    return not any(line.strip() for line in lines[end : after.fence.line - 1])


def _pair_result(example: Example, results: Mapping[int, ExampleResult]) -> ShownExample:
    result = results.get(example.fence.line)
    mark, words = describe_status(None if result is None else result.status)
    return ShownExample(example, result, mark, words)
