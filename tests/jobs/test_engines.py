# Both engines against jobs that hang, crash, exit, flood, spawn and lie: right status, right line, next job fine.
# Every job is a real process tree; what is left of it is looked for in /proc.
from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jobs.sessions import PATH, make_session

from runner.jobs.engine import Engine, EngineError
from runner.jobs.engines import make_engine
from runner.jobs.fresh import FreshEngine
from runner.jobs.values import Job
from runner.jobs.warm import WarmEngine, can_fork_warm
from runner.judge.values import Outcome

MARKED = f"labsheet_test_marker_{os.getpid()}"


@pytest.fixture(scope="module", params=[FreshEngine, WarmEngine], ids=["fresh", "warm"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param is WarmEngine and not can_fork_warm():
        pytest.skip("forking a warm process is not safe here")
    engine = request.param(slots=2)
    engine.run(Job("probe", {"device": "cpu", "torch": True}, {}, label="starts the server"))
    yield engine
    engine.close()


def run(engine: Engine, *codes: str, **more: Any) -> Outcome:
    """Runs a session; without torch the warm engine hands a job to a fresh process, so there it asks for torch."""
    return engine.run(make_session(*codes, torch=isinstance(engine, WarmEngine), **more))


def test_output_is_taken_at_the_descriptors_and_kept_apart(engine: Engine) -> None:
    codes = ("print('a')\n", "import os\nos.system('echo b')\nos.write(2, b'err')\n", "print('é', end='')\n")
    outcome = run(engine, *codes)

    assert outcome.status == "ok"
    assert [section.stdout for section in outcome.sections] == ["a\n", "b\n", "é", ""]
    assert outcome.sections[1].stderr == "err"


@pytest.mark.parametrize(
    ("name", "code", "status", "line"),
    [
        ("loops for ever", "x = 1\nwhile True: pass\n", "timeout", 11),
        ("sleeps", "import time\n\ntime.sleep(100)\n", "timeout", 12),
        ("holds the interpreter in C", "a = 'x' * 10\n'x'.join(iter(lambda: 'x', 'y'))\n", "timeout", 11),
        (
            "ignores every signal",
            "import signal, time\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(100)\n",
            "timeout",
            None,
        ),
        ("stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n", "timeout", None),
        ("segfaults", "import ctypes\nctypes.string_at(0)\n", "signal", 11),
        ("aborts", "import os\n\n\nos.abort()\n", "signal", 13),
        ("exits early with success", "import os\nos._exit(0)\n", "no-result", None),
        ("closes every descriptor", "import os\nos.closerange(0, 500)\n", "no-result", None),
        (
            "writes rubbish to every descriptor",
            "import os\nfor fd in range(3, 300):\n    try: os.write(fd, b'{\"result\": 1}' * 9)\n    except OSError: pass\n",
            "no-result",
            None,
        ),
        ("prints 50 MB", "print('x' * 50_000_000)\n", "output-limit", None),
        ("stops its parent", "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\n", "supervisor-died", None),
        ("kills its parent", "import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(100)\n", "supervisor-died", None),
    ],
)
def test_hostile_job(engine: Engine, name: str, code: str, status: str, line: int | None) -> None:
    outcome = run(engine, code, timeout_s=1.0)

    assert (name, outcome.status) == (name, status), outcome
    if line is not None:
        assert (PATH, line) in outcome.frames
    assert run(engine, "print('next')\n").sections[0].stdout == "next\n"


@pytest.mark.parametrize(
    ("code", "status", "last"),
    [
        ("import sys\nsys.exit(0)\n", "exit", "SystemExit: 0"),
        ("quit()\n", "error", None),
        ("raise KeyboardInterrupt\n", "error", "KeyboardInterrupt"),
        ("def f(n): return f(n + 1)\nf(0)\n", "error", "RecursionError: maximum recursion depth exceeded"),
        ("b = bytearray(64 << 30)\n", "error", "MemoryError"),
        (
            "f = open('big', 'wb', buffering=0)\nf.seek(1 << 30)\nf.write(b'x')\n",
            "error",
            "OSError: [Errno 27] File too large",
        ),
        ("import os, shutil\nshutil.rmtree(os.getcwd())\n1 / 0\n", "error", "ZeroDivisionError: division by zero"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n", "error", None),
        ("input()\n", "error", "EOFError: EOF when reading a line"),
    ],
)
def test_endings_that_are_answers(engine: Engine, code: str, status: str, last: str | None) -> None:
    outcome = run(engine, code)

    assert outcome.status == "ok"
    assert outcome.result is not None
    ended = outcome.result["runs"][0]
    assert ended["status"] == status or (code == "quit()\n" and ended["status"] == "exit")
    if last is not None:
        assert ended["error"]["last"] == last


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can find every descendant")
@pytest.mark.parametrize(
    "code",
    [
        "import os, sys\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(300)  # {m}'])\n    os._exit(0)\nos.wait()\n",
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)  # {m}'], start_new_session=True)\n",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(300,)).start()  # {m}\n",
    ],
    ids=["daemon", "process in a session of its own", "thread that never ends"],
)
def test_nothing_is_left_running(engine: Engine, code: str) -> None:
    outcome = run(engine, code.replace("{m}", MARKED))

    assert outcome.status == "ok"
    assert find_marked() == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can find every descendant")
def test_nothing_is_left_of_a_job_that_kills_its_supervisor(engine: Engine) -> None:
    code = (
        "import os, subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)  # {MARKED}'], start_new_session=True)\n"
        "os.kill(os.getppid(), 9)\n"
    )
    assert run(engine, code).status == "supervisor-died"
    until = time.monotonic() + 10
    while find_marked() and time.monotonic() < until:
        time.sleep(0.05)
    assert find_marked() == []


def test_an_interrupt_raised_by_the_job_itself_is_an_exception(engine: Engine) -> None:
    outcome = run(engine, "import signal\nsignal.raise_signal(signal.SIGINT)\n")

    assert outcome.result is not None
    assert outcome.result["runs"][0]["error"]["type"] == "KeyboardInterrupt"


def find_marked() -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if MARKED.encode() in text and int(folder.name) != os.getpid():
            found.append(folder.name)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["fresh.FreshEngine", "warm.WarmEngine"])
def test_a_killed_build_leaves_nothing(name: str, tmp_path: Path) -> None:
    program = tmp_path / "build.py"
    root, tests = Path(__file__).parents[2], Path(__file__).parents[1]
    program.write_text(
        f"import sys\nsys.path[:0] = [{str(root)!r}, {str(tests)!r}]\n"
        f"from jobs.sessions import make_session\nfrom runner.jobs.{name.replace('.', ' import ')}\n"
        "code = 'import subprocess, sys\\nprint(1, flush=True)\\n'\n"
        f'code += \'subprocess.run([sys.executable, "-c", "import time; time.sleep(300)  # {MARKED}"])\\n\'\n'
        f"{name.rpartition('.')[2]}(1).run(make_session(code, timeout_s=200.0))\n"
    )
    before = set(Path(tempfile.gettempdir()).glob("labsheet-*"))
    build = subprocess.Popen([sys.executable, str(program)])
    until = time.monotonic() + 30
    while not find_marked() and time.monotonic() < until:
        time.sleep(0.05)
    assert find_marked(), "the job never started"
    build.send_signal(signal.SIGKILL)
    build.wait()
    until = time.monotonic() + 10
    while (find_marked() or set(Path(tempfile.gettempdir()).glob("labsheet-*")) - before) and time.monotonic() < until:
        time.sleep(0.05)

    assert find_marked() == []
    assert set(Path(tempfile.gettempdir()).glob("labsheet-*")) - before == set()


def test_each_job_has_its_own_folder_environment_and_files(engine: Engine) -> None:
    code = "import os, masks\nprint(sorted(os.listdir()), masks.N, os.environ.get('LABSHEET_SECRET'), os.environ['HOME'] == os.getcwd())\n"
    os.environ["LABSHEET_SECRET"] = "s"
    try:
        outcome = run(engine, code, files={"masks.py": b"N = 3\n", "data/a.csv": b"1"})
    finally:
        del os.environ["LABSHEET_SECRET"]

    assert outcome.sections[0].stdout == "['01-x.md', 'data', 'masks.py'] 3 None True\n"


def test_source_is_there_as_in_a_file(engine: Engine) -> None:
    first = "import dataclasses, inspect, pickle\n@dataclasses.dataclass\nclass A:\n    x: int = 1\ndef f(x):\n    return x + 1\n"
    second = "print(inspect.getsource(f), inspect.getsourcelines(A)[1])\nprint(pickle.loads(pickle.dumps(A(2))))\nimport __main__\nprint(open(__main__.__file__).read().split('\\n')[13])\n"
    third = "import multiprocessing as mp\nif __name__ == '__main__':\n    with mp.get_context('spawn').Pool(1) as pool:\n        print(pool.map(f, [1, 2]))\n"
    outcome, spawned = run(engine, first, second), run(engine, first, third)

    assert outcome.sections[1].stdout == "def f(x):\n    return x + 1\n 11\nA(x=2)\ndef f(x):\n"
    assert spawned.sections[1].stdout == "[2, 3]\n"


@pytest.mark.skipif(" " in sys.prefix, reason="torch's calls of the compiler do not quote paths with blanks")
def test_a_compiled_function_is_as_in_a_file() -> None:
    engine = make_engine(1)
    first = "import torch\n\n\n@torch.compile(fullgraph=True)\ndef f(x):\n    return (x + 1) * 2 - 3\n"
    outcome = run(engine, first, "print(f(torch.ones(3)).tolist())\n", timeout_s=300.0)
    engine.close()

    assert outcome.sections[1].stdout == "[1.0, 1.0, 1.0]\n", outcome


def test_a_traceback_names_lines_of_the_lesson_and_of_modules_beside_it(engine: Engine) -> None:
    outcome = run(engine, "import masks\nmasks.f()\n", files={"masks.py": b"def f():\n    raise KeyError('k')\n"})

    assert outcome.result is not None
    frames = outcome.result["runs"][0]["error"]["frames"]
    assert [(f["file"], f["line"], f["name"]) for f in frames] == [(PATH, 11, "<module>"), ("masks.py", 2, "f")]


def test_too_much_output_keeps_head_and_tail(engine: Engine) -> None:
    section = run(engine, "print('a' * 500_000 + 'z')\n").sections[0]

    assert section.stdout.startswith("aaa")
    assert section.stdout.endswith("az\n")
    assert section.dropped_bytes == 500_002 - 64 * 1024
    assert f"{section.dropped_bytes} bytes not shown" in section.stdout


@pytest.mark.parametrize("kind", [FreshEngine, WarmEngine])
def test_a_closed_engine_refuses(kind: type[FreshEngine | WarmEngine]) -> None:
    engine = kind(1)
    engine.close()

    with pytest.raises(EngineError, match="closed"):
        run(engine, "print(1)\n")
