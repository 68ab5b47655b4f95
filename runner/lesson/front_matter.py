# The YAML block at the top of a file: cut off, read, checked, with its lines.
# MkDocs would also take `key: value` lines without the dashes for front matter, so the dashes are required.
from __future__ import annotations

from dataclasses import dataclass

from runner.lesson.problems import ProblemLog
from runner.lesson.schema import check_value
from runner.lesson.source import blank_lines
from runner.lesson.yaml_core import Document, load_yaml

ADVICE = "Begin the file with a line `---`, keys such as `title: …`, and another line `---`."


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a file and where its Markdown starts."""

    document: Document | None
    """What it says; None after a problem."""
    body_line: int
    """First line of the Markdown, from 1."""
    body: str
    """The whole text with the front matter's lines emptied, so that lines keep their numbers."""


def split_front_matter(text: str, schema: str | None, log: ProblemLog) -> FrontMatter:
    """Cuts the front matter off; with a schema it is required and checked."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        if schema is not None:
            log.add(1, "the file has no front matter", ADVICE)
        return FrontMatter(Document({}, {}) if schema is None else None, 1, text)
    ends = (n for n, row in enumerate(lines[1:], 2) if row.rstrip() in ("---", "..."))
    end = next(ends, None)
    if end is None:
        log.add(1, "the front matter is never closed", ADVICE)
        return FrontMatter(None, len(lines) + 1, "")
    document = load_yaml("\n".join(lines[1 : end - 1]), 2, log)
    if document is not None and document.value is None:
        document = Document({}, {(): (1, 1)})
    if document is not None and schema is not None and not check_value(document, schema, "the front matter", log):
        document = None
    return FrontMatter(document, end + 1, blank_lines(text, 1, end))
