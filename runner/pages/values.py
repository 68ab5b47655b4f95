# The values that rendering makes: what the site engine is handed.
# A page is Markdown in which each `Block` is one token, alone in its paragraph or in its line of prose.
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of HTML that takes its token's place once the Markdown is rendered."""

    token: str
    """Letters and digits only; stands in the page's Markdown exactly once."""
    html: str
    """What replaces it."""
    line: int
    """Line of the source file that it comes from."""
    inline: bool = False
    """Whether it stands inside a line of prose; otherwise it is a paragraph of its own."""
    anchors: tuple[str, ...] = ()
    """Ids in `html` that links may name."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page, ready for the site engine."""

    source: str
    """POSIX path of the Markdown file, relative to the course."""
    uri: str
    """Its name among the site's sources: what links name, `performance/01-x.md`."""
    dest: str
    """Folder of the page in the site, `performance/x/`; empty keeps the engine's own."""
    markdown: str
    """Front matter for the engine and Markdown with tokens."""
    blocks: tuple[Block, ...]
    """What replaces the tokens."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the site that is not a page."""

    dest: str
    """Its place in the site."""
    content: bytes
    """What it holds."""
