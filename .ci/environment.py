# Makes .venv and keeps it right: run by a fit Python through set_up.py, as `environment.py site|lint|test given|found`.
# A stamp in .venv says for what it was made, so that a second run costs one start of Python.
from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import browser
import system_packages

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
REQUIREMENTS = {"site": "requirements.txt", "lint": "requirements-test.txt", "test": "requirements-test.txt"}


class SetUpError(Exception):
    """The environment cannot be made; its text says why and, on a second line, what to do."""


def compute_stamp(root: Path, requirements: str, version: str) -> str:
    """SHA-256 over all that an installation follows from: its place, Python's version and the files read by pip."""
    names = sorted({"requirements.txt", requirements, "pyproject.toml"})
    digest = hashlib.sha256(f"{root}\0{version}".encode())
    for name in names:
        content = (root / name).read_bytes()
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def read_torch_pin(requirements: str) -> str:
    """The version that a requirements text pins torch to."""
    found = re.search(r"^torch==([^\s;#]+)", requirements, re.MULTILINE)
    if found is None:
        raise SetUpError("requirements.txt pins no torch\n    Write one line torch==<version> into it.")
    return found[1]


def satisfies_pin(installed: str | None, pin: str) -> bool:
    """Whether an installed version is the pinned one, whatever it was built for (`2.13.0+cpu` is `2.13.0`)."""
    return installed is not None and installed.split("+")[0] == pin


def choose_torch_index(system: str, has_driver: bool, answers: Callable[[str], bool]) -> str | None:
    """PyTorch's CPU index, where the CUDA build would be gigabytes of no use and the index answers; else None."""
    return CPU_INDEX if system == "Linux" and not has_driver and answers(CPU_INDEX) else None


def has_nvidia_driver() -> bool:
    """Whether an NVIDIA driver is installed."""
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def index_answers(url: str) -> bool:
    """Whether a package index has torch; asked by a process, as looking up a name can outlast a socket's timeout."""
    program = "import sys, urllib.request as r; r.urlopen(sys.argv[1] + '/torch/', timeout=4)"
    try:
        done = subprocess.run([sys.executable, "-c", program, url], capture_output=True, timeout=6, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def find_installed_version(venv: Path, package: str) -> str | None:
    """Version of a package in `venv`; None where it is not installed."""
    program = f"from importlib.metadata import version; print(version({package!r}))"
    command = [str(venv / "bin" / "python"), "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def read_venv_version(venv: Path) -> str | None:
    """Python's version in `venv`; None where its Python or pip does not run, or where it was moved here."""
    program = "import pip, platform, sys; print(platform.python_version()); print(sys.prefix)"
    command = [str(venv / "bin" / "python"), "-c", program]
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError:
        return None
    rows = done.stdout.splitlines()
    runs = len(rows) == 2 and Path(rows[1]).resolve() == venv.resolve()
    return rows[0] if runs and is_at_home(venv) else None


def is_at_home(venv: Path) -> bool:
    """Whether the commands of `venv` start its own Python: in a copied or moved one they start the old place's."""
    try:
        text = (venv / "bin" / "pip").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    found = re.search(r"""(?:^#!|["'])(/[^"'\n]+)/bin/python""", text)
    return found is not None and Path(found[1]).resolve() == venv.resolve()


def is_kept(version: str | None, wished: str | None) -> bool:
    """Whether a .venv of this version stays: it runs, is 3.11 to 3.13, and no other (`3.12`) is wished for."""
    if version is None:
        return False
    minor = ".".join(version.split(".")[:2])
    return minor in {"3.11", "3.12", "3.13"} and wished in {None, minor}


def require_ensurepip() -> None:
    """Sees to it that this Python can put pip into a venv; raises SetUpError where it cannot be had."""
    if importlib.util.find_spec("ensurepip") is not None:
        return
    package = f"python3.{sys.version_info.minor}-venv"
    if system_packages.can_install() and system_packages.install_packages(package):
        importlib.invalidate_caches()
        if importlib.util.find_spec("ensurepip") is not None:
            return
    raise SetUpError(
        f"this Python ({sys.executable}) has no ensurepip, which puts pip into .venv\n"
        f"    Debian, Ubuntu: sudo apt-get install {package}; or name another Python: make site PYTHON=…"
    )


def make_venv(venv: Path) -> str:
    """Makes `venv` anew and returns its Python's version."""
    require_ensurepip()
    if venv.is_symlink() or venv.is_file():
        venv.unlink()
    elif venv.exists():
        shutil.rmtree(venv)
    python = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    # The running Python may be that of the .venv which has just gone.
    run([str(python) if python.exists() else sys.executable, "-m", "venv", str(venv)], "a venv")
    version = read_venv_version(venv)
    if version is None:
        raise SetUpError(f"the new {venv} does not run\n    Name another Python: make site PYTHON=/path/to/python3")
    return version


def run(command: list[str], what: str) -> None:
    """Runs a step of the set-up in sight; raises SetUpError where it fails."""
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise SetUpError(f"{what} could not be made ready; the lines above say why\n    Mend that and run make again.")


def install(venv: Path, requirements: Path) -> None:
    """Installs the pinned packages, torch first where its CPU build is to be had."""
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    pin = read_torch_pin((requirements.parent / "requirements.txt").read_text(encoding="utf-8"))
    if not satisfies_pin(find_installed_version(venv, "torch"), pin):
        index = choose_torch_index(platform.system(), has_nvidia_driver(), index_answers)
        if index is not None:
            # Without its dependencies: they come with the rest, from the index that everything else comes from.
            command = [*pip, "--no-deps", "--index-url", index, f"torch=={pin}"]
            if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
                say("the CPU build of torch could not be had; taking the one that pip finds")
    run([*pip, "-r", requirements.name], requirements.name)


def set_up(root: Path, level: str, wished: str | None) -> None:
    """Brings root/.venv to what `level` needs; `wished` is the minor version that it must have, or None."""
    venv, requirements = root / ".venv", REQUIREMENTS[level]
    version = read_venv_version(venv)
    if not is_kept(version, wished):
        say(f"making .venv with Python {platform.python_version()}")
        version = make_venv(venv)
    # The test requirements include the site's, so they answer for both.
    names = {"requirements.txt", requirements}
    stamps = {venv / f"set-up-{name}": compute_stamp(root, name, version or "") for name in names}
    wanted = venv / f"set-up-{requirements}"
    is_new = not wanted.exists() or wanted.read_text(encoding="utf-8") != stamps[wanted]
    if is_new:
        say(f"installing {requirements}")
        wanted.unlink(missing_ok=True)
        install(venv, root / requirements)
        for path, stamp in stamps.items():
            path.write_text(stamp, encoding="utf-8")
    if level == "test":
        browser.set_up_browser(venv, may_install=is_new or "CI" in os.environ)


def say(text: str) -> None:
    """One line of progress; stdout is the programs'."""
    sys.stderr.write(f"set-up: {text}\n")


def main(arguments: list[str]) -> int:
    """Sets up this checkout; exit status 1 and a message where that fails."""
    level, wish = arguments
    root = Path(__file__).resolve().parent.parent
    os.chdir(root)
    try:
        set_up(root, level, f"3.{sys.version_info.minor}" if wish == "given" else None)
    except SetUpError as failure:
        say(str(failure))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
