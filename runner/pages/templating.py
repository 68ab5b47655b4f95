# The one place where values become HTML: Jinja templates, every value escaped, an unknown name an error.
# Filters turn text of known kinds (code, Markdown, program output, JSON) into safe HTML.
from __future__ import annotations

import functools
import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from runner.pages.code import highlight_code, highlight_line
from runner.pages.data import embed_json
from runner.pages.prose import render_line, render_markdown, render_message
from runner.pages.reveal import reveal_controls


def render_template(template: str, **values: object) -> str:
    """HTML of one of the templates beside this module; raises `jinja2.TemplateError` for a fault in it."""
    return _build_environment().get_template(template).render(values).strip() + "\n"


def show_value(value: Any) -> str:
    """A JSON value on one line as a reader wants it: strings of a report stay quoted."""
    return reveal_controls(json.dumps(value, ensure_ascii=False))


@functools.cache
def _build_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("runner.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "code": highlight_code,
        "code_line": highlight_line,
        "embed": embed_json,
        "line": render_line,
        "message": render_message,
        "prose": render_markdown,
        "reveal": reveal_controls,
        "show": show_value,
    }
    return environment
