# `labsheet check`: judges a learner's file exactly as the build judges its own candidates.
# Unpublished cases are drawn from a seed that nobody knows beforehand; it is printed, to repeat a verdict.
from __future__ import annotations

import json
import re
import secrets
from pathlib import Path

import click
from rich.markup import escape

from runner.cli.terminal import fail, make_console
from runner.course import Course
from runner.judge.encode import encode_verdict
from runner.judge.tasks import show_value
from runner.judge.values import Check, Verdict
from runner.lesson.problems import ProblemLog
from runner.lesson.schema import say_nearest
from runner.lesson.source import decode_source
from runner.lesson.values import Lesson, Task
from runner.pages.reveal import reveal_controls

NAMED = re.compile(r"\A(?:#[^\n]*\n)*?#\s*labsheet:?\s*task\s*[:=]\s*(\S+)")
MARKS = {"passed": "[green]✓[/]", "failed": "[red]✗[/]", "not_run": "[dim]·[/]"}
EXIT = {"passed": 0, "skipped": 1, "failed": 1, "error": 1, "timeout": 1}


def check_file(course: Course, file: Path, task_name: str | None, seed: int | None, *, as_json: bool) -> int:
    """Judges a file against a task; 0 when it passes."""
    code = read_candidate(file)
    found = find_task(course, task_name or _named_task(code))
    if found is None:
        return 2
    lesson, task = found
    seed = secrets.randbelow(2**31) if seed is None else seed
    verdict = course.judge(lesson, task, code, file.as_posix(), seed)
    if verdict is None:
        fail(f"the task itself is broken: `labsheet validate {lesson.source}` says why")
        return 2
    if as_json:
        click.echo(json.dumps(encode_verdict(verdict), indent=2, sort_keys=True))
        click.echo(f"seed {seed}", err=True)
    else:
        print_verdict(verdict, task, seed)
    return EXIT[verdict.status]


def read_candidate(file: Path) -> str:
    """The text of a learner's file; a usage error when it has none."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}") from error
    if file.suffix == ".ipynb":
        raise click.UsageError(f"{file} is a notebook: save the solution as a .py file")
    log = ProblemLog(file.as_posix())
    text = decode_source(data, log)
    if text is None:
        raise click.UsageError("\n".join(str(problem) for problem in log.problems))
    return text


def write_starter(course: Course, task_name: str, to: Path | None) -> int:
    """Writes the starter of a task with a first line that names the task; 2 when the file is there already."""
    found = find_task(course, task_name)
    if found is None:
        return 2
    lesson, task = found
    file = to or Path(f"{task.id}.py")
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(f"# labsheet: task = {lesson.id}#{task.id}\n{task.starter.code}")
    except FileExistsError:
        fail(f"{file} is there already; name another file with --to")
        return 2
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")
        return 2
    click.echo(f"wrote {file}; judge it with: labsheet check {file}")
    return 0


def _named_task(code: str) -> str | None:
    match = NAMED.search(code)
    return match[1] if match else None


def find_task(course: Course, name: str | None) -> tuple[Lesson, Task] | None:
    """The task whose id is `name` or ends in it, on a word's edge; None after a message."""
    library = course.read()
    tasks = {f"{lesson.id}#{task.id}": (lesson, task) for lesson in library.lessons for task in lesson.tasks}
    if name is None:
        fail("which task? Name it with --task, or in a first line `# labsheet: task = <id>`")
        _print_tasks(list(tasks))
        return None
    if name in tasks:
        return tasks[name]
    ends = [full for full in tasks if re.search(rf"(?:^|[/#]|(?=[/#])){re.escape(name)}$", full)]
    if len(ends) == 1:
        return tasks[ends[0]]
    near = "" if ends else f" {say_nearest(name, [task.id for _, task in tasks.values()])}"
    fail(f"{'several tasks are' if ends else 'no task is'} called `{name}`.{near}")
    _print_tasks(ends or list(tasks))
    return None


def _print_tasks(names: list[str]) -> None:
    for name in names:
        click.echo(f"  {name}", err=True)


def print_verdict(verdict: Verdict, task: Task, seed: int) -> None:
    """The verdict for a person: the first failing check explained, the rest in short rows."""
    console = make_console()
    color = "green" if verdict.status == "passed" else "red"
    console.print(f"[{color}]{verdict.status}[/]  {escape(verdict.task)}")
    if verdict.reason:
        console.print(reveal_controls(verdict.reason), markup=False)
    failed = [check for check in verdict.checks if check.status == "failed"]
    if failed:
        first = failed[0]
        console.print(f"\n{MARKS['failed']} {escape(first.id)}{_case(first, task)}")
        console.print(f"  {reveal_controls(first.message)}", markup=False)
        if first.id.startswith("report.") and (first.expected, first.actual) != (None, None):
            console.print(f"  expected  {show_value(first.expected)}", markup=False)
            console.print(f"  actual    {show_value(first.actual)}", markup=False)
    console.print()
    for name, checks in _group(verdict).items():
        status = next((s for s in ("failed", "not_run") if any(c.status == s for c in checks)), "passed")
        passed = sum(check.status == "passed" for check in checks)
        console.print(f"{MARKS[status]} {escape(name)}  [dim]{passed}/{len(checks)}[/]")
    if verdict.stdout.strip():
        console.print("\nyour code printed:\n", reveal_controls(verdict.stdout.rstrip()), markup=False)
    torch = verdict.environment.get("torch")
    where = f"{verdict.environment.get('device', '')} · torch {torch} · " if torch else ""
    console.print(f"\n[dim]{where}seed {seed} · {verdict.seconds:.1f} s[/]")


def _group(verdict: Verdict) -> dict[str, list[Check]]:
    groups: dict[str, list[Check]] = {}
    for check in verdict.checks:
        groups.setdefault(check.id, []).append(check)
    return groups


def _case(check: Check, task: Task) -> str:
    if check.case is None:
        return ""
    kind = "published" if check.case < len(task.cases) else "random"
    return f"  (case {check.case + 1}, {kind})"
