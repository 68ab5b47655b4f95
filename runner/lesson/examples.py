# Example, output and norun fences become values.
# What can be wrong without running anything is found here; the rest is found by running them.
from __future__ import annotations

import re
from dataclasses import replace

from runner.lesson.code import parse_code
from runner.lesson.prints import drop_hidden_lines, find_assertions
from runner.lesson.problems import ProblemLog
from runner.lesson.values import DEFAULT_SESSION, Example, ExpectedOutput, Fence, NotRun

RAISES = re.compile(r"^(?P<type>[\w.]+)(?:: ?(?P<text>.*))?$", re.DOTALL)


def read_example(fence: Fence, log: ProblemLog) -> Example | None:
    """An example fence as a value; None after a problem that leaves nothing to run."""
    tree = parse_code(fence, log)
    shown = drop_hidden_lines(fence.code)
    hide = "hide" in fence.tags
    if not shown.strip() and not hide:
        what = "an example holds no code" if not fence.code.strip() else "every line of this example is hidden"
        log.add(fence.line, what, "Take the fence out, or write `{example hide}`.")
    if tree is None:
        return None
    return Example(
        fence=fence,
        session=fence.tags.get("session") or DEFAULT_SESSION,
        hide=hide,
        title=fence.tags.get("title"),
        hl_lines=read_lines(fence, shown, log),
        tab=fence.tags.get("tab"),
        raises=_read_raises(fence, log),
        prints=find_assertions(fence, tree, log),
        expected=None,
        shown_code=shown,
    )


def _read_raises(fence: Fence, log: ProblemLog) -> tuple[str, str] | None:
    text = fence.tags.get("raises")
    if text is None:
        return None
    match = RAISES.match(text)
    if match is None:
        log.add(fence.line, f"`raises` names no exception: `{text}`", 'Write raises="ValueError: text of its message".')
        return None
    return match["type"], match["text"] or ""


def read_lines(fence: Fence, shown: str, log: ProblemLog) -> tuple[int, ...]:
    """The lines that `hl_lines` names, in the code as shown."""
    text = fence.tags.get("hl_lines")
    if text is None:
        return ()
    found: list[int] = []
    count = len(shown.rstrip("\n").split("\n"))
    for word in text.split():
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not numbers or numbers[0] < 1 or numbers[-1] > count:
            log.add(fence.line, f"`hl_lines` cannot be `{word}`", f"Name lines 1 to {count} as shown, such as `2 4-5`.")
            return ()
        found += numbers
    return tuple(found)


def read_norun(fence: Fence, log: ProblemLog) -> NotRun:
    """Python that is shown and not run."""
    read_lines(fence, fence.code, log)
    return NotRun(fence.tags.get("norun") or "", fence)


def attach_output(example: Example, fence: Fence, log: ProblemLog) -> Example:
    """The example with the output that it must write."""
    tolerance = read_number(fence, "tolerance", log)
    measured, like = "measured" in fence.tags, "like" in fence.tags
    if measured and (like or tolerance is not None):
        log.add(fence.line, "a measured output is not compared", "Take `like` and `tolerance` out, or `measured`.")
    if like and tolerance is not None:
        log.add(fence.line, "`like` and `tolerance` do not go together", "Keep one of the two.")
    return replace(example, expected=ExpectedOutput(fence, tolerance, like, measured))


def read_number(fence: Fence, tag: str, log: ProblemLog) -> float | None:
    """The number in a tag; None without it or after a problem."""
    text = fence.tags.get(tag)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1:
        log.add(fence.line, f"`{tag}` cannot be `{text}`", "Write a relative tolerance such as `1e-4`.")
        return None
    return number
