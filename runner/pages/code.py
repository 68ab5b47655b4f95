# Highlights code as the theme's own fences are highlighted, so that its colours and copy button apply.
# The lexers must not trim: a highlighted line is counted in the code as it stands.
from __future__ import annotations

from collections.abc import Collection

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import TextLexer, get_lexer_by_name
from pygments.util import ClassNotFound


def highlight_code(code: str, language: str, title: str | None = None, hl_lines: Collection[int] = ()) -> Markup:
    """HTML of a code block; `hl_lines` count from 1; an unknown language is shown plain."""
    name = Markup('<span class="filename">{}</span>').format(title) if title else ""
    return Markup('<div class="language-{} highlight">{}<pre><span></span><code>{}</code></pre></div>').format(
        language or "text", name, _highlight_spans(code, language, hl_lines)
    )


def highlight_line(code: str, language: str) -> Markup:
    """HTML of one line of code without a copy button."""
    return Markup('<code class="highlight">{}</code>').format(_highlight_spans(code, language).rstrip("\n"))


def _highlight_spans(code: str, language: str, hl_lines: Collection[int] = ()) -> Markup:
    formatter = HtmlFormatter(nowrap=True, hl_lines=list(hl_lines))
    return Markup(highlight(code, _find_lexer(language), formatter))  # noqa: S704 - Pygments escapes the code


def _find_lexer(language: str) -> Lexer:
    try:
        lexer: Lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    return lexer
