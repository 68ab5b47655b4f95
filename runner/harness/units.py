# Loads author code as a file would be: true path and lines, source for tracebacks, inspect and compilers.
# The line cache holds what was run at its lines and blanks elsewhere, so nothing else of a lesson shows.
from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Mapping, Sequence


def register_source(path: str, pieces: Sequence[tuple[int, str]]) -> str:
    """Puts pieces of code (first line from 1, text) at their lines of `path`; the whole text, blanks between."""
    rows: list[str] = []
    for line, code in pieces:
        block = code.removesuffix("\n").split("\n")  # not splitlines: a form feed ends no line of Python
        rows += [""] * (line - 1 + len(block) - len(rows))
        rows[line - 1 : line - 1 + len(block)] = block
    text = "\n".join(rows) + "\n"
    linecache.cache[path] = (len(text), None, [row + "\n" for row in rows], path)
    return text


def is_registered(path: str) -> bool:
    """Whether `register_source` put this path into the line cache (an entry without a time, of no pseudo-file)."""
    entry = linecache.cache.get(path)
    return entry is not None and len(entry) == 4 and entry[1] is None and not path.startswith("<")


def compile_at(code: str, path: str, line: int) -> types.CodeType:
    """Compiles code whose first line is line `line` of `path`."""
    return compile("\n" * (line - 1) + code, path, "exec", dont_inherit=True)


def load_unit(code: str, *, name: str, path: str, line: int, names: Mapping[str, object]) -> types.ModuleType:
    """Runs code as a module called `name` that starts with the given names; raises what the code raises."""
    module = types.ModuleType(name)
    module.__file__ = path
    module.__dict__.update(names)
    sys.modules[name] = module
    known = linecache.cache.get(path)
    register_source(path, [*([(1, "".join(known[2]))] if known and len(known) == 4 else []), (line, code)])
    exec(compile_at(code, path, line), module.__dict__)
    return module
