# Finds a course on disk and reads it: paths, lessons, pages under docs/ that carry tagged fences, files beside them.
# Reading is all it does; what it read is text and bytes, parsed by the pure room below.
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.lesson import values
from runner.lesson.lint import check_course
from runner.lesson.parse import FILE_NAME, Origin, parse_lesson, parse_path
from runner.lesson.problems import Problem
from runner.lesson.tags import ID
from runner.lesson.values import Lesson
from runner.pages.outline import Outline

TAGGED = re.compile(rb"^[ \t>]*(?:`{3,}|~{3,})[ \t]*\S*[ \t]*\{", re.MULTILINE)
VALUE = re.compile(rb"`\{=\}")
IMAGES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
DOCS = "docs"
RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Library:
    """A course as it stands on disk."""

    outline: Outline
    """Its paths and lessons in reading order."""
    docs_pages: tuple[Lesson, ...]
    """Pages under docs/ that carry tagged fences."""
    files: Mapping[str, Mapping[str, bytes]]
    """For each path: file names beside its lessons, modules and data, to their content."""
    images: Mapping[str, Path]
    """Place in the site to image file."""
    problems: tuple[Problem, ...]
    """Everything that its authors have to mend before anything runs."""

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Every page that has something to run, paths first."""
        return (*(lesson for _, lessons in self.outline.paths for lesson in lessons), *self.docs_pages)

    def files_of(self, lesson: Lesson) -> dict[str, bytes]:
        """What a lesson's jobs may read: the modules of its path's folder and the files that it names."""
        found = self.files.get(lesson.path_id, {})
        return {
            name: data
            for name, data in found.items()
            if ("/" not in name and name.endswith(".py")) or name in lesson.files
        }


def read_library(root: Path, lessons_dir: Path, docs_dir: Path, timeout_s: float) -> Library:
    """Reads the course in `lessons_dir` and `docs_dir`; places in problems are relative to `root`."""
    return _Librarian(root, timeout_s).read(lessons_dir, docs_dir)


class _Librarian:
    """Reads one course; collects what it finds and what is wrong with it."""

    def __init__(self, root: Path, timeout_s: float) -> None:
        self._root, self._timeout_s = root, timeout_s
        self._problems: list[Problem] = []
        self._files: dict[str, dict[str, bytes]] = {}
        self._images: dict[str, Path] = {}

    def read(self, lessons_dir: Path, docs_dir: Path) -> Library:
        if not lessons_dir.is_dir():
            advice = "Make it, or name another one under extra.labsheet.lessons in mkdocs.yml."
            self._add(lessons_dir, "the folder of the lessons is not there", advice)
        if lessons_dir.is_dir():
            for file in sorted(lessons_dir.glob("*.md")):
                self._refuse_place(file)
        folders = sorted(_list_folders(lessons_dir))
        paths = [self._read_folder(folder) for folder in folders]
        ordered = sorted((p for p in paths if p is not None), key=lambda pair: (pair[0].order, pair[0].id))
        docs_pages = tuple(self._read_docs(docs_dir))
        self._problems += check_course(ordered, self._files)
        return Library(Outline(tuple(ordered)), docs_pages, self._files, self._images, tuple(self._problems))

    def _add(self, path: Path, message: str, advice: str) -> None:
        self._problems.append(Problem(self._name(path), 1, 1, message, advice))

    def _refuse_place(self, file: Path) -> None:
        if file.name != "README.md":
            advice = "Move it to `lessons/<path>/NN-slug.md`, one folder deep; a README.md may stand anywhere."
            self._add(file, "no lesson is read from here", advice)

    def _name(self, path: Path) -> str:
        try:
            return path.relative_to(self._root).as_posix()
        except ValueError:
            return path.as_posix()

    def _read_bytes(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except OSError as error:
            self._add(path, f"the file cannot be read: {error.strerror}", "Mend its rights or its place.")
            return None

    def _read_folder(self, folder: Path) -> tuple[values.Path, tuple[Lesson, ...]] | None:
        if not ID.match(folder.name) or folder.name == DOCS:
            why = "is reserved for pages under docs/" if folder.name == DOCS else "is no id"
            self._add(folder, f"the name `{folder.name}` {why}", "Rename the folder: small letters, digits, hyphens.")
            return None
        index = folder / "index.md"
        data = self._read_bytes(index) if index.is_file() else None
        if data is None:
            if not index.is_file():
                self._add(index, "the path has no index.md", "Write one with title, summary and order.")
            data = b"---\ntitle: " + folder.name.encode() + b"\nsummary: ' '\norder: 0\n---\n"
        path, problems = parse_path(data, folder.name, self._name(index))
        self._problems += problems
        self._files[folder.name] = {}
        lessons = [lesson for file in sorted(_list_files(folder)) if (lesson := self._read_file(folder, file))]
        return path, tuple(sorted(lessons, key=lambda lesson: (lesson.step, lesson.slug)))

    def _read_file(self, folder: Path, file: Path) -> Lesson | None:
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".md":
            if "/" in name:
                self._refuse_place(file)
                return None
            return None if name in ("index.md", "README.md") else self._read_lesson(folder, file)
        if file.suffix.lower() in IMAGES:
            self._images[f"{folder.name}/{name}"] = file
        data = self._read_bytes(file)
        if data is not None:
            self._files[folder.name][name] = data
        return None

    def _read_lesson(self, folder: Path, file: Path) -> Lesson | None:
        match = FILE_NAME.match(file.name)
        if match is None or match["step"] == "00":
            self._add(file, f"`{file.name}` is no name of a lesson", "Name it `NN-slug.md`, such as `03-views.md`.")
            return None
        data = self._read_bytes(file)
        if data is None:
            return None
        origin = Origin(self._name(file), folder.name, match["slug"], int(match["step"]))
        lesson, problems = parse_lesson(data, origin, self._timeout_s)
        self._problems += problems
        return lesson

    def _read_docs(self, docs_dir: Path) -> Iterator[Lesson]:
        for file in sorted(docs_dir.rglob("*.md")):
            data = self._read_bytes(file)
            if data is None or not (TAGGED.search(data) or VALUE.search(data)):
                continue
            page = file.relative_to(docs_dir).with_suffix("").as_posix()
            lesson, problems = parse_lesson(data, Origin(self._name(file), DOCS, page, 0), self._timeout_s)
            self._problems += problems
            if lesson.parts or lesson.values or problems:
                yield lesson


def _list_folders(lessons_dir: Path) -> Iterator[Path]:
    if lessons_dir.is_dir():
        yield from (p for p in lessons_dir.iterdir() if p.is_dir() and not p.name.startswith((".", "_")))


def _list_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith((".", "__")) for part in parts) or parts[0] == RECORDS
        if path.is_file() and not hidden:
            yield path
