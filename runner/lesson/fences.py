# Finds the tagged fences of a page. CommonMark decides what a fence is; what only looks like one is a problem.
# Ordinary fences are held to what both CommonMark and the site's Markdown read the same way.
from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from runner.lesson.problems import ProblemLog
from runner.lesson.tags import INFO, KINDS, LANGUAGES, LATER, WORDS, check_tags, find_kind, parse_tags
from runner.lesson.values import Fence

FENCE_LINE = re.compile(
    r"^(?P<lead>[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*[ \t>]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n]*)$"
)
SAFE_INFO = re.compile(r'^([\w#.+-]+)?(\s*\{[^}\n]*\})?$|^[\w#.+-]+(\s+(title|hl_lines|linenums)="[^"\n]*")+$')
PYTHON = re.compile(r"(?:i?py(?:thon)?[\d.]*|pycon)$", re.IGNORECASE)
COLUMN_ADVICE = "Start it at column 0, outside lists, quotes, admonitions, tabs, comments and HTML blocks."


@dataclass(frozen=True, slots=True)
class Scan:
    """What the block structure of a page is."""

    fences: tuple[Fence, ...]
    """Tagged fences without a fault, in order."""
    tokens: tuple[Token, ...]
    """Every CommonMark token; a token's `map` counts lines of the file from 0."""
    covered: frozenset[int]
    """Lines (from 1) that belong to any fence."""


def scan_fences(text: str, log: ProblemLog, *, strict: bool) -> Scan:
    """The tagged fences of `text` (front matter blanked out). `strict` is for lessons, where all Python is tagged."""
    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").parse(text)
    covered: set[int] = set()
    fences: list[Fence] = []
    for token in tokens:
        if token.type != "fence" or token.map is None:
            continue
        first, end = token.map
        covered.update(range(first + 1, end + 1))
        fence = _read_fence(token, lines, log, strict=strict)
        if fence is not None:
            fences.append(fence)
    for number, row in enumerate(lines, 1):
        if number not in covered:
            _check_stray_line(row, number, log, strict=strict)
    return Scan(tuple(fences), tuple(tokens), frozenset(covered))


def _read_fence(token: Token, lines: list[str], log: ProblemLog, *, strict: bool) -> Fence | None:
    assert token.map is not None
    first = token.map[0]
    opening = FENCE_LINE.match(lines[first])
    info = opening["info"].strip() if opening else token.info.strip()
    ours = looks_tagged(info, strict=strict)
    if ours and (token.level or lines[first][:1] not in "`~"):
        log.add(first + 1, "a tagged fence stands inside something else", COLUMN_ADVICE)
        return None
    if not token.level and not _check_closing(token, lines, log):
        return None
    if ours:
        return _read_tagged(info, token, log)
    if not token.level and not SAFE_INFO.match(info):
        advice = 'Write the language alone, or `lang {…}`, or `lang title="…" hl_lines="…"`.'
        log.add(first + 1, f"the site would not show this fence: its info string is `{info}`", advice)
    return None


def _read_tagged(info: str, token: Token, log: ProblemLog) -> Fence | None:
    assert token.map is not None
    line, end = token.map[0] + 1, token.map[1]
    if info == "output":
        return Fence("output", {}, token.content, line, end)
    match = INFO.match(info)
    if match is None or match["language"] not in LANGUAGES:
        _refuse_info(info, line, log)
        return None
    language, tags = match["language"], parse_tags(match["tags"])
    if isinstance(tags, int):
        advice = 'Write words and key="value"; quote values, escape `"` as `\\"`, give each key once.'
        column = len(token.markup) + len(language) + 3 + tags
        log.add(line, f"the tags cannot be read from `{match['tags'][tags:]}` on", advice, column)
        return None
    if not check_tags(language, tags, line, log):
        return None
    return Fence(language, tags, token.content, line, end)


def _refuse_info(info: str, line: int, log: ProblemLog) -> None:
    language = re.split(r"[ {:]", info, maxsplit=1)[0]
    if language == "python" and "{" not in info:
        advice = 'Write ```python {example}, or say why it is not run: ```python {norun="needs two GPUs"}.'
        log.add(line, "this Python fence has no tag", advice)
    elif PYTHON.match(language) and language != "python":
        log.add(line, f"`{language}` is not run", "Use `python` with a tag, such as ```python {example}.")
    elif _is_near(language, ["output"]):
        log.add(line, f"`{language}` is compared with nothing", "Did you mean `output`?")
    else:
        advice = "Write ```python {example}: the language, one space, the tags in braces, values in double quotes."
        log.add(line, f"not a tag that can be read: `{info}`", advice)


def _check_closing(token: Token, lines: list[str], log: ProblemLog) -> bool:
    """Whether the closing line repeats the opening marker at the same indentation."""
    assert token.map is not None
    first, end = token.map
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip(" "))]
    closing = lines[end - 1].rstrip() if end - 1 > first else ""
    if closing == indent + token.markup:
        return True
    longer = re.fullmatch(r" {0,3}" + re.escape(token.markup[0]) + "+", closing)
    if longer and len(closing.strip()) >= len(token.markup):
        advice = f"Write {token.markup} alone, at the same column."
        log.add(end, "the closing line does not repeat the opening marker", advice)
        return False
    log.add(first + 1, "this fence is never closed", f"Close it with {token.markup} on a line of its own.")
    return False


def looks_tagged(info: str, *, strict: bool) -> bool:
    """Whether an info string is meant as one of ours: Python in a lesson, or a word of ours in braces."""
    language = re.split(r"[ {:]", info, maxsplit=1)[0]
    inside = re.search(r"\{\s*\.?([\w-]+)", info)
    if info == "output" or (language == "output" and inside):
        return True
    if strict and (PYTHON.match(language) or _is_near(language, ["output"]) or _names_python(info)):
        return True
    if not language:
        return any(word in KINDS for word in re.findall(r"[\w-]+", info))
    if inside is None:
        return bool(strict and re.search(r"\b(" + "|".join(KINDS) + r')\s*(=\s*"|$)', info.partition(" ")[2]))
    return _is_our_word(inside[1], language)


def _names_python(info: str) -> bool:
    """Whether braces without a language before them name Python, as in {python} or {.python}."""
    return info.startswith("{") and any(PYTHON.match(word.lstrip(".")) for word in re.findall(r"[\w.]+", info))


def _is_our_word(word: str, language: str) -> bool:
    """Whether the first word in the braces of a fence is nearly one of ours."""
    if PYTHON.match(language) or language not in LANGUAGES:
        return word not in ("title", "hl_lines") and _is_near(word, [*KINDS, *LATER])
    return _is_near(word, list(WORDS))


def _is_near(word: str, words: list[str]) -> bool:
    return bool(difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.75))


def _check_stray_line(row: str, number: int, log: ProblemLog, *, strict: bool) -> None:
    """A line outside every fence that looks like the start of a tagged one."""
    match = FENCE_LINE.match(row)
    if match is None or not looks_tagged(match["info"].strip(), strict=strict) or match["info"].strip() == "output":
        return
    if "`" in match["info"] and match["mark"][0] == "`":
        log.add(
            number, "a backtick in the info string keeps this from being a fence", "Take it out, or fence with ~~~."
        )
        return
    log.add(number, "this tagged fence is hidden from the site's Markdown", COLUMN_ADVICE, len(match["lead"]) + 1)


def kind_of(fence: Fence) -> str:
    """The kind of a fence that was read without a fault."""
    return find_kind(fence.language, fence.tags) or ""
