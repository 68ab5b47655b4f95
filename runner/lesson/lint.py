# Rules about a whole course: steps, slugs, needs, files. Lessons in, problems out.
# What lies on disk is told by arguments, so that the rules stay pure.
from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from markdown_it import MarkdownIt

from runner.lesson.problems import Problem
from runner.lesson.schema import say_nearest
from runner.lesson.values import Lesson, Path, Prediction, Question, Task

TEXT_KEYS = ("ask", "because", "text", "answer")
RESERVED_MODULES = frozenset({*sys.stdlib_module_names, "torch", "runner", "hooks"})


def check_course(
    paths: Sequence[tuple[Path, Sequence[Lesson]]], files: Mapping[str, Collection[str]]
) -> tuple[Problem, ...]:
    """Every problem between files; `files` are the names in each path's folder."""
    problems: list[Problem] = []
    known = [lesson.id for _, lessons in paths for lesson in lessons]
    sources = [source for path, lessons in paths for source in (path.source, *(lesson.source for lesson in lessons))]
    for path, lessons in paths:
        problems += _check_steps(path, lessons)
        problems += _check_slugs(lessons)
        problems += _check_modules(path, files.get(path.id, ()))
        for lesson in lessons:
            problems += _check_needs(lesson, known)
            problems += _check_files(lesson, files.get(path.id, ()))
            problems += _check_links(lesson, sources)
    return tuple(problems)


def _check_steps(path: Path, lessons: Sequence[Lesson]) -> list[Problem]:
    problems: list[Problem] = []
    first: dict[int, str] = {}
    for lesson in lessons:
        if lesson.step in first:
            message = f"step {lesson.step} is `{first[lesson.step]}` already"
            problems.append(Problem(lesson.source, 1, 1, message, "Give the file another number."))
        first.setdefault(lesson.step, lesson.source)
    for planned in path.planned:
        if planned.step in first:
            message = f"the planned step {planned.step} is written: `{first[planned.step]}`"
            problems.append(Problem(path.source, 1, 1, message, "Take it out of `planned`."))
    steps = {*first, *(planned.step for planned in path.planned)}
    if len(path.planned) > len({planned.step for planned in path.planned}):
        problems.append(Problem(path.source, 1, 1, "two planned steps have one number", "Renumber them."))
    missing = sorted(set(range(1, max(steps, default=0) + 1)) - steps)
    if missing:
        message = f"step {missing[0]} of this path is missing"
        advice = f"Renumber the lessons, or add `- {{step: {missing[0]}, title: …}}` to `planned`."
        problems.append(Problem(path.source, 1, 1, message, advice))
    return problems


def _check_slugs(lessons: Sequence[Lesson]) -> list[Problem]:
    problems: list[Problem] = []
    first: dict[str, str] = {}
    for lesson in lessons:
        if lesson.slug in first:
            message = f"`{first[lesson.slug]}` has the same name and so the same address"
            problems.append(Problem(lesson.source, 1, 1, message, "Rename one of the files."))
        first.setdefault(lesson.slug, lesson.source)
    return problems


def _check_needs(lesson: Lesson, known: Sequence[str]) -> list[Problem]:
    problems: list[Problem] = []
    line = _find_key(lesson, "needs")
    others = [name for name in known if name != lesson.id]
    for need in lesson.needs:
        if need == lesson.id:
            problems.append(Problem(lesson.source, line, 1, "the lesson needs itself", "Take it out of `needs`."))
        elif need not in known:
            problems.append(Problem(lesson.source, line, 1, f"there is no lesson `{need}`", say_nearest(need, others)))
    return problems


def _find_key(lesson: Lesson, key: str) -> int:
    """The line of a key in the front matter."""
    rows = lesson.text.split("\n")[: lesson.body_line]
    return next((number for number, row in enumerate(rows, 1) if row.startswith(f"{key}:")), 1)


def _check_links(lesson: Lesson, sources: Sequence[str]) -> list[Problem]:
    """Links in the Markdown of fences, which the site engine never sees, lead to lessons that are there."""
    problems: list[Problem] = []
    folder = posixpath.dirname(lesson.source)
    for line, text in _list_texts(lesson):
        for name in _list_links(text):
            target = posixpath.normpath(posixpath.join(folder, name))
            if name.endswith(".md") and target not in sources:
                advice = f"{say_nearest(target, sources)} Links in fences lead to lessons and paths."
                problems.append(Problem(lesson.source, line, 1, f"a link leads to no lesson: `{name}`", advice))
    return problems


def _list_texts(lesson: Lesson) -> Iterator[tuple[int, str]]:
    """The Markdown inside fences, with the line of its fence."""
    for part in lesson.parts:
        if isinstance(part, Task):
            yield from ((hint.line, hint.code) for hint in part.hints)
            yield from ((wrong.fence.line, wrong.because) for wrong in part.wrong)
        elif isinstance(part, Prediction | Question):
            choices = [choice for choice in part.spec.get("choices", ()) if isinstance(choice, Mapping)]
            for mapping in (part.spec, *choices):
                yield from ((part.fence.line, mapping[key]) for key in TEXT_KEYS if isinstance(mapping.get(key), str))


def _list_links(text: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark").parse(text):
        for child in token.children or ():
            href = str(child.attrs.get("href", "")) if child.type == "link_open" else ""
            if href and not re.match(r"[a-z][a-z0-9+.-]*:|/", href):
                yield href.partition("#")[0]


def _check_files(lesson: Lesson, names: Collection[str]) -> list[Problem]:
    return [
        Problem(
            lesson.source,
            _find_key(lesson, "files"),
            1,
            f"there is no file `{name}` beside the lesson",
            say_nearest(name, names) if names else "Put it there, or take it out.",
        )
        for name in lesson.files
        if name not in names
    ]


def _check_modules(path: Path, names: Collection[str]) -> list[Problem]:
    folder = path.source.rsplit("/", 1)[0]
    return [
        Problem(f"{folder}/{name}", 1, 1, f"`{name}` hides a module of that name", "Rename the file.")
        for name in sorted(names)
        if name.endswith(".py") and name.removesuffix(".py") in RESERVED_MODULES
    ]
