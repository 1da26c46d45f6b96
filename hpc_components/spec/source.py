"""Reads YAML and remembers where everything stands, so that a finding can name line and column.

Scalars are read by YAML 1.2's core schema, as Pulumi reads them: `on` is a word and `1:30` is not a number, which
PyYAML's own YAML 1.1 constructor would make a boolean and ninety.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from hpc_components.spec.findings import Path

__all__ = ["Document", "Position", "UnreadableError", "read_yaml"]


class UnreadableError(Exception):
    """A file that can't be read at all. The message names place and remedy."""


@dataclass(frozen=True)
class Position:
    """A place in a file, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """Plain data and where each part of it stands in `file`."""

    file: str
    data: Any
    keys: dict[Path, Position] = field(default_factory=dict)
    """Where the key (or list item) of each path begins."""
    values: dict[Path, Position] = field(default_factory=dict)
    """Where its value begins."""

    def position(self, path: Path, *, key: bool = False) -> Position | None:
        """Where `path` stands, or the nearest place around it that is there."""
        places = self.keys if key else self.values
        while path not in places and path:
            path = path[:-1]
        return places.get(path)

    def below(self, *path: str | int) -> "Document":
        """The part at `path` as a document of its own. KeyError if it is not there."""
        data = self.data
        for part in path:
            data = data[part]
        size = len(path)

        def cut(places: dict[Path, Position]) -> dict[Path, Position]:
            return {place[size:]: where for place, where in places.items() if place[:size] == path}

        return Document(self.file, data, cut(self.keys), cut(self.values))


_SCALARS: list[tuple[re.Pattern[str], Callable[[str], Any]]] = [
    (re.compile(r"~|null|Null|NULL|"), lambda text: None),
    (re.compile(r"true|True|TRUE|false|False|FALSE"), lambda text: text.lower() == "true"),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text, 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
]


def _scalar(node: yaml.ScalarNode) -> Any:
    if node.style in ("'", '"', "|", ">"):
        return node.value
    for pattern, convert in _SCALARS:
        if pattern.fullmatch(node.value):
            return convert(node.value)
    return node.value


class _Reader:
    """Turns YAML nodes into plain data, noting positions on the way."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.keys: dict[Path, Position] = {}
        self.values: dict[Path, Position] = {}

    def read(self, node: yaml.Node, path: Path) -> Any:
        self.values[path] = _position(node)
        self.keys.setdefault(path, self.values[path])
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*path, index)) for index, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in node.value:
            where = _position(key)
            if not isinstance(key, yaml.ScalarNode):
                raise UnreadableError(f"{self.file}:{where.line}:{where.column}: a key must be a plain word")
            if key.value in data:
                raise UnreadableError(
                    f"{self.file}:{where.line}:{where.column}: the key {key.value!r} is there twice; remove one"
                )
            below = (*path, key.value)
            self.keys[below] = where
            data[key.value] = self.read(value, below)
        return data


def _position(node: yaml.Node) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


def read_yaml(text: str, file: str) -> Document:
    """Read one YAML document. UnreadableError names file, line, column and what is wrong."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        what = " ".join(filter(None, (error.problem, error.context)))
        raise UnreadableError(
            f"{file}{where}: this is not YAML: {what}; check indentation and quotes there"
        ) from None
    except yaml.YAMLError as error:
        raise UnreadableError(f"{file}: this is not YAML: {error}; is it a text file?") from None
    if node is None:
        raise UnreadableError(f"{file} is empty; describe a cluster under config, hpc:cluster")
    reader = _Reader(file)
    data = reader.read(node, ())
    return Document(file, data, reader.keys, reader.values)
