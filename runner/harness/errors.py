# An exception becomes JSON: its type, its text, and the frames that its reader wrote.
# Our own frames, Python's and torch's are left out: nobody who reads the message can mend them.
from __future__ import annotations

import os
import sys
import traceback
from functools import cache
from pathlib import Path
from typing import Any

from runner.harness.units import is_registered

HARNESS = str(Path(__file__).parent)
LONGEST_MESSAGE = 4000


@cache
def find_home() -> str:
    """The working directory as the job started, also after it has left or removed it; first asked before its code."""
    return str(Path.cwd())


def describe_error(error: BaseException) -> dict[str, Any]:
    """{"type", "mro": bare names, "names": full ones, "message", "frames": [{"file", "line", "name"}], "last"}.

    "last" is the last line of the traceback.
    """
    return {
        "type": name_type(type(error)),
        "mro": [cls.__name__ for cls in type(error).__mro__ if cls is not object],
        "names": [name_type(cls) for cls in type(error).__mro__ if cls is not object],
        "message": read_message(error),
        "frames": list_frames(error),
        "last": describe_last(error),
    }


def name_type(cls: type) -> str:
    """The name as a traceback shows it."""
    return (
        cls.__qualname__
        if cls.__module__ in ("builtins", "__main__", "candidate")
        else cls.__module__ + "." + cls.__qualname__
    )


def read_message(error: BaseException) -> str:
    """The text of an exception, also of one whose text raises."""
    try:
        # a syntax error's own text ends in its place, which is among the frames
        text = str(error.msg) if isinstance(error, SyntaxError) else str(error)
    except Exception:
        text = "<its text could not be had>"
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + " …"


def describe_last(error: BaseException) -> str:
    """The last line of its traceback, without notes and further lines."""
    message = read_message(error)
    first = message.split("\n", 1)[0]
    return f"{name_type(type(error))}: {first}" if first else name_type(type(error))


def list_frames(error: BaseException) -> list[dict[str, Any]]:
    """The frames of author code, outermost first; for a syntax error the place that it names."""
    frames = [
        {
            "file": os.path.relpath(f.filename, find_home()) if f.filename.startswith(find_home()) else f.filename,
            "line": f.lineno or 0,
            "name": f.name,
        }
        for f in traceback.extract_tb(error.__traceback__)
        if is_author_file(f.filename)
    ]
    if isinstance(error, SyntaxError) and error.filename and is_author_file(error.filename):
        name = error.filename
        name = os.path.relpath(name, find_home()) if name.startswith(find_home()) else name
        frames.append({"file": name, "line": error.lineno or 0, "name": "<syntax>"})
    return frames[:3] + frames[-7:] if len(frames) > 10 else frames


def is_author_file(name: str) -> bool:
    """Whether a code file is the author's: the lesson, the candidate, or a file in the working directory."""
    if name.startswith(find_home()) or is_registered(name):
        return True
    foreign = (HARNESS, sys.prefix, sys.base_prefix, "<")
    return not name.startswith(foreign) and not Path(name).is_absolute()
