# The tags in a fence's braces: which kinds of fence there are, which options each takes, how they are written.
# One table; a near miss names the nearest known word instead of being dropped.
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.lesson.problems import ProblemLog
from runner.lesson.schema import say_nearest

INFO = re.compile(r"^(?P<language>[\w+#.-]+) \{(?P<tags>[^\n]*)\}$")
ITEM = re.compile(r'\s*(?:(?P<key>[\w][\w-]*)="(?P<value>(?:[^"\\]|\\.)*)"|(?P<word>[\w][\w-]*))(?=\s|$)')
ID = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
ID_ADVICE = "Use small letters, digits and single hyphens, such as `reuse-buffer`."


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of tagged fence."""

    language: str
    """The language that it goes with."""
    takes_value: bool = False
    """Whether the tag itself has a value."""
    options: Mapping[str, bool] = field(default_factory=dict)
    """Its options, and whether each has a value."""


SHOWN = {"title": True, "hl_lines": True}
KINDS: Mapping[str, Kind] = {
    "example": Kind("python", options={"session": True, "hide": False, "tab": True, "raises": True, **SHOWN}),
    "norun": Kind("python", takes_value=True, options=SHOWN),
    "task": Kind("yaml", takes_value=True),
    "starter": Kind("python"),
    "checker": Kind("python"),
    "reference": Kind("python"),
    "inputs": Kind("python"),
    "wrong": Kind("python", takes_value=True, options={"fails": True}),
    "expected": Kind("json"),
    "hint": Kind("markdown"),
    "predict": Kind("yaml", takes_value=True),
    "question": Kind("yaml", takes_value=True),
}
OUTPUT = Kind("output", options={"tolerance": True, "like": False, "measured": False})
LATER = ("measure", "sweep", "alt", "figure")
LANGUAGES = tuple(dict.fromkeys([*(kind.language for kind in KINDS.values()), "output"]))
WORDS = tuple(dict.fromkeys([*KINDS, *LATER, *(o for kind in [*KINDS.values(), OUTPUT] for o in kind.options)]))


def parse_tags(text: str) -> dict[str, str | None] | int:
    """Tags between the braces, in order; or the offset at which they are not tags."""
    found: dict[str, str | None] = {}
    at = 0
    while text[at:].strip():
        match = ITEM.match(text, at)
        name = match and (match["key"] or match["word"])
        if match is None or name is None or name in found:
            return at + len(text[at:]) - len(text[at:].lstrip())
        value = match["value"]
        found[name] = None if value is None else re.sub(r"\\(.)", r"\1", value)
        at = match.end()
    return found


def find_kind(language: str, tags: Mapping[str, str | None]) -> str | None:
    """Name of the kind of a fence: its kind tag, or `output` for that language."""
    if language == "output":
        return "output"
    return next((name for name in tags if name in KINDS), None)


def check_tags(language: str, tags: Mapping[str, str | None], line: int, log: ProblemLog) -> bool:
    """Whether the tags of a fence are complete and known; every fault is noted."""
    before = log.count
    kind_name = find_kind(language, tags)
    for name in tags:
        if name in LATER:
            log.add(line, f"the tag `{name}` is not supported yet", 'Take it out, or use `norun="why"` for now.')
    if kind_name is None:
        if log.count == before:
            word = next(iter(tags), "")
            kinds = [name for name, kind in KINDS.items() if kind.language == language] or list(KINDS)
            log.add(line, f"no tag says what this fence is: `{word}` is not known", say_nearest(word, kinds))
        return False
    kind = OUTPUT if kind_name == "output" else KINDS[kind_name]
    if kind.language != language:
        log.add(line, f"`{kind_name}` goes with {kind.language}, not {language}", f"Write ```{kind.language} {{…}}.")
    for name, value in tags.items():
        _check_tag(name, value, kind_name=kind_name, line=line, log=log)
    return log.count == before


def _check_tag(name: str, value: str | None, *, kind_name: str, line: int, log: ProblemLog) -> None:
    if name in LATER:
        return
    kind = OUTPUT if kind_name == "output" else KINDS[kind_name]
    if name == kind_name and kind is not OUTPUT:
        takes_value = kind.takes_value
    elif name in kind.options:
        takes_value = kind.options[name]
    else:
        known = kind.options if kind is OUTPUT else [kind_name, *kind.options]
        log.add(line, f"unknown tag `{name}` beside `{kind_name}`", say_nearest(name, known))
        return
    if takes_value and not value:
        log.add(line, f"`{name}` needs a value", f'Write {name}="…".')
    if not takes_value and value is not None:
        log.add(line, f"`{name}` takes no value", f"Write {name} alone.")
