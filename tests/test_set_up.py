# The set-up of `.ci/`: which Python, which torch, which browser, and when .venv is left alone.
# Small real processes stand for Pythons and browsers; nothing is installed and nothing is asked over a network.
from __future__ import annotations

import ast
import importlib
import os
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
# How pip begins a command whose place holds a space or is long.
LONG_PLACE = """#!/bin/sh\n'''exec' "{venv}/bin/python" "$0" "$@"\n' '''"""
REQUIREMENTS = (ROOT / "requirements.txt").read_text(encoding="utf-8")


def load(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    return importlib.import_module(name)


@pytest.fixture
def set_up(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load(monkeypatch, "set_up")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load(monkeypatch, "environment")


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load(monkeypatch, "browser")


def write_program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


class TestChoosingAPython:
    def test_the_given_one_is_taken_where_it_fits(self, set_up: ModuleType) -> None:
        found = set_up.choose_python(["python3", "python3.13"], {"python3": (3, 12), "python3.13": (3, 13)}.get)

        assert found == ("python3", [])

    @pytest.mark.parametrize("version", [(3, 10), (3, 14), (2, 7), None])
    def test_another_takes_the_place_of_one_that_does_not_fit(self, set_up: ModuleType, version: object) -> None:
        found = set_up.choose_python(["python3", "python3.13"], {"python3": version, "python3.13": (3, 13)}.get)

        assert found == ("python3.13", [("python3", version)])

    def test_what_does_not_fit_is_told(self, set_up: ModuleType) -> None:
        chosen, unfit = set_up.choose_python(["python3", "python3.13"], {"python3": (3, 9)}.get)

        assert chosen is None
        assert set_up.describe_unfit(unfit) == "python3 is 3.9, python3.13 does not run"

    def test_versions_come_from_running_it(self, set_up: ModuleType, tmp_path: Path) -> None:
        broken = write_program(tmp_path / "ö broken" / "python3", "exit 3")

        assert set_up.find_version(sys.executable) == sys.version_info[:2]
        assert set_up.find_version(str(broken)) is None
        assert set_up.find_version(str(tmp_path / "absent")) is None

    def test_no_fit_python_at_all_is_a_message_and_status_1(self, tmp_path: Path) -> None:
        old = write_program(tmp_path / "python3", "printf '3 9'")
        command = [sys.executable, str(ROOT / ".ci" / "set_up.py"), "site", str(old)]
        done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)

        assert done.returncode == 1
        assert f"needs a Python 3.11 to 3.13: {old} is 3.9, python3.13 does not run" in done.stderr
        assert "PYTHON=/path/to/python3" in done.stderr

    def test_its_syntax_is_one_that_every_python_reads(self) -> None:
        text = (ROOT / ".ci" / "set_up.py").read_text(encoding="ascii")
        newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef, ast.Nonlocal, ast.Match)
        tree = ast.parse(text)

        assert [node for node in ast.walk(tree) if isinstance(node, newer)] == []
        assert [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns] == []
        assert [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)] == []

    def test_the_versions_are_those_that_the_project_declares(self, set_up: ModuleType) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

        assert project["requires-python"] == ">=" + ".".join(map(str, set_up.OLDEST))
        others = [tuple(map(int, name.removeprefix("python").split("."))) for name in set_up.OTHERS]
        assert (max(others), min(others)) == (set_up.NEWEST, set_up.OLDEST)


