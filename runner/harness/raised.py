# An exception of the candidate becomes data, and check gets one of the nearest class that exists without the candidate.
# Both jobs build it from the same data, so that a check that catches it sees the same type and text.
from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping
from typing import Any

PLAIN = (bool, int, str, type(None))


def encode_raised(error: Exception) -> dict[str, Any]:
    """{"module", "name", "args"} of the nearest importable class that can carry the text."""
    text = read_text(error)
    for cls in type(error).__mro__:
        if not issubclass(cls, Exception) or not is_importable(cls):
            continue
        plain = [list(error.args)] if all(type(arg) in PLAIN for arg in error.args) else []
        for args in (*plain, [text]):
            found = {"module": cls.__module__, "name": cls.__qualname__, "args": args}
            if can_build(found, text):
                return found
    return {"module": "builtins", "name": "Exception", "args": [text]}


def build_raised(encoded: Mapping[str, Any]) -> Exception:
    """The exception that check gets; ImportError or AttributeError when its class is not here."""
    cls: Any = importlib.import_module(encoded["module"])
    for name in encoded["name"].split("."):
        cls = getattr(cls, name)
    error: Exception = cls(*encoded["args"])
    return error


def can_build(encoded: Mapping[str, Any], text: str) -> bool:
    """Whether the class takes these arguments and then says this text."""
    try:
        return read_text(build_raised(encoded)) == text
    except Exception:
        return False


def is_importable(cls: type) -> bool:
    """Whether the class can be had by importing its module, which no code of this job may have made up."""
    module = sys.modules.get(cls.__module__)
    found: Any = module
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls and (module is builtins or getattr(module, "__spec__", None) is not None)


def read_text(error: BaseException) -> str:
    """The text of an exception; empty when even that raises."""
    try:
        return str(error)
    except Exception:
        return ""
