# The command line itself: one function for each subcommand, which reads arguments and leaves with a status.
# Exit status: 0 good; 1 something did not pass; 2 usage, or the machinery broke.
from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from runner import __version__
from runner.cli.checking import check_file, write_starter
from runner.cli.doctor import diagnose
from runner.cli.listing import list_course
from runner.cli.terminal import fail, open_course
from runner.cli.validating import validate_course
from runner.jobs.engine import EngineError

DEVICE = click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), help="Where jobs run.")
JOBS = click.option("--jobs", type=click.IntRange(min=1), help="How many jobs run at once.")
COURSE = click.option(
    "--course",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the course; without it the nearest one with an mkdocs.yml, upwards.",
)


def ends_cleanly(function: Callable[..., int]) -> Callable[..., None]:
    """Turns what a subcommand returns or raises into an exit status."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            status = function(*args, **kwargs)
        except EngineError as error:
            fail(str(error))
            status = 2
        except click.ClickException:
            raise
        except KeyboardInterrupt:
            status = 130
        except Exception:  # noqa: BLE001  broken machinery: the whole traceback, and the status that says so
            traceback.print_exc()
            status = 2
        sys.exit(status)

    return run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="labsheet")
def main() -> None:
    """Validates the lessons of a course and judges solutions of their tasks."""


@main.command()
@click.argument("paths", nargs=-1, metavar="[PATH[:LINE]]…")
@DEVICE
@JOBS
@COURSE
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write labsheet.json there.")
@ends_cleanly
def validate(
    paths: tuple[str, ...], device: str | None, jobs: int | None, course: Path | None, json_file: Path | None
) -> int:
    """Run what the build would run, and print a table; no site."""
    with open_course(course, device, jobs) as opened:
        return validate_course(opened, paths, json_file)


@main.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@COURSE
@ends_cleanly
def list_(*, as_json: bool, course: Path | None) -> int:
    """List lessons and tasks."""
    with open_course(course) as opened:
        return list_course(opened, as_json=as_json)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--task", help="The task: <path>/<slug>#<task>, or any unambiguous end of it.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the unpublished cases, to repeat a verdict.")
@click.option("--json", "as_json", is_flag=True, help="The verdict as one JSON document on standard output.")
@DEVICE
@COURSE
@ends_cleanly
def check(
    *, file: Path, task: str | None, seed: int | None, as_json: bool, device: str | None, course: Path | None
) -> int:
    """Judge a solution of a task."""
    with open_course(course, device) as opened:
        return check_file(opened, file, task, seed, as_json=as_json)


@main.command()
@click.argument("task")
@click.option("--to", type=click.Path(dir_okay=False, path_type=Path), help="The file; without it <task>.py here.")
@COURSE
@ends_cleanly
def start(task: str, to: Path | None, course: Path | None) -> int:
    """Write a task's starter as a Python file that names its task."""
    with open_course(course) as opened:
        return write_starter(opened, task, to)


@main.command()
@DEVICE
@COURSE
@ends_cleanly
def doctor(device: str | None, course: Path | None) -> int:
    """Say what this machine has for jobs, and what is missing."""
    with open_course(course, device) as opened:
        return diagnose(opened)
