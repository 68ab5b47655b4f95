# The command as users call it: its exit status, what it prints where; a few of the calls as a process of their own.
# The course is small; its one task is judged for real.
from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from course_builder import CourseBuilder

from runner.cli import main
from runner.jobs.engine import Engine

TASK = """Write `double`, which doubles a vector.

```yaml {task="double-it"}
cases: [{x: {tensor: [1.0, 2.0]}}]
random: 1
```

```python {inputs}
def inputs(rng, device):
    return {"x": torch.rand(3, generator=rng).to(device)}
```

```python {starter}
def double(x):
    return x
```

```python {checker}
def check(candidate, x):
    return {"values": rounded(candidate(x), 4)}
```

```json {expected}
{"values": [2.0, 4.0]}
```

```python {reference}
def double(x):
    return x * 2
```
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = CourseBuilder(tmp_path_factory.mktemp("course"))
    builder.lesson("p/01-one.md", "```python {example}\nprint(1)  # 1\n```\n\n## Task\n\n" + TASK)
    builder.lesson("p/02-two.md", "```python {example}\nprint(2)  # 1\n```\n")
    return builder.folder


Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def run(course: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Calls the command in this process, on the tests' warm engine."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> Done:
        monkeypatch.chdir(course)
        done = CliRunner().invoke(main, arguments, obj=engine, env=env)
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    return run


def run_process(course: Path, *arguments: str) -> Done:
    """Calls the command as a user does."""
    command = [sys.executable, "-m", "runner", *arguments]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(command, cwd=course, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_list_is_a_table_or_json_and_runs_nothing(course: Path, run: Run) -> None:
    done, listed = run("list"), run("list", "--json")

    assert (done.returncode, listed.returncode) == (0, 0)
    assert "p/one" in done.stdout
    assert "#double-it (0 wrong)" in done.stdout
    document = json.loads(listed.stdout)
    assert [lesson["id"] for lesson in document["lessons"]] == ["p/one", "p/two"]
    assert document["lessons"][0]["tasks"] == [{"id": "p/one#double-it", "wrong": 0}]


def test_validate_of_one_line_runs_that_part_only(course: Path, run: Run) -> None:
    done = run("validate", "lessons/p/01-one.md:9")

    assert done.returncode == 0, done.stderr
    assert "1/1" in done.stdout
    assert "1 jobs in" in done.stdout
    assert "p/two" not in done.stdout


def test_validate_fails_for_a_faulty_lesson_with_its_line(course: Path, run: Run) -> None:
    done = run("validate", "lessons/p/02-two.md", "--json", "out.json")

    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "lessons/p/02-two.md:9:1: the comment says  1"
    assert done.stderr.splitlines()[-1] == "1 problem"
    document = json.loads((course / "out.json").read_text())
    assert document["schema"] == "labsheet/course/1"
    assert {lesson["id"]: lesson["status"] for lesson in document["lessons"]}["p/two"] == "failed"
    assert run("validate", "lessons/p/02-two.md", "--json", "no/where.json").returncode == 2


def test_validate_never_passes_what_it_did_not_run(course: Path, run: Run) -> None:
    nothing = run("validate", "lessons/p/01-one.md:3")
    never = run("validate", "lessons/p", env={"LABSHEET_RUN": "never"})
    misspelt = run("validate", "lessons/p/01-one.md:9", env={"LABSHEET_RUN": "nevr"})
    cuda = run("validate", "lessons/p/01-one.md", "--device", "cuda")

    assert (nothing.returncode, "nothing that can be run" in nothing.stderr) == (2, True)
    assert (never.returncode, "`run: never`" in never.stderr) == (1, True)
    assert (misspelt.returncode, "none of `auto`" in misspelt.stderr) == (1, True)
    assert cuda.returncode == 1 or "cuda" in cuda.stdout
    assert cuda.returncode == 0 or "torch sees no GPU" in cuda.stderr


def test_list_shows_titles_as_they_are(tmp_path: Path) -> None:
    builder = CourseBuilder(tmp_path).file("lessons/p/01-one.md", "---\ntitle: Closing [/b] tag\nsummary: S\n---\n")
    done = run_process(builder.folder, "list")

    assert done.returncode == 0, done.stderr
    assert "Closing [/b] tag" in done.stdout


def test_validate_of_what_is_not_there_is_a_usage_error(course: Path, run: Run) -> None:
    assert run("validate", "lessons/p/09-nine.md").returncode == 2
    assert run("validate", "mkdocs.yml").returncode == 2
    assert run("validate", "--device", "tpu").returncode == 2


def check(course: Path, run: Run, code: str | bytes, *arguments: str) -> Done:
    (course / "my.py").write_bytes(code.encode() if isinstance(code, str) else code)
    return run("check", "my.py", *arguments)


def test_check_passes_a_solution_that_names_its_task(course: Path, run: Run) -> None:
    done = check(
        course, run, "# labsheet: task = p/one#double-it\ndef double(x):\n    return x + x\n", "--json", "--seed", "7"
    )

    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["schema"] == "labsheet/verdict/1"
    assert verdict["task"] == "p/one#double-it"
    assert done.stderr == "seed 7\n"
    assert verdict["status"] == "passed"
    assert verdict["reports"] == [{"values": [2.0, 4.0]}]
    assert {c["status"] for c in verdict["checks"]} == {"passed"}
    assert {c["case"] for c in verdict["checks"]} == {None, 0, 1}


def test_check_shows_control_characters_and_no_value_that_is_not_there(course: Path, run: Run) -> None:
    done = check(course, run, "def double(x):\n    print('\\x1b[2Jpassed')\n    return None\n", "--task", "double-it")

    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "expected  null" not in done.stdout
    assert "same-type" in done.stdout
    assert "✓ contract.same-shape" not in done.stdout


def test_check_of_an_absolute_path_names_the_line_and_any_end_of_the_task(course: Path, run: Run) -> None:
    file = course / "abs.py"
    file.write_text("def double(x):\n    return (x\n")
    done = run("check", str(file), "--task", "#double-it")

    assert done.returncode == 1
    assert f"({file}, line 2)" in done.stdout
    assert f"line 2) ({file}" not in done.stdout


def test_two_candidates_have_two_digests(course: Path, run: Run) -> None:
    arguments = ("--task", "one#double-it", "--json", "--seed", "7")
    digests = {
        json.loads(check(course, run, f"def double(x):\n    return x * {n}\n", *arguments).stdout)["digest"]
        for n in (2, 3)
    }
    assert len(digests) == 2


def test_check_explains_the_first_failing_check(course: Path, run: Run) -> None:
    done = check(course, run, "def double(x):\n    return x * 3\n", "--task", "double-it")

    assert done.returncode == 1
    assert done.stdout.startswith("failed  p/one#double-it")
    assert "report.values" in done.stdout
    assert "expected  [2.0, 4.0]" in done.stdout
    assert "actual    [3.0, 6.0]" in done.stdout
    assert "seed" in done.stdout


@pytest.mark.parametrize(
    ("code", "status", "part"),
    [
        ("def double(x:\n", "error", "SyntaxError"),
        ("", "error", "double"),
        ("def other(x):\n    return x\n", "error", "double"),
        ("def double(x):\n    raise ValueError('no')\n", "error", "ValueError: no"),
    ],
)
def test_check_of_code_that_does_not_run(course: Path, run: Run, code: str, status: str, part: str) -> None:
    done = check(course, run, code, "--task", "double-it")

    assert done.returncode == 1
    assert done.stdout.startswith(f"{status}  p/one#double-it")
    assert part in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("code", "arguments", "part"),
    [
        ("def double(x): return x\n", (), "which task?"),
        (
            "def double(x): return x\n",
            ("--task", "double-at"),
            "no task is called `double-at`. Did you mean `double-it`?",
        ),
        (b"caf\xe9", ("--task", "double-it"), "is not UTF-8"),
        ("x = 1\n", ("--task", "double-it", "--seed", "-1"), "seed"),
    ],
)
def test_check_usage_errors(course: Path, run: Run, code: str | bytes, arguments: tuple[str, ...], part: str) -> None:
    done = check(course, run, code, *arguments)

    assert done.returncode == 2
    assert part in done.stderr


def test_check_of_a_file_that_is_not_there_and_of_a_notebook(course: Path, run: Run) -> None:
    (course / "my.ipynb").write_text("{}")

    assert run("check", "none.py", "--task", "double-it").returncode == 2
    assert "notebook" in run("check", "my.ipynb", "--task", "double-it").stderr


def test_start_writes_a_file_that_check_needs_no_task_for(course: Path, run: Run) -> None:
    done = run("start", "double-it")

    assert done.returncode == 0
    assert (course / "double-it.py").read_text() == "# labsheet: task = p/one#double-it\ndef double(x):\n    return x\n"
    assert run("start", "double-it").returncode == 2, "an existing file is kept"
    assert run("start", "double-it", "--to", "no/where.py").returncode == 2
    assert run("check", "double-it.py").stdout.startswith("failed  p/one#double-it")


def test_outside_a_course_the_command_says_so(tmp_path: Path) -> None:
    done = run_process(tmp_path, "list")

    assert done.returncode == 2
    assert "there is no mkdocs.yml here or above" in done.stderr


def test_doctor_says_what_jobs_get(course: Path, run: Run) -> None:
    done = run("doctor")

    assert done.returncode == 0
    for word in ("python", "torch", "device", "engine", "lessons"):
        assert word in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("more", ["", "import torch\n"], ids=["fresh", "warm"])
def test_an_interrupt_ends_at_once_and_leaves_nothing(tmp_path: Path, more: str) -> None:
    code = f"{more}import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(300)  # {MARKED}'])\n"
    builder = CourseBuilder(tmp_path).lesson("p/01-one.md", f"```python {{example}}\n{code}```\n", "timeout: 200\n")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    # a shell that starts this in the background lets it ignore interrupts; a terminal does not
    program = "import runpy, signal; signal.signal(2, signal.default_int_handler); runpy.run_module('runner', run_name='__main__')"
    command = [sys.executable, "-c", program, "validate"]
    process = subprocess.Popen(command, cwd=builder.folder, env=env, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: bool(find_marked()), 60)
    assert find_marked(), "the job never started"
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    wait_until(lambda: not find_marked(), 10)

    assert process.returncode == 130
    assert "Traceback" not in errors
    assert find_marked() == []


MARKED = f"labsheet_interrupt_marker_{os.getpid()}"


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)


def find_marked() -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = file.read_bytes().split(b"\0")
            if b"-c" in words and any(MARKED.encode() in word for word in words):
                found.append(file.parent.name)
    return found
