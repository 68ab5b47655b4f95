# Makes text that a program wrote safe to read: nothing in it may hide or reorder what is seen.
# Colour sequences are dropped; every other control or bidirectional character is spelled out.
from __future__ import annotations

import re

_COLOUR = re.compile("\x1b\\[[0-9;:]*m")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def reveal_controls(text: str) -> str:
    r"""The text without ANSI colours, other invisible characters written as `\x1b` or `\u202e`."""
    return _HIDDEN.sub(_spell, _COLOUR.sub("", text))


def _spell(match: re.Match[str]) -> str:
    number = ord(match.group())
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
