# What became of a session's examples: results for the page, problems for the author.
# The child recorded; here it is decided, so that no example can pass itself.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runner.judge.outputs import output_agrees, show_difference
from runner.judge.values import ExampleResult, Outcome, Section
from runner.lesson.prints import text_agrees
from runner.lesson.problems import ProblemLog
from runner.lesson.values import Example, InlineValue

NOTHING = Section("", "")
ENDINGS: Mapping[str, tuple[str, str]] = {
    "timeout": ("{what} did not end", "Make it shorter, or raise `timeout` in the front matter."),
    "output-limit": ("{what} writes too much", "Print less: a page shows a few lines."),
    "memory-limit": ("{what} takes too much memory", "Use smaller data."),
    "signal": ("{what} crashed the process", "Take out what crashes."),
    "no-result": ("{what} ended the process", "Take out what ends it, such as os._exit."),
    "supervisor-died": ("{what} killed the process that watches it", "Take out what kills."),
    "cancelled": ("{what} was cancelled", "Run the build again."),
    "refused": ("{what} could not be run", "See the reason."),
    "error": ("the harness broke on {what}", "Please report it with the example."),
}


@dataclass(frozen=True, slots=True)
class Played:
    """A session as it was played: its steps in order, and what became of the job."""

    examples: Sequence[Example]
    """Its examples, in order."""
    values: Sequence[InlineValue]
    """Its inline values, in order."""
    steps: Sequence[Mapping[str, Any]]
    """{"example": number} or {"value": expression}: each closed one section of the output."""
    outcome: Outcome
    """What became of the job."""
    digest: str
    """sha256:<hex> of all that determines it."""

    def section(self, number: int) -> Section:
        """What the example of this number wrote."""
        at = next((n for n, step in enumerate(self.steps) if step.get("example") == number), -1)
        return self.outcome.sections[at] if 0 <= at < len(self.outcome.sections) else NOTHING

    def last_step(self) -> tuple[int | None, int]:
        """Number of the example that the job was in at its end, None in an inline value; and the line of that step."""
        at = min(max(len(self.outcome.sections) - 1, 0), len(self.steps) - 1)
        step = self.steps[at]
        if "example" in step:
            return step["example"], self.examples[step["example"]].fence.code_line
        number = sum("value" in earlier for earlier in self.steps[:at])
        return None, self.values[number].line


def judge_session(played: Played, log: ProblemLog) -> tuple[ExampleResult, ...]:
    """The result of each example of a session; problems go to the log of its lesson."""
    runs = _read_runs(played.outcome, len(played.examples))
    if runs is None:
        return _judge_broken(played, log)
    results: list[ExampleResult] = []
    going, complete = True, all(run["status"] != "not_run" for run in runs)
    for number, (example, run) in enumerate(zip(played.examples, runs, strict=True)):
        status, section = "not_run", played.section(number)
        if going and run["status"] != "not_run":
            faults = log.count
            going = _judge_raising(example, run, log)
            if going:
                _judge_prints(example, run, log, complete=complete)
                _judge_output(example, section, log)
            status = "passed" if log.count == faults else "failed"
        last = run["error"]["last"] if run["error"] and example.raises else None
        stated = run.get("stated") == section.stdout
        results.append(replace(_make_result(example, status, section, played.digest, last), stated=stated))
    return tuple(results)


def _read_runs(outcome: Outcome, count: int) -> list[Mapping[str, Any]] | None:
    runs = (outcome.result or {}).get("runs") if outcome.status == "ok" else None
    if not isinstance(runs, list) or len(runs) != count:
        return None
    shape_is_right = all(isinstance(run, dict) and {"status", "error", "prints"} <= run.keys() for run in runs)
    return runs if shape_is_right else None


def _judge_broken(played: Played, log: ProblemLog) -> tuple[ExampleResult, ...]:
    """The process gave no answer: what it was in has failed, the rest is not known."""
    outcome, (at, line) = played.outcome, played.last_step()
    message, advice = ENDINGS.get(outcome.status, ("{what} gave no answer", "Take out what ends the process."))
    what = "this example" if at is not None else "this inline value"
    if not outcome.sections and len(played.steps) > 1:
        what = "an example of this session"
    lines = [line for path, line in outcome.frames if path == log.path]
    detail = f": {outcome.detail}" if outcome.detail else ""
    log.add(lines[0] if lines else line, message.format(what=what) + detail, advice)
    return tuple(
        _make_result(example, "failed" if n == at else "not_run", played.section(n), played.digest, None)
        for n, example in enumerate(played.examples)
    )


