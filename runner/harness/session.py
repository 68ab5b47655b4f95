# A session: the examples of a lesson that share names, run in order in one process.
# It records what each wrote, printed and raised; whether that is right is judged in the parent.
from __future__ import annotations

import ast
import builtins
import io
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner.harness.environment import describe_environment
from runner.harness.errors import describe_error
from runner.harness.units import register_source

Span = tuple[int, int, int, int]
LONGEST_VALUE = 2000
LONGEST_STATED = 64 * 1024


class PrintRecorder:
    """Stands for `print`: notes what each asserted call wrote, found by its caller's place in the code."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._print = builtins.print
        self.wrote: dict[Span, dict[str, None]] = {}
        self.stated = io.StringIO()

    def __call__(self, *args: object, **kwargs: Any) -> None:
        """Prints, and notes the text when the caller's place is awaited."""
        seen = self.wrote.get(self._find_caller())
        if seen is None:
            self._print(*args, **kwargs)
            return
        target, flush = kwargs.pop("file", None), kwargs.pop("flush", False)
        written = io.StringIO()
        self._print(*args, **kwargs, file=written)
        text = written.getvalue()
        seen[text] = None  # each text once: the runs of a print must agree, so there is one where all is well
        stream = sys.stdout if target is None else target
        if stream is sys.stdout:
            self.stated.write(text)
        stream.write(text)
        if flush:
            stream.flush()

    def _find_caller(self) -> Span:
        frame = sys._getframe(2)
        if frame.f_code.co_filename != self._path:
            return (0, 0, 0, 0)
        positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        line, end_line, column, end_column = (n or 0 for n in positions)
        return (line, column, end_line, end_column)


class Session:
    """The state of a session: one `__main__`, its recorder, and what happened so far."""

    def __init__(self, work: dict[str, Any], place: dict[str, Any]) -> None:
        self.path, self.lines = place["path"], place["lines"]
        self.codes = [example["code"] for example in work["examples"]]
        self.raises = [example["raises"] for example in work["examples"]]
        self.spans = place["prints"]
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module
        text = register_source(self.path, list(zip(self.lines, self.codes, strict=True)))
        source = Path(self.path).name
        Path(source).write_text(text, encoding="utf-8")
        self.module.__file__ = str(Path(source).resolve())
        self.prints = PrintRecorder(self.path)
        builtins.print = self.prints

    def run(self, number: int) -> dict[str, Any]:
        """Runs one example: {"status": ok, error or exit, "error", "stated": what asserted prints wrote to stdout}."""
        first = self.lines[number]
        self.prints.wrote.update({span: {} for span in self.find_spans(number)})
        self.prints.stated = io.StringIO()
        status, error = "ok", None
        try:
            tree = ast.parse(self.codes[number], self.path)
            ast.increment_lineno(tree, first - 1)
            exec(compile(tree, self.path, "exec", dont_inherit=True), self.module.__dict__)
        except SystemExit as stop:
            status, error = "exit", describe_error(stop)
        except BaseException as caught:
            status, error = "error", describe_error(caught)
        stated = self.prints.stated.getvalue()
        return {"status": status, "error": error, "stated": stated if len(stated) <= LONGEST_STATED else None}

    def find_spans(self, number: int) -> list[Span]:
        """Where the asserted prints of an example stand in the lesson."""
        above = self.lines[number] - 1
        return [(line + above, column, end + above, end_column) for line, column, end, end_column in self.spans[number]]

    def list_prints(self, number: int) -> list[list[str]]:
        """The texts that each asserted print of an example wrote so far, each once; it may be called by later ones."""
        return [list(self.prints.wrote.get(span, ())) for span in self.find_spans(number)]

    def evaluate(self, expression: str) -> dict[str, Any]:
        """The text of an expression's value: {"value"} or {"error"}."""
        try:
            text = str(eval(compile(expression, "<value>", "eval", dont_inherit=True), self.module.__dict__))
        except BaseException as caught:
            return {"error": describe_error(caught)}
        return {"value": text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + " …"}


def run_session(work: dict[str, Any], place: dict[str, Any], mark: Callable[[], None]) -> dict[str, Any]:
    """Runs examples and values in their order, a section of output for each; after a failure the rest is `not_run`."""
    session = Session(work, place)
    runs: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    going = True
    for step in work["steps"]:
        if "value" in step:
            values.append(session.evaluate(step["value"]) if going else {"error": None})
        elif going:
            number = step["example"]
            runs.append(session.run(number))
            going = runs[-1]["status"] == "ok" or session.raises[number]
        else:
            runs.append({"status": "not_run", "error": None, "stated": None})
        mark()
    for number, run in enumerate(runs):
        run["prints"] = session.list_prints(number)
    return {"runs": runs, "values": values, "environment": describe_environment(work["device"])}