class TestTheStamp:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        for name in ("requirements.txt", "requirements-test.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, tmp_path / name)
        return tmp_path

    def test_it_is_the_same_where_nothing_changed(self, environment: ModuleType, root: Path) -> None:
        first, second = (environment.compute_stamp(root, "requirements.txt", "3.11.7") for _ in range(2))

        assert first == second

    @pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt", "pyproject.toml"])
    def test_it_changes_with_each_file_that_pip_reads(self, environment: ModuleType, root: Path, name: str) -> None:
        before = environment.compute_stamp(root, "requirements-test.txt", "3.11.7")
        with (root / name).open("a", encoding="utf-8") as file:
            file.write("# more\n")

        assert environment.compute_stamp(root, "requirements-test.txt", "3.11.7") != before

    def test_the_sites_does_not_depend_on_what_tests_need(self, environment: ModuleType, root: Path) -> None:
        before = environment.compute_stamp(root, "requirements.txt", "3.11.7")
        (root / "requirements-test.txt").write_text("", encoding="utf-8")

        assert environment.compute_stamp(root, "requirements.txt", "3.11.7") == before

    def test_it_changes_with_python_and_with_the_place(self, environment: ModuleType, root: Path) -> None:
        moved = root / "moved"
        moved.mkdir()
        for name in ("requirements.txt", "pyproject.toml"):
            shutil.copy(root / name, moved / name)
        places = [(root, "3.11.7"), (root, "3.12.1"), (moved, "3.11.7")]

        assert len({environment.compute_stamp(place, "requirements.txt", version) for place, version in places}) == 3


class TestKeepingAVenv:
    def test_a_version_is_read_only_where_python_and_pip_run(self, environment: ModuleType, tmp_path: Path) -> None:
        venv = tmp_path / "mit Leerzeichen ü" / ".venv"
        absent = environment.read_venv_version(venv)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        without_pip = environment.read_venv_version(venv)
        site = next((venv / "lib").glob("python3.*")) / "site-packages"
        (site / "pip.py").write_text("", encoding="utf-8")
        write_program(venv / "bin" / "pip", LONG_PLACE.format(venv=venv))
        whole = environment.read_venv_version(venv)
        (venv / "bin" / "python").unlink()

        assert (absent, without_pip, environment.read_venv_version(venv)) == (None, None, None)
        assert whole == ".".join(map(str, sys.version_info[:3]))

    @pytest.mark.parametrize("line", ["#!{venv}/bin/python3.11", LONG_PLACE, ""])
    def test_one_that_was_moved_is_not_at_home(self, environment: ModuleType, tmp_path: Path, line: str) -> None:
        pip = write_program(tmp_path / "bin" / "pip", "")
        answers = []
        for place in (tmp_path, tmp_path / "else where"):
            pip.write_text(line.format(venv=place) + "\n", encoding="utf-8")
            answers.append(environment.is_at_home(tmp_path))

        assert answers == [line != "", False]

    @pytest.mark.parametrize(
        ("version", "wished", "kept"),
        [
            ("3.11.7", None, True),
            ("3.13.0", "3.13", True),
            ("3.12.1", "3.13", False),
            ("3.10.4", None, False),
            ("3.14.0", None, False),
            (None, None, False),
        ],
    )
    def test_one_stays_where_it_runs_and_no_other_is_wished_for(
        self, environment: ModuleType, version: str | None, wished: str | None, kept: bool
    ) -> None:
        assert environment.is_kept(version, wished) is kept

    def test_one_whose_stamp_is_right_is_left_alone(
        self, environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("requirements.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, tmp_path / name)
        (tmp_path / ".venv").mkdir()
        stamp = environment.compute_stamp(tmp_path, "requirements.txt", "3.11.7")
        (tmp_path / ".venv" / "set-up-requirements.txt").write_text(stamp, encoding="utf-8")
        monkeypatch.setattr(environment, "read_venv_version", lambda venv: "3.11.7")
        monkeypatch.setattr(environment, "install", lambda *_: pytest.fail("it was installed again"))

        environment.set_up(tmp_path, "site", None)


class TestAPythonWithoutEnsurepip:
    @pytest.fixture
    def environment(self, environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
        return environment

    def test_root_gets_debians_package(self, environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []
        monkeypatch.setattr(environment.system_packages, "can_install", lambda: True)
        monkeypatch.setattr(environment.system_packages, "install_packages", lambda name: bool(asked.append(name)))

        with pytest.raises(environment.SetUpError):
            environment.require_ensurepip()
        assert asked == [f"python3.{sys.version_info.minor}-venv"]

    def test_others_get_advice(self, environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(environment.system_packages, "can_install", lambda: False)

        with pytest.raises(environment.SetUpError, match=r"no ensurepip[^\n]*\n.*apt-get install python3\.\d+-venv"):
            environment.require_ensurepip()


class TestChoosingATorch:
    def test_the_pin_is_read_from_the_requirements(self, environment: ModuleType) -> None:
        assert environment.read_torch_pin("click==8\ntorch==2.13.0  # one\n") == "2.13.0"
        assert f"torch=={environment.read_torch_pin(REQUIREMENTS)}" in REQUIREMENTS

    def test_requirements_without_a_pin_are_refused(self, environment: ModuleType) -> None:
        with pytest.raises(environment.SetUpError, match="pins no torch"):
            environment.read_torch_pin("torch>=2\n# torch==1\n")

    def test_requirements_name_no_index(self) -> None:
        assert [row for row in REQUIREMENTS.splitlines() if "index" in row or "://" in row] == []

    @pytest.mark.parametrize(
        ("installed", "satisfied"),
        [
            ("2.13.0", True),
            ("2.13.0+cpu", True),
            ("2.13.0+cu130", True),
            ("2.13.1", False),
            ("2.1", False),
            (None, False),
        ],
    )
    def test_any_build_of_the_pinned_version_satisfies(
        self, environment: ModuleType, installed: str | None, satisfied: bool
    ) -> None:
        assert environment.satisfies_pin(installed, "2.13.0") is satisfied

    @pytest.mark.parametrize(
        ("system", "has_driver", "answers", "takes_cpu_index"),
        [
            ("Linux", False, True, True),
            ("Linux", False, False, False),
            ("Linux", True, True, False),
            ("Darwin", False, True, False),
        ],
    )
    def test_the_cpu_index_serves_linux_without_a_driver_where_it_answers(
        self, environment: ModuleType, system: str, has_driver: bool, answers: bool, takes_cpu_index: bool
    ) -> None:
        index = environment.choose_torch_index(system, has_driver, lambda url: answers)

        assert index == (environment.CPU_INDEX if takes_cpu_index else None)

    def test_an_index_counts_where_it_has_torch(
        self, environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        (tmp_path / "index" / "torch").mkdir(parents=True)
        handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            place = f"http://127.0.0.1:{server.server_port}"
            answers = [environment.index_answers(f"{place}/{name}") for name in ("index", "absent")]
            server.shutdown()

        assert answers == [True, False]
        assert environment.index_answers(place) is False

    def test_a_package_that_is_absent_has_no_version(self, environment: ModuleType) -> None:
        venv = Path(sys.prefix)

        assert environment.find_installed_version(venv, "no-such-package") is None
        assert environment.find_installed_version(venv, "pytest") == pytest.__version__


class TestFindingABrowser:
    def test_the_named_one_comes_first(self, browser: ModuleType) -> None:
        assert browser.find_browser({"CHROMIUM": "/opt/mine"}, lambda name: f"/usr/bin/{name}") == "/opt/mine"

    def test_a_script_that_only_asks_for_a_snap_is_passed_over(self, browser: ModuleType, tmp_path: Path) -> None:
        write_program(tmp_path / "chromium-browser", "echo 'requires the chromium snap' >&2; exit 1")
        real = write_program(tmp_path / "google-chrome", "echo 'Google Chrome 150.0'")

        assert browser.find_browser({}, lambda name: shutil.which(name, path=str(tmp_path))) == str(real)

    @pytest.mark.skipif(sys.platform == "darwin", reason="finds Chrome in /Applications")
    def test_none_is_none(self, browser: ModuleType) -> None:
        assert browser.find_browser({}, lambda name: None) is None


class TestTheMakefile:
    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        return subprocess.run(["make", *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)

    def test_a_python_that_is_not_there_is_a_message(self) -> None:
        done = self.make("site", "PYTHON=/nowhere/with space/python3")

        assert done.returncode != 0
        assert "there is no /nowhere/with space/python3 here" in done.stderr

    def test_the_site_is_built_strictly_after_the_set_up(self) -> None:
        lines = self.make("-n", "site").stdout.splitlines()

        assert '.ci/set_up.py site ""' in " ".join(lines[:-1])
        assert lines[-1] == ".venv/bin/mkdocs build --strict"
