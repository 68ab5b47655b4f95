# Renders the small pieces of Markdown that stand inside fences: hints, reasons, questions.
# CommonMark without raw HTML; links to lessons are resolved here, since the site engine never sees them.
from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from runner.lesson.values import Lesson
from runner.pages.code import highlight_code
from runner.pages.outline import Outline, lesson_dest, lesson_uri
from runner.pages.reveal import reveal_controls


def render_markdown(text: str, links: Mapping[str, str]) -> Markup:
    """HTML of paragraphs; `links` is what `resolve_links` gives."""
    parser = _build_parser()
    return _render_tokens(parser, parser.parse(text), links)


def render_line(text: str, links: Mapping[str, str]) -> Markup:
    """HTML of one line of Markdown, without a paragraph around it."""
    parser = _build_parser()
    return _render_tokens(parser, parser.parseInline(text.strip()), links)


def render_message(text: str) -> Markup:
    """HTML of a sentence of ours: words between backticks are code, all else stays as it is."""
    pieces = reveal_controls(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(reveal_controls(text))
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(piece) if number % 2 else piece for number, piece in enumerate(pieces))


def resolve_links(outline: Outline, lesson: Lesson) -> Mapping[str, str]:
    """Source name as an author writes it in this lesson, to the address relative to its page."""
    up = "../" * lesson_dest(lesson).count("/")
    links: dict[str, str] = {}
    for path, lessons in outline.paths:
        targets = [(f"{path.id}/index.md", f"{path.id}/"), *((lesson_uri(item), lesson_dest(item)) for item in lessons)]
        for uri, dest in targets:
            links[f"../{uri}"] = f"{up}{dest}"
            if path.id == lesson.path_id:
                links[uri.removeprefix(f"{path.id}/")] = f"{up}{dest}"
    return links


def _render_tokens(parser: MarkdownIt, tokens: Sequence[Token], links: Mapping[str, str]) -> Markup:
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                name, mark, anchor = str(child.attrs["href"]).partition("#")
                child.attrs["href"] = links.get(name, name) + mark + anchor
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - the parser escapes; HTML is off


@functools.cache
def _build_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False})
    parser.add_render_rule("fence", _render_fence)
    return parser


def _render_fence(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    return str(highlight_code(token.content, token.info.split()[0] if token.info.split() else ""))
