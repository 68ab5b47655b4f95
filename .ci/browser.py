# Finds a Chromium for the browser tests, and gets one where that needs no question.
# Candidates are started, since Ubuntu's chromium-browser is a script that asks for a snap.
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import system_packages

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPLICATIONS = ("Google Chrome", "Chromium")


def find_browser(environ: Mapping[str, str], which: Callable[[str], str | None]) -> str | None:
    """Path of a browser that starts: $CHROMIUM, else one on PATH, else an application of macOS."""
    named = environ.get("CHROMIUM")
    if named:
        return named
    found = [which(command) for command in COMMANDS]
    found += [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in MAC_APPLICATIONS]
    return next((path for path in found if path and starts(path)), None)


def starts(path: str) -> bool:
    """Whether a browser tells its version."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and b"Chrom" in done.stdout


def find_own_browser(python: Path) -> str | None:
    """Path of the browser that Playwright brought for itself; None where it has none."""
    program = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    done = subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=False)
    path = done.stdout.strip()
    return path if path and starts(path) else None


def get_browser(python: Path) -> str | None:
    """Installs a browser: Debian's package as root, else Playwright's own; its path, or None."""
    if system_packages.can_install() and not system_packages.is_ubuntu():
        system_packages.install_packages("chromium")
        found = find_browser({}, shutil.which)
        if found:
            return found
    command = [str(python), "-m", "playwright", "install", "chromium"]
    command += ["--with-deps"] if system_packages.can_install() else []
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        sys.stderr.write("set-up: Playwright's download took longer than ten minutes\n")
    return find_own_browser(python)


def set_up_browser(venv: Path, may_install: bool) -> None:
    """Writes the path of a browser to `set-up-chromium` in `venv`, or an empty line and a message."""
    python = venv / "bin" / "python"
    path = find_browser(os.environ, shutil.which) or find_own_browser(python)
    if path is None and may_install:
        path = get_browser(python)
    (venv / "set-up-chromium").write_text(f"{path or ''}\n", encoding="utf-8")
    if path is None:
        sys.stderr.write("set-up: no Chromium for the browser tests: they are skipped here, and fail under CI\n")
        sys.stderr.write("    Install Chromium or Chrome, or name one: make test CHROMIUM=/path/to/chromium\n")
