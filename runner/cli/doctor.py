# `labsheet doctor`: what this machine has for jobs, and what is missing with the way to get it.
# Asks the same probe that the build asks, so that both say the same.
from __future__ import annotations

import shutil
import sys

from rich.markup import escape
from rich.table import Table

import runner
from runner.cli.terminal import make_console
from runner.course import Course
from runner.jobs.validate import TORCH_ADVICE


def diagnose(course: Course) -> int:
    """Prints what was found; 1 when jobs that need torch cannot run."""
    machine = course.probe()
    environment = machine.environment
    table = Table(box=None, pad_edge=False, show_header=False)
    rows = {
        "labsheet": runner.__version__,
        "python": f"{sys.version.split()[0]}  {sys.executable}",
        "torch": str(environment.get("torch") or f"none: {machine.torch_error}"),
        "device": "cuda" if machine.cuda else "cpu",
        "device name": str(environment.get("device_name") or ""),
        "processor": str(environment.get("cpu") or ""),
        "platform": str(environment.get("platform") or sys.platform),
        "engine": course.engine,
        "kill a job's descendants": "all of them" if sys.platform == "linux" else "its process group only",
        "C++ compiler": find_compiler(),
        "course": str(course.root),
        "lessons": str(len([lesson for lesson in course.read().lessons if lesson.step])),
    }
    for name, text in rows.items():
        table.add_row(name, escape(text))
    console = make_console()
    console.print(table)
    if machine.torch_error is not None:
        console.print(f"\ntorch cannot be imported: {machine.torch_error}\n    {TORCH_ADVICE}", markup=False)
    return 0 if machine.torch_error is None else 1


def find_compiler() -> str:
    """The compiler that torch.compile needs on a CPU, or why it cannot use one."""
    if " " in sys.prefix:
        return "of no use: torch.compile does not quote its paths, and that of this Python holds a blank"
    return shutil.which("g++") or shutil.which("clang++") or "none: torch.compile cannot run on a CPU"
