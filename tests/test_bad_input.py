# What authors plant, all in one course at a path with blanks and umlauts, built once by the real MkDocs from elsewhere:
# every fault is named with its line in that one run, the fine lessons are not, and the old site still stands.
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import mkdocs
import pytest
from course_builder import Built, CourseBuilder

TASK = """Write `f`.

```yaml {task="t"}
cases: [{x: 1}]
```

```python {starter}
def f(x):
    raise NotImplementedError
```

```python {checker}
def check(candidate, x):
    return {"v": candidate(x), "twice": candidate(2 * x)}
```

```json {expected}
{"v": 1, "twice": 2}
```

```python {reference}
def f(x):
    return x
```

```python {wrong="constant" fails="report.twice"}
# One case is not all cases.
def f(x):
    return 1
```
"""


def example(code: str, tags: str = "example") -> str:
    return f"```python {{{tags}}}\n{code}```\n"


FAULTS: dict[str, tuple[str, int, str]] = {
    "raises": (
        example("def f():\n    return 1 / 0\n\nf()\n"),
        11,
        "ZeroDivisionError: division by zero\n      lessons/p/",
    ),
    "exits": (example("import sys\nsys.exit(0)\n"), 11, "SystemExit: 0"),
    "exits-at-once": (
        example("x = 1\n") + "\n" + example("import os\nos._exit(0)\n"),
        14,
        "ended the process: exit status 0",
    ),
    "hangs": (example("x = 1\nwhile True: pass\n"), 11, "did not end: it took more than 2 s"),
    "floods": (example("print('x' * 50_000_000)\n"), 10, "writes too much"),
    "segfaults": (example("import ctypes\n\nctypes.string_at(0)\n"), 12, "crashed the process: SIGSEGV"),
    "does-not-raise": (example("x = 1\n", 'example raises="ValueError"'), 9, "must raise `ValueError` and does not"),
    "raises-otherwise": (
        example("1 / 0\n", 'example raises="ValueError: no"'),
        10,
        "raises `ZeroDivisionError: division by zero`",
    ),
    "states-otherwise": (example("print(1)\n") + "\n```output\n2\n```\n", 13, "- 2\n    + 1"),
    "comments-otherwise": (example("print(1)  # 2\n"), 10, "the comment says  2\n    the print wrote   1"),
    "inline-raises": (example("x = 1\n") + "\nIt is `{=} y`.\n", 13, "`y` raises NameError"),
    "reference-missing": (
        TASK.replace("{reference}", "{hint}").replace("```python {hint}", "```markdown {hint}"),
        11,
        "this task has no reference",
    ),
    "checker-missing": (
        re.sub(r"```python \{checker\}.*?```\n", "", TASK, flags=re.DOTALL),
        11,
        "this task has no checker",
    ),
    "expected-missing": (re.sub(r"```json.*?```\n", "", TASK, flags=re.DOTALL), 11, "this task has no expected"),
    "expected-no-json": (TASK.replace('"twice": 2}', '"twice": 2'), 26, "not JSON"),
    "expected-differs": (TASK.replace('"twice": 2}', '"twice": 3}'), 25, "twice (case 1): expected 3, measured 2"),
    "starter-passes": (TASK.replace("raise NotImplementedError", "return x"), 15, "the starter passes already"),
    "starter-broken": (
        TASK.replace("    raise NotImplementedError\n", "    pass\n\n1 / 0\n"),
        15,
        "the starter does not load",
    ),
    "wrong-passes": (TASK.replace("    return 1\n", "    return x\n"), 34, "the wrong solution `constant` passes"),
    "wrong-otherwise": (TASK.replace('fails="report.twice"', 'fails="report.v"'), 34, "is not caught by `report.v`"),
    "two-tasks": (TASK + "\n## Again\n\n" + TASK, 44, "two tasks have the id `t`"),
    "misspelt": (example("x = 1\n", "exampel"), 9, "Did you mean `example`?"),
    "misspelt-key": (example("x = 1\n", 'example sesion="a"'), 9, "Did you mean `session`?"),
    "untagged": ("```python\nx = 1\n```\n", 9, "this Python fence has no tag"),
    "alias": ("```py\nx = 1\n```\n", 9, "`py` is not run"),
    "in-list": ("- a\n\n  " + example("x = 1\n").replace("\n", "\n  ") + "\n", 11, "stands inside something else"),
    "in-tab": (
        '=== "A"\n\n    ' + example("x = 1\n").replace("\n", "\n    ") + "\n",
        11,
        "hidden from the site's Markdown",
    ),
    "in-admonition": (
        "!!! note\n    " + example("x = 1\n").replace("\n", "\n    ") + "\n",
        10,
        "hidden from the site's Markdown",
    ),
    "in-comment": ("<!--\n" + example("x = 1\n") + "-->\n", 10, "hidden from the site's Markdown"),
    "in-html": ("<div>\n" + example("x = 1\n") + "</div>\n", 10, "hidden from the site's Markdown"),
    "unclosed": ("```python {example}\nx = 1\n", 9, "this fence is never closed"),
    "mismatched": ("```python {example}\nx = 1\n`````\n", 11, "does not repeat the opening marker"),
}
RAW: dict[str, tuple[bytes, int, str]] = {
    "no-front-matter": (b"Text.\n", 1, "the file has no front matter"),
    "bad-type": (b"---\ntitle: T\nsummary: S\nminutes: ten\n---\n", 4, "`minutes` must be a whole number"),
    "key-twice": (b"---\ntitle: T\ntitle: U\nsummary: S\n---\n", 3, "the key `title` stands here twice"),
    "nul": (b"---\ntitle: T\nsummary: S\n---\n\0\n", 5, "NUL character"),
    "not-utf-8": (b"---\ntitle: T\nsummary: S\n---\n\ncaf\xe9\n", 6, "byte 0xe9 is not UTF-8"),
    "utf-16": ("---\ntitle: T\n".encode("utf-16"), 1, "the file is UTF-16"),
}
FINE: dict[str, bytes] = {
    "crlf": b"---\r\ntitle: T\r\nsummary: S\r\n---\r\n\r\n```python {example}\r\nprint('a')  # a\r\n```\r\n\r\n```output\r\na\r\n```\r\n",
    "bom": b"\xef\xbb\xbf---\ntitle: T\nsummary: S\n---\n\n```python {example}\nprint(1)  # 1\n```\n",
    "tabs": b"---\ntitle: T\nsummary: S\n---\n\n```python {example}\nif True:\n\tprint('a\tb')  # a\tb\n```\n",
    "no-final-newline": b"---\ntitle: T\nsummary: S\n---\n\n```python {example}\nprint(1)  # 1\n```",
}


