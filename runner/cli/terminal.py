# What every subcommand shares: opening the course, printing, a progress bar on a terminal and plain lines elsewhere.
# Results go to standard output, everything else to standard error.
from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from yaml_env_tag import construct_env_tag

from runner.course import CONFIG, Course
from runner.jobs.validate import Step

UNCUT_WIDTH = 1000


def make_console(*, stderr: bool = False) -> Console:
    """A console that cuts and wraps nothing when it is not a terminal."""
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return Console(stderr=stderr, highlight=False, soft_wrap=True, width=None if terminal else UNCUT_WIDTH)


def fail(message: str) -> None:
    """Prints an error."""
    click.echo(f"labsheet: {message}", err=True)


@contextmanager
def open_course(folder: Path | None, device: str | None = None, jobs: int | None = None) -> Iterator[Course]:
    """The course in a folder, or in the nearest folder upwards that has an mkdocs.yml.

    An engine that stands as the command's `obj` runs its jobs; without one the course starts its own.
    """
    root = find_root(folder or Path.cwd())
    if root is None:
        raise click.UsageError(f"there is no {CONFIG} here or above; go to a course, or name one with --course")
    docs_dir, options = read_config(root / CONFIG)
    chosen = {name: value for name, value in (("device", device), ("jobs", jobs)) if value is not None}
    course = Course(
        root, docs_dir, {**options, **chosen} if isinstance(options, dict) else options, click.get_current_context().obj
    )
    try:
        yield course
    finally:
        course.close()


def find_root(folder: Path) -> Path | None:
    """The nearest folder upwards with an mkdocs.yml."""
    folder = folder.resolve()
    return next((place for place in (folder, *folder.parents) if (place / CONFIG).is_file()), None)


class ConfigLoader(yaml.SafeLoader):
    """Reads mkdocs.yml for the keys that matter here: !ENV as MkDocs does, other tags are passed over."""


def _pass_over(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> None:
    del loader, suffix, node


ConfigLoader.add_multi_constructor("", _pass_over)
ConfigLoader.add_constructor("!ENV", construct_env_tag)


def read_config(file: Path) -> tuple[Path, Any]:
    """The docs folder and the options under extra.labsheet of an mkdocs.yml."""
    try:
        config = yaml.load(file.read_text("utf-8"), ConfigLoader)  # noqa: S506  a safe loader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file.name} cannot be read: {error}") from error
    config = config if isinstance(config, Mapping) else {}
    extra = config.get("extra")
    options = extra.get("labsheet", {}) if isinstance(extra, Mapping) else {}
    return file.parent / str(config.get("docs_dir") or "docs"), options


@contextmanager
def show_progress() -> Iterator[Step | None]:
    """A bar on a terminal; nothing elsewhere, where the closing table says enough."""
    console = make_console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        line = bar.add_task("running", total=None)

        def step(done: int, total: int, label: str) -> None:
            bar.update(line, completed=done, total=total, description=label)

        yield step
