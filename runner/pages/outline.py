# The outline of a course: its paths and their lessons in reading order.
# Pages, navigation and the command all read their order and addresses here.
from __future__ import annotations

from dataclasses import dataclass

from runner.lesson.values import Lesson, Path, Planned


@dataclass(frozen=True, slots=True)
class Outline:
    """Paths in order, each with its lessons in order."""

    paths: tuple[tuple[Path, tuple[Lesson, ...]], ...]
    """Every path with its lessons."""

    def path_of(self, lesson: Lesson) -> Path | None:
        """The path of a lesson; None for a page under docs/."""
        return next((path for path, _ in self.paths if path.id == lesson.path_id), None)

    def step_count(self, path_id: str) -> int:
        """How many steps a path has, planned ones included."""
        for path, lessons in self.paths:
            if path.id == path_id:
                return len(lessons) + len(path.planned)
        return 0


def lesson_uri(lesson: Lesson) -> str:
    """Name of a lesson among the site's sources: `performance/01-x.md`."""
    return f"{lesson.path_id}/{lesson.source.rsplit('/', 1)[-1]}"


def lesson_dest(lesson: Lesson) -> str:
    """Folder of a lesson in the site: `performance/x/`."""
    return f"{lesson.path_id}/{lesson.slug}/"


def steps_of(path: Path, lessons: tuple[Lesson, ...]) -> tuple[Lesson | Planned, ...]:
    """Lessons and planned steps of a path, by their numbers."""
    steps: list[Lesson | Planned] = [*lessons, *path.planned]
    return tuple(sorted(steps, key=lambda step: step.step))
