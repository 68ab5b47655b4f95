# YAML with the 1.2 core schema, on PyYAML's C composer: `1e-4` is a number, `on` and `No` are words.
# Every value keeps its place, and what YAML lets pass silently (a key twice, an alias) is a problem.
from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from runner.lesson.problems import ProblemLog

Place = tuple[int, int]
Key = tuple[str | int, ...]
_TAG = "tag:yaml.org,2002:"
LONGEST_INTEGER = 40
_RESOLVERS = (
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-+.0123456789",
    ),
)

if TYPE_CHECKING:
    _Loader = yaml.SafeLoader
else:
    _Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class CoreLoader(_Loader):
    """PyYAML's loader with the resolvers of the 1.2 core schema."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  PyYAML's own way: the resolvers of a class


for _name, _pattern, _first in _RESOLVERS:
    _starts = [*_first, *([""] if _name == "null" else [])]
    CoreLoader.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), _starts)


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document: its value, and where each part of it stands."""

    value: Any
    """JSON-ready value; None for an empty document."""
    places: Mapping[Key, Place]
    """Keys and indices from the root to line and column, from 1."""

    def place(self, key: Key) -> Place:
        """Where a part stands; that of its nearest parent when it is not there."""
        while key and key not in self.places:
            key = key[:-1]
        return self.places.get(key, (1, 1))


def load_yaml(text: str, first_line: int, log: ProblemLog) -> Document | None:
    """The document in `text`, whose first line is line `first_line` of the file; None after a problem."""
    try:
        root = yaml.compose(text, CoreLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        log.add(first_line + line, f"not valid YAML: {error.problem or error.context}", YAML_ADVICE, column + 1)
        return None
    except yaml.reader.ReaderError as error:
        log.add(first_line, f"not valid YAML: {error.reason}", YAML_ADVICE)
        return None
    except RecursionError:
        log.add(first_line, "the YAML is nested too deeply", "Make it flatter.")
        return None
    reader = _Reader(first_line, log)
    value = None if root is None else reader.read(root, ())
    return None if reader.failed else Document(value, reader.places)


YAML_ADVICE = "Quote words that hold `: `, `#`, `{`, `[` or a leading `*`, `&`, `!`; indent with spaces."


class _Reader:
    """Turns nodes into values, noting places and problems."""

    def __init__(self, first_line: int, log: ProblemLog) -> None:
        self._first_line, self._log = first_line, log
        self._seen: set[int] = set()
        self.places: dict[Key, Place] = {}
        self.failed = False

    def _fail(self, node: yaml.Node, message: str, advice: str) -> None:
        self.failed = True
        self._log.add(self._first_line + node.start_mark.line, message, advice, node.start_mark.column + 1)

    def read(self, node: yaml.Node, key: Key) -> Any:
        """The value of a node that stands at `key`."""
        self.places.setdefault(key, (self._first_line + node.start_mark.line, node.start_mark.column + 1))
        if id(node) in self._seen:
            self._fail(node, "YAML aliases are not read", "Write the value out again.")
            return None
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._read_mapping(node, key)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*key, n)) for n, item in enumerate(node.value)]
        return self._read_scalar(node)

    def _read_mapping(self, node: yaml.MappingNode, key: Key) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name_node, value_node in node.value:
            name = name_node.value if isinstance(name_node, yaml.ScalarNode) else None
            if name is None or name_node.tag not in {_TAG + t for t in ("str", "int", "float", "bool", "null")}:
                self._fail(name_node, "a key must be a word", "Write `name: value`.")
                continue
            if name in found:
                self._fail(name_node, f"the key `{name}` stands here twice", "Keep one of the two.")
                continue
            self.places[(*key, name)] = (
                self._first_line + name_node.start_mark.line,
                name_node.start_mark.column + 1,
            )
            found[name] = self.read(value_node, (*key, name))
        return found

    def _read_scalar(self, node: yaml.Node) -> Any:
        kind, text = node.tag.removeprefix(_TAG), node.value
        match kind:
            case "str":
                return text
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int" if len(text) <= LONGEST_INTEGER:
                return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
            case "float" if math.isfinite(number := _read_float(text)):
                return number
            case "int" | "float":
                advice = 'Write a finite number; inside a tensor "nan" and "inf" stand for what JSON lacks.'
                self._fail(node, f"`{text[:40]}` is no number that JSON can hold", advice)
            case _:
                self._fail(node, f"the YAML tag `{node.tag}` is not read", "Write a plain value.")
        return None


def _read_float(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
