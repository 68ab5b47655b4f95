# Small pieces of text become safe HTML: program output, code, Markdown of hints, JSON in a page.
from __future__ import annotations

import json

import pytest

from runner.pages.code import highlight_code, highlight_line
from runner.pages.data import embed_json, encode_json
from runner.pages.prose import render_line, render_markdown, render_message, resolve_links
from runner.pages.provenance import describe_status, list_provenance
from runner.pages.reveal import reveal_controls
from tests.pages.sample import ENVIRONMENT, make_lesson, make_outline


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext\n", "plain\n\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\u202eb\u2066c\u200bd", "a\\u202eb\\u2066c\\u200bd"),
        ("10%\r20%", "10%\\x0d20%"),
        ("\x00\x7f\ufeff\ud800", "\\x00\\x7f\\ufeff\\ud800"),
        ("größer ✓ 漢字", "größer ✓ 漢字"),
    ],
)
def test_invisible_characters_are_spelled_out(text: str, shown: str) -> None:
    assert reveal_controls(text) == shown


def test_code_is_escaped_and_lines_are_counted_as_they_stand() -> None:
    html = highlight_code("\n\nx = '<b>'\n", "python", title="a <file>", hl_lines=(3,))
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert '<span class="filename">a &lt;file&gt;</span>' in html
    assert html.count('<span class="hll">') == 1
    assert html.startswith('<div class="language-python highlight">')


def test_unknown_language_is_shown_plain() -> None:
    assert "<code>a &lt; b\n</code>" in highlight_code("a < b\n", "no-such-language")
    assert highlight_line("def f(x)", "python").startswith('<code class="highlight">')


def test_markdown_of_fences_has_no_raw_html_and_no_script_links() -> None:
    html = render_markdown("A <script>x</script> [a](javascript:x)\n\n```python\nx = '<'\n```\n", {})
    assert "<script>" not in html
    assert 'href="javascript' not in html
    assert '<div class="language-python highlight">' in html
    assert render_line("*a* <b>", {}) == "<em>a</em> &lt;b&gt;"


def test_words_between_backticks_of_a_message_are_code() -> None:
    assert render_message("changes `x<y`, *not* \x07") == "changes <code>x&lt;y</code>, *not* \\x07"
    assert render_message("a ` b <") == "a ` b &lt;"


def test_links_to_lessons_are_resolved_from_the_lessons_page() -> None:
    lesson = make_lesson()
    links = resolve_links(make_outline(lesson), lesson)
    html = render_markdown("[a](01-shift.md#task-shift) [b](../example/index.md) [c](https://example.org/x.md)", links)
    assert 'href="../../example/shift/#task-shift"' in html
    assert 'href="../../example/"' in html
    assert 'href="https://example.org/x.md"' in html


def test_json_in_a_page_ends_no_script() -> None:
    text = embed_json({"a": "</script><!-- & ü"})
    assert not set("<>&ü") & set(text)
    assert json.loads(text) == {"a": "</script><!-- & ü"}


def test_json_is_strict_sorted_and_ascii() -> None:
    assert encode_json({"b": "ü", "a": 1}) == b'{\n  "a": 1,\n  "b": "\\u00fc"\n}\n'


def test_numbers_that_json_lacks_are_words() -> None:
    value = {"cases": [{"x": (float("nan"), float("inf"), [float("-inf")])}], "n": 1.5}
    words = {"cases": [{"x": ["nan", "inf", ["-inf"]]}], "n": 1.5}
    assert json.loads(encode_json(value)) == json.loads(embed_json(value)) == words


def test_provenance_names_what_is_known() -> None:
    known = ("cpu", "AMD EPYC <9B14>", "torch 2.13.0", "2026-11-30", "sha abcdef12")
    assert list_provenance(ENVIRONMENT, "sha256:abcdef1234") == known
    assert list_provenance({"device": "cuda", "device_name": "H200", "cpu": "x"}) == ("cuda", "H200")
    assert list_provenance({}) == ("where it ran is not known",)


def test_every_status_has_words() -> None:
    assert describe_status("passed") == ("✓", "run")
    assert all(describe_status(status)[1] for status in ("failed", "not_run", "skipped", None, "other"))