def name_of(number: int, slug: str) -> str:
    return f"lessons/p/{number:02d}-{slug}.md"


NAMES = {slug: name_of(number, slug) for number, slug in enumerate([*FAULTS, *RAW, *FINE], 1)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    course = CourseBuilder(tmp_path_factory.mktemp("Kurs mit Ümläuten"))
    for slug, (body, _, _) in FAULTS.items():
        course.lesson(NAMES[slug].removeprefix("lessons/"), body, "timeout: 2\n")
    for slug, (data, _, _) in RAW.items():
        course.file(NAMES[slug], data)
    for slug, data in FINE.items():
        course.file(NAMES[slug], data)
    course.file("site/index.html", "the old site")
    return course.build("--strict", cwd=tmp_path_factory.mktemp("elsewhere"))


@pytest.mark.parametrize("slug", [*FAULTS, *RAW])
def test_fault_is_named_with_its_line(built: Built, slug: str) -> None:
    _, line, part = {**FAULTS, **RAW}[slug]
    told = [text for text in split_problems(built.output) if text.startswith(f"{NAMES[slug]}:")]

    assert any(re.match(rf"{re.escape(NAMES[slug])}:{line}:\d+: ", text) and part in text for text in told), (
        told,
        line,
    )
    assert all(text.count("\n    ") >= 1 for text in told), "advice is missing"


@pytest.mark.parametrize("slug", FINE)
def test_fine_lesson_is_not_named(built: Built, slug: str) -> None:
    assert NAMES[slug] not in built.output


def test_each_lesson_has_no_more_than_its_fault(built: Built) -> None:
    lines = [text.split(": ", 1)[0].rsplit(":", 1)[0] for text in split_problems(built.output)]

    assert len(lines) == len(FAULTS) + len(RAW), built.output


def test_build_fails_and_the_old_site_stands(built: Built) -> None:
    assert built.status == 1
    assert (built.site / "index.html").read_text() == "the old site"
    assert "Traceback" not in built.output
    assert built.output.rstrip().splitlines()[-1].strip().endswith("problems")


def split_problems(output: str) -> list[str]:
    """The problems in a build's output: each from its place to its advice."""
    starts = [m.start() for m in re.finditer(r"^lessons/", output, re.MULTILINE)]
    ends = [*starts[1:], output.rfind("\n", 0, len(output.rstrip()))]
    return [output[start:end].rstrip() for start, end in zip(starts, ends, strict=True)]


def test_without_torch_the_message_says_which_command_installs_it(tmp_path: Path) -> None:
    python = make_environment_without_torch(tmp_path / "venv")
    course = CourseBuilder(tmp_path / "course").lesson("p/01-x.md", example("import torch\n") + "\n" + TASK)
    course.lesson("p/02-y.md", example("print(1)  # 1\n"))
    built = course.build("--strict", python=python)

    assert built.status == 1
    assert (
        "lessons/p/01-x.md:8:1: torch cannot be imported: No module named 'torch'\n    Install it: pip install"
        in built.output
    )
    assert "02-y" not in built.output


def make_environment_without_torch(folder: Path) -> str:
    """A virtual environment that sees every package of this one but torch."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = folder / "packages"
    packages.mkdir()
    for entry in Path(mkdocs.__file__).parents[1].iterdir():
        if not entry.name.startswith(("torch", "functorch")):
            (packages / entry.name).symlink_to(entry)
    site = next((folder / "lib").glob("python*/site-packages"))
    (site / "all.pth").write_text(f"import site; site.addsitedir({str(packages)!r})\n")
    return str(folder / "bin" / "python")
