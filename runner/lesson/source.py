# Bytes of a file become text with LF line ends: what every other module may rely on.
# A byte order mark and CRLF change nothing; NUL and what is not UTF-8 are refused with their place.
from __future__ import annotations

from runner.lesson.problems import ProblemLog

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode_source(data: bytes, log: ProblemLog) -> str | None:
    """The text of a file, LF line ends, no byte order mark; None with a problem when it has none."""
    if data.startswith(UTF16_MARKS):
        log.add(1, "the file is UTF-16", "Save it as UTF-8.")
        return None
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = place_of(data, error.start)
        log.add(line, f"byte 0x{data[error.start]:02x} is not UTF-8", "Save the file as UTF-8.", column)
        return None
    at = text.find("\0")
    if at >= 0:
        line, column = place_of(text, at)
        log.add(line, "the file holds a NUL character", "Delete it: a lesson is text.", column)
        return None
    return text


def place_of(text: str | bytes, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of an offset."""
    newline: str | bytes = "\n" if isinstance(text, str) else b"\n"
    before = text[:offset]
    line = before.count(newline) + 1  # type: ignore[arg-type]
    return line, offset - (before.rfind(newline) + 1) + 1  # type: ignore[arg-type]


def blank_lines(text: str, first: int, last: int) -> str:
    """The text with its lines `first` to `last` (from 1) emptied, so that every other line keeps its number."""
    rows = text.split("\n")
    rows[first - 1 : last] = [""] * len(rows[first - 1 : last])
    return "\n".join(rows)