def _make_result(example: Example, status: str, section: Section, digest: str, error: str | None) -> ExampleResult:
    return ExampleResult(
        line=example.fence.line,
        status=status,
        stdout=section.stdout,
        stderr=section.stderr,
        dropped_bytes=section.dropped_bytes,
        error=error,
        digest=digest,
    )


def _judge_raising(example: Example, run: Mapping[str, Any], log: ProblemLog) -> bool:
    """Whether the example ended as its author said; otherwise the rest of its session is not judged."""
    error = run["error"]
    if example.raises is None:
        if error is not None:
            report_error(error, run["status"], example.fence.code_line, log)
        return error is None
    wanted, text = example.raises
    told = f"{wanted}: {text}" if text else wanted
    if error is None:
        log.add(example.fence.line, f"this example must raise `{told}` and does not", "Mend it, or take `raises` out.")
        return False
    if not _is_type(wanted, error) or text not in error["message"]:
        message = f"this example must raise `{told}` and raises `{error['last']}`"
        log.add(line_of(error, log.path, example.fence.code_line), message, "Mend the example or its `raises`.")
        return False
    return True


def _is_type(wanted: str, error: Mapping[str, Any]) -> bool:
    """Whether the error is of the type or a subclass: by its bare name, or by its full one."""
    return wanted in error["mro"] or wanted in error.get("names", ())


def line_of(error: Mapping[str, Any], path: str, default: int) -> int:
    """The innermost line of `path` in an error's traceback."""
    lines = [frame["line"] for frame in error["frames"] if frame["file"] == path]
    return lines[-1] if lines else default


def report_error(error: Mapping[str, Any], status: str, default_line: int, log: ProblemLog) -> None:
    """Notes an exception that no one expected, with the lines of the lesson that led to it."""
    line = line_of(error, log.path, default_line)
    advice = 'Mend the example, or write raises="…" if it is meant to fail.'
    if status == "exit":
        advice = "Take out what ends the process."
    if "ModuleNotFoundError" in error["mro"] and "'torch'" in error["message"]:
        advice = "Install it: pip install -r requirements.txt"
    if "FileNotFoundError" in error["mro"]:
        advice = "A file beside the lesson reaches its code when it stands under `files` in the front matter."
    folder = log.path.rpartition("/")[0]
    files = [f["file"] if f["file"] == log.path else f"{folder}/{f['file']}" for f in error["frames"]]
    frames = [f"  {file}:{f['line']} in {f['name']}" for file, f in zip(files, error["frames"], strict=True)]
    rows = [error["last"], *(frames if len(frames) > 1 else [])]
    log.add(line, "\n".join(rows), advice)


def _judge_prints(example: Example, run: Mapping[str, Any], log: ProblemLog, *, complete: bool) -> None:
    """Each run of an asserted print must agree; a session that stopped early says nothing of prints that never ran."""
    for assertion, texts in zip(example.prints, run["prints"], strict=False):
        line = example.fence.line + assertion.line
        if not texts and not complete:
            continue
        if not texts:
            message = "this print never ran, or `print` is not the built-in one"
            log.add(line, message, "Mend the example, or begin the comment with `# note:`.")
            continue
        other = next((text for text in texts if not text_agrees(assertion.text, text)), None)
        if other is not None:
            wrote = other.rstrip("\n").replace("\n", "⏎")
            message = f"the comment says  {assertion.text}\nthe print wrote   {wrote[:300]}"
            log.add(line, message, "Mend the comment, or begin it with `# note:` if it is a remark.")


def _judge_output(example: Example, section: Section, log: ProblemLog) -> None:
    expected = example.expected
    if expected is None or output_agrees(expected, section.stdout):
        return
    difference = show_difference(expected.fence.code, section.stdout)
    message = f"the output is not what came (- stated, + measured)\n{difference}"
    advice = 'Mend the output, or mark it {like}, {measured} or {tolerance="1e-4"}.'
    log.add(expected.fence.line, message, advice)


def read_values(outcome: Outcome, places: Sequence[tuple[int, int, str]], log: ProblemLog) -> tuple[str, ...]:
    """The texts of the inline values at `places` (line, column, expression); empty where there is none."""
    values = (outcome.result or {}).get("values") if outcome.status == "ok" else None
    found: list[Any] = values if isinstance(values, list) else []
    texts: list[str] = []
    for number, (line, column, expression) in enumerate(places):
        value = found[number] if number < len(found) and isinstance(found[number], dict) else {"error": None}
        texts.append(str(value.get("value", "")))
        error = value.get("error")
        if isinstance(error, dict):
            message = f"`{expression}` raises {error.get('last')}"
            log.add(line, message, "Mend the expression; it sees the names of the examples above it.", column)
    return tuple(texts)
