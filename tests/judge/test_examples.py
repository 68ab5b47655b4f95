# What a session's answers mean, without running anything: results for the page and problems with lines.
# The answers are shaped as the child shapes them; the real child is run in the course tests.
from __future__ import annotations

from typing import Any

import pytest

from runner.jobs.plan import list_steps
from runner.judge.examples import Played, judge_session, read_values
from runner.judge.outputs import matches_like, matches_numbers, show_difference, trim_rows
from runner.judge.values import ExampleResult, Outcome, Section
from runner.lesson.parse import Origin, parse_lesson
from runner.lesson.problems import ProblemLog
from runner.lesson.values import Lesson

PATH = "lessons/p/01-x.md"


def judge(body: str, runs: list[dict[str, Any]], wrote: list[str]) -> tuple[tuple[ExampleResult, ...], list[str]]:
    text = "---\ntitle: T\nsummary: S\n---\n" + body
    lesson, problems = parse_lesson(text.encode(), Origin(PATH, "p", "x", 1))
    assert problems == ()
    outcome = Outcome("ok", {"runs": runs}, tuple(Section(text, "") for text in wrote), "", 0.1)
    log = ProblemLog(PATH)
    return judge_session(play(lesson, outcome), log), [str(p) for p in log.problems]


def play(lesson: Lesson, outcome: Outcome) -> Played:
    steps = list_steps(lesson.examples, lesson.values)
    return Played(lesson.examples, lesson.values, steps, outcome, "sha256:0")


def ok(*prints: list[str], stated: str | None = None) -> dict[str, Any]:
    return {"status": "ok", "error": None, "prints": list(prints), "stated": stated}


def raised(name: str, message: str, line: int, mro: list[str] | None = None) -> dict[str, Any]:
    error = {
        "type": name,
        "mro": mro or [name, "Exception", "BaseException"],
        "message": message,
        "frames": [{"file": PATH, "line": line, "name": "<module>"}],
        "last": f"{name}: {message}",
        "names": [name, "Exception", "BaseException"] if mro is None else mro,
    }
    return {"status": "error", "error": error, "prints": []}


EXAMPLE = "```python {example}\nprint(1)  # 1\n```\n"
RAISING = '```python {example raises="ValueError: at least"}\nf()\n```\n'


def test_a_print_must_write_what_its_comment_says_each_time() -> None:
    assert judge(EXAMPLE, [ok(["1\n", "1\n"])], ["1\n1\n"])[1] == []
    results, problems = judge(EXAMPLE, [ok(["1\n", "2\n"])], ["1\n2\n"])
    assert results[0].status == "failed"
    assert problems[0].startswith(f"{PATH}:6:1: the comment says  1\n    the print wrote   2")


def test_a_print_that_never_ran_is_a_problem() -> None:
    assert "never ran" in judge(EXAMPLE, [ok([])], [""])[1][0]


def test_a_print_that_never_ran_is_not_blamed_when_its_session_stopped() -> None:
    assert judge(EXAMPLE + "\n" + EXAMPLE, [ok([]), raised("KeyError", "k", 10)], ["", ""])[1][0].startswith(
        f"{PATH}:6:"
    )
    stopped = {"status": "not_run", "error": None, "prints": [[]], "stated": None}
    runs = [ok([]), raised("KeyError", "k", 10), stopped]
    problems = judge(EXAMPLE + "\n" + EXAMPLE + "\n" + EXAMPLE, runs, ["", "", ""])[1]
    assert [problem.split(": ")[1].split("\n")[0] for problem in problems] == ["KeyError"]


def test_output_is_stated_only_when_asserted_prints_wrote_all_of_it() -> None:
    assert judge(EXAMPLE, [ok(["1\n"], stated="1\n")], ["1\n"])[0][0].stated is True
    assert judge(EXAMPLE, [ok(["1\n"], stated="1\n")], ["X\n"])[0][0].stated is False
    assert judge(EXAMPLE, [ok(["1\n"], stated=None)], ["1\n"])[0][0].stated is False


@pytest.mark.parametrize(
    ("wanted", "passes"), [("ValueError", True), ("foo.ValueError", False), ("a.MyError", True), ("MyError", True)]
)
def test_raises_takes_a_bare_or_a_full_name(wanted: str, passes: bool) -> None:
    run = raised("a.MyError", "m", 6, ["MyError", "ValueError", "Exception"])
    run["error"]["names"] = ["a.MyError", "ValueError", "Exception"]
    results, _ = judge(f'```python {{example raises="{wanted}"}}\nf()\n```\n', [run], [""])
    assert (results[0].status == "passed") is passes


def test_what_an_inline_value_does_is_not_charged_to_an_example() -> None:
    body = EXAMPLE + "\nIt is `{=} f()`.\n\n```python {example}\nprint(2)\n```\n\n```output\n2\n```\n"
    assert judge(body, [ok(["1\n"]), ok()], ["1\n", "noise\n", "2\n"])[1] == []
    lesson, _ = parse_lesson(("---\ntitle: T\nsummary: S\n---\n" + body).encode(), Origin(PATH, "p", "x", 1))
    log = ProblemLog(PATH)
    judge_session(play(lesson, Outcome("timeout", None, (Section("1\n", ""), Section("", "")), "late", 9.0)), log)
    assert [(p.line, p.message) for p in log.problems] == [(9, "this inline value did not end: late")]


