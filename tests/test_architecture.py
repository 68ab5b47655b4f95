# The rules of the house, checked on the syntax trees of `runner/` and `hooks/`: who may import what, and the like.
# A rule that finds nothing proves nothing, so each is also tried on a copy with its violation planted.
from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BELOW = {
    "lesson": set(),
    "judge": {"lesson"},
    "measure": {"lesson"},
    "jobs": {"judge", "measure", "lesson"},
    "records": {"judge", "measure", "lesson"},
    "pages": {"judge", "measure", "lesson"},
    "harness": set(),
    "library": {"pages", "lesson"},
    "course": {"library", "pages", "jobs", "records", "judge", "measure", "lesson"},
    "cli": {"course", "pages", "jobs", "records", "judge", "measure", "lesson"},
    "hooks": {"course", "pages", "jobs", "records", "judge", "measure", "lesson"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""Room to the rooms that it may import, itself aside; `runner` itself holds the version and is open to all."""

OWNERS = {
    "torch": "harness",
    "mkdocs": "hooks",
    "properdocs": "hooks",
    "material": "hooks",
    "subprocess": "jobs",
    "multiprocessing": "jobs",
}
"""Package to the one room that may import it."""

GRAB_BAGS = {"util", "utils", "helper", "helpers", "common", "manager", "base", "misc"}
MOST_LINES = 300
COMPUTED = "?"


def find_violations(root: Path) -> list[str]:
    """Every breach of the rules in root/runner and root/hooks, as `path:line: what`."""
    modules = [path for top in ("runner", "hooks") for path in sorted((root / top).rglob("*.py"))]
    return list(dict.fromkeys(breach for path in modules for breach in check_module(root, path)))


def check_module(root: Path, path: Path) -> Iterator[str]:
    """The breaches of one module."""
    name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
    room, tree = room_of(name), ast.parse(text)
    if room not in BELOW:
        yield f"{name}:1: there is no room {room}"
        return
    for line, message in [
        *check_header(text, tree),
        *check_names(name, tree),
        *check_imports(room, tree),
        *check_print(room, tree),
    ]:
        yield f"{name}:{line}: {message}"


def room_of(name: str) -> str:
    """The room of a module: `runner/jobs/fresh.py` is in jobs, `runner/course.py` in course, `hooks/…` in hooks."""
    parts = name.removesuffix(".py").split("/")
    return "hooks" if parts[0] == "hooks" else parts[1]


def check_header(text: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Two lines of comment, the future import before other code, and a reason where the module is long."""
    rows = text.splitlines()
    if not rows:
        return
    header = rows[: next((number for number, row in enumerate(rows) if not row.startswith("#")), len(rows))]
    if len(header) < 2 or not all(re.match(r"# \S", row) for row in header[:2]):
        yield 1, "a module opens with two lines of comment: what it is for, and why it is shaped so"
    if len(rows) > MOST_LINES and "lines" not in " ".join(header):
        yield 1, f"{len(rows)} lines, and no reason for them in the header"
    code = [node for node in tree.body if not is_plain(node)]
    if code and not (isinstance(code[0], ast.ImportFrom) and code[0].module == "__future__"):
        yield code[0].lineno, "from __future__ import annotations comes first"


def is_plain(node: ast.stmt) -> bool:
    """Whether a statement is a literal or names one, as `__version__ = "1"` does."""
    return isinstance(node, ast.Assign | ast.Expr) and isinstance(node.value, ast.Constant)


def check_names(name: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """No grab bag: folders, modules and classes say what they hold."""
    words = re.split(r"[/_]", name.removesuffix(".py"))
    yield from ((1, f"{word} says nothing: name what is in it") for word in words if word in GRAB_BAGS)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            parts = re.findall(r"[A-Z][a-z0-9]*", node.name)
            yield from (
                (node.lineno, f"{part} says nothing: name what {node.name} does")
                for part in parts
                if part.lower() in GRAB_BAGS
            )


def check_imports(room: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports point down the pipeline, and what one room owns stays there."""
    for line, module in find_imports(tree):
        top, _, rest = module.partition(".")
        if module == COMPUTED:
            if room != "harness":  # whose child program picks its part from a table
                yield line, "an import by a computed name hides its direction"
        elif module.startswith("."):
            yield line, "a relative import hides its direction"
        elif top in OWNERS and room != OWNERS[top]:
            yield line, f"{top} is imported in {OWNERS[top]} only"
        elif top in {"runner", "hooks"}:
            target = "hooks" if top == "hooks" else rest.partition(".")[0]
            if target not in {"", "__version__", room, *BELOW[room]}:
                yield line, f"{room} imports {target}: imports point down the pipeline"


def find_imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of all that a module imports, by statement or by name at run time."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{package}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"} and node.args:
            first = node.args[0]
            yield node.lineno, first.value if isinstance(first, ast.Constant) else COMPUTED


def called(node: ast.Call) -> str:
    """The last word of what is called: `import_module` for `importlib.import_module(…)`."""
    return getattr(node.func, "attr", None) or getattr(node.func, "id", "")


def check_print(room: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Only the command talks to the terminal."""
    for node in ast.walk(tree):
        if room != "cli" and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield node.lineno, "print is called in cli only"


def test_the_house_keeps_its_rules() -> None:
    assert "\n".join(find_violations(ROOT)) == ""


HEADER = "# What it is for.\n# Why it is shaped so.\nfrom __future__ import annotations\n\n"


PLANTED = [
    ("runner/lesson/planted.py", HEADER + "from runner.judge.values import Check\n", "lesson imports judge"),
    ("runner/judge/planted.py", HEADER + "import runner.jobs.values\n", "judge imports jobs"),
    ("runner/judge/planted.py", HEADER + "from runner import measure\n", "judge imports measure"),
    ("runner/pages/planted.py", HEADER + "from runner.jobs import values\n", "pages imports jobs"),
    ("runner/jobs/planted.py", HEADER + "from runner.course import Course\n", "jobs imports course"),
    ("runner/jobs/planted.py", HEADER + "def go():\n    from runner.harness import child\n", "jobs imports harness"),
    ("runner/harness/planted.py", HEADER + "from runner.judge import values\n", "harness imports judge"),
    ("runner/course.py", HEADER + "import runner.cli\n", "course imports cli"),
    ("runner/course.py", HEADER + "import hooks.lessons\n", "course imports hooks"),
    ("runner/cli/planted.py", HEADER + "import hooks.lessons\n", "cli imports hooks"),
    ("hooks/planted.py", HEADER + "from runner.cli import main\n", "hooks imports cli"),
    ("runner/pages/planted.py", HEADER + "from . import values\n", "relative import"),
    (
        "runner/pages/planted.py",
        HEADER + "from mkdocs.structure.files import File\n",
        "mkdocs is imported in hooks only",
    ),
    ("runner/judge/planted.py", HEADER + "import torch.nn\n", "torch is imported in harness only"),
    ("runner/jobs/planted.py", HEADER + "import importlib\nimportlib.import_module('torch')\n", "torch is imported in"),
    ("runner/judge/planted.py", HEADER + "def go(name):\n    return __import__(name)\n", "computed name"),
    ("hooks/planted.py", HEADER + "import subprocess\n", "subprocess is imported in jobs only"),
    (
        "runner/cli/planted.py",
        HEADER + "from multiprocessing import Pool\n",
        "multiprocessing is imported in jobs only",
    ),
    ("runner/judge/planted.py", HEADER + "print('here')\n", "print is called in cli only"),
    ("runner/lesson/planted.py", HEADER + "a = [\n" + "    1,\n" * 300 + "]\n", "no reason for them in the header"),
    ("runner/lesson/planted.py", '"""A docstring."""\n', "two lines of comment"),
    ("runner/lesson/planted.py", "# One line.\nfrom __future__ import annotations\n", "two lines of comment"),
    (
        "runner/lesson/planted.py",
        "# What it is for.\n# Why it is so.\nimport re\n",
        "from __future__ import annotations",
    ),
    ("runner/lesson/string_utils.py", HEADER, "utils says nothing"),
    ("runner/lesson/planted.py", HEADER + "class FenceManager: ...\n", "Manager says nothing"),
    ("runner/extras/planted.py", HEADER, "there is no room extras"),
]


@pytest.mark.parametrize(("name", "text", "breach"), PLANTED, ids=[f"{name}: {breach}" for name, _, breach in PLANTED])
def test_a_planted_violation_is_found(tmp_path: Path, name: str, text: str, breach: str) -> None:
    plant(tmp_path, name, text)
    found = find_violations(tmp_path)

    assert len(found) == 1
    assert found[0].startswith(f"{name}:")
    assert breach in found[0]


def plant(root: Path, name: str, text: str) -> None:
    """Writes a module into a house that holds nothing else."""
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(text, encoding="utf-8")


def test_a_violation_in_a_copy_of_the_whole_house_is_the_one_that_is_found(tmp_path: Path) -> None:
    for top in ("runner", "hooks"):
        shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
    module = tmp_path / "runner" / "judge" / "values.py"
    lines = module.read_text(encoding="utf-8").splitlines()
    module.write_text("\n".join([*lines, "import torch", ""]), encoding="utf-8")

    added = set(find_violations(tmp_path)) - set(find_violations(ROOT))

    assert added == {f"runner/judge/values.py:{len(lines) + 1}: torch is imported in harness only"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runner/jobs/planted.py", HEADER + "import subprocess\nCHILD = 'runner.harness.child'\n"),
        ("runner/harness/planted.py", HEADER + "import torch\nfrom runner.harness import child\n"),
        ("runner/cli/planted.py", HEADER + "from runner import __version__\nprint(__version__)\n"),
        ("runner/lesson/planted.py", "# Its lines are one table.\n# A table.\n" + "# row\n" * 300),
    ],
)
def test_what_the_house_allows_is_no_violation(tmp_path: Path, name: str, text: str) -> None:
    plant(tmp_path, name, text)

    assert find_violations(tmp_path) == []


def test_each_thing_at_the_top_level_has_its_reason_in_the_readme() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0 or not listed.stdout:
        pytest.skip("not a git checkout")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tops = {name.strip('"').split("/")[0] for name in listed.stdout.splitlines()}

    assert [top for top in sorted(tops) if f"`{top}" not in readme] == []