def test_an_output_is_compared_line_by_line() -> None:
    body = "```python {example}\nprint(1)\n```\n\n```output\n1\n2\n```\n"
    assert judge(body, [ok()], ["1  \n2\n\n"])[1] == []
    advice = 'Mend the output, or mark it {like}, {measured} or {tolerance="1e-4"}.'
    told = f"{PATH}:9:1: the output is not what came (- stated, + measured)\n    - 2\n    + 3\n    {advice}"
    assert judge(body, [ok()], ["1\n3\n"])[1] == [told]


def test_an_error_that_nobody_expected_stops_its_session() -> None:
    results, problems = judge(EXAMPLE + "\n" + EXAMPLE, [raised("KeyError", "k", 6), ok(["1"])], ["", ""])

    assert [result.status for result in results] == ["failed", "not_run"]
    assert problems[0].startswith(f"{PATH}:6:1: KeyError: k\n")


@pytest.mark.parametrize(
    ("run", "part"),
    [
        (raised("ValueError", "needs at least one", 6), None),
        (raised("MyError", "at least", 6, ["MyError", "ValueError", "Exception"]), None),
        (ok(), "does not"),
        (raised("ValueError", "other", 6), "raises `ValueError: other`"),
        (raised("TypeError", "at least", 6), "raises `TypeError: at least`"),
        ({**raised("SystemExit", "at least", 6), "status": "exit"}, "raises `SystemExit: at least`"),
    ],
)
def test_raises_asks_for_type_and_text(run: dict[str, Any], part: str | None) -> None:
    results, problems = judge(RAISING, [run], [""])

    assert (results[0].status == "passed") is (part is None)
    assert len(problems) == (part is not None)
    assert part is None or part in problems[0]


@pytest.mark.parametrize(
    ("status", "detail", "part"),
    [
        ("timeout", "it took more than 60 s in all", "did not end: it took more than 60 s"),
        ("signal", "SIGSEGV", "crashed the process: SIGSEGV"),
        ("no-result", "exit status 0", "ended the process: exit status 0"),
        ("output-limit", "it wrote more than 9 bytes", "writes too much"),
        ("supervisor-died", "", "killed the process that watches it"),
    ],
)
def test_a_session_without_an_answer_fails_where_it_was(status: str, detail: str, part: str) -> None:
    lesson, _ = parse_lesson(
        ("---\ntitle: T\nsummary: S\n---\n" + EXAMPLE + "\n" + EXAMPLE).encode(), Origin(PATH, "p", "x", 1)
    )
    log = ProblemLog(PATH)
    outcome = Outcome(status, None, (Section("1\n", ""), Section("", "")), detail, 1.0)
    results = judge_session(play(lesson, outcome), log)

    assert [result.status for result in results] == ["not_run", "failed"]
    assert part in log.problems[0].message
    assert log.problems[0].line == 10


@pytest.mark.parametrize("result", [None, {}, {"runs": 1}, {"runs": []}, {"runs": [1]}, {"runs": [{"status": "ok"}]}])
def test_a_rubbish_answer_is_a_failure(result: dict[str, Any] | None) -> None:
    lesson, _ = parse_lesson(("---\ntitle: T\nsummary: S\n---\n" + EXAMPLE).encode(), Origin(PATH, "p", "x", 1))
    log = ProblemLog(PATH)
    results = judge_session(play(lesson, Outcome("ok", result, (), "", 0.1)), log)

    assert [r.status for r in results] == ["failed"]
    assert len(log.problems) == 1


def test_values_are_texts_or_problems() -> None:
    log = ProblemLog(PATH)
    error = {"last": "NameError: name 'y' is not defined"}
    outcome = Outcome("ok", {"values": [{"value": "6"}, {"error": error}]}, (), "", 0.1)

    assert read_values(outcome, [(5, 1, "x"), (6, 3, "y")], log) == ("6", "")
    assert [(p.line, p.column) for p in log.problems] == [(6, 3)]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a...c", "abbc", True),
        ("a...c", "ac", True),
        ("a...c", "a", False),
        ("...", "", True),
        ("a...b...c", "a\nb\nc", True),
        ("a...b...c", "acb", False),
        ("aa...aa", "aaa", False),
        ("no dots", "no dots", True),
        ("no dots", "No dots", False),
    ],
)
def test_like(pattern: str, text: str, matches: bool) -> None:
    assert matches_like(pattern, text) is matches


def test_like_is_linear_in_hostile_texts() -> None:
    assert matches_like("a..." * 2000 + "b", "a" * 200_000) is False


@pytest.mark.parametrize(
    ("said", "got", "tolerance", "matches"),
    [
        ("x 1.0000", "x 1.0001", 1e-3, True),
        ("x 1.0000", "x 1.0100", 1e-3, False),
        ("x 1.0", "y 1.0", 1.0, False),
        ("[1e-5, -2.]", "[1.00001e-05, -2.0]", 1e-4, True),
        ("0.0", "0.1", 1e-2, False),
        ("1 2", "1", 1.0, False),
    ],
)
def test_numbers(said: str, got: str, tolerance: float, matches: bool) -> None:
    assert matches_numbers(said, got, tolerance) is matches


def test_a_difference_is_short() -> None:
    text = show_difference("\n".join(map(str, range(100))), "nothing")

    assert text.count("\n") <= 17
    assert "more lines" in text


def test_trimming_keeps_leading_blanks() -> None:
    assert trim_rows("  a  \n\nb\n\n") == "  a\n\nb"
