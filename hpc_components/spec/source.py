"""Reads YAML and records every value's position, so that findings can give the line and column.

Aliases and merge keys (`<<`) work as in Pulumi. Their recorded positions are those of the text that they refer to.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from hpc_components.errors import HpcError
from hpc_components.spec.findings import Path
from hpc_components.spec.scalars import MAPPING, MERGE, SEQUENCE, Loader, scalar_value


@dataclass(frozen=True)
class Position:
    """A place in a file. Lines and columns are counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class UnreadableError(HpcError):
    """Raised for a file that can't be read at all. The message gives the place and the remedy.

    The attribute `reason` is the message without the place. `file` and `at`, the position in it, are None if unknown.
    """

    def __init__(self, reason: str, file: str | None = None, at: Position | None = None) -> None:
        super().__init__(f"{file}:{at}: {reason}" if at else reason)
        self.reason = reason
        self.file = file
        self.at = at


def position_after(text: str) -> Position:
    """Return the position of the character that follows `text`."""
    return Position(text.count("\n") + 1, len(text) - text.rfind("\n"))


@dataclass(frozen=True)
class Document:
    """Plain data and the position of each part in `file`."""

    file: str
    data: Any
    keys: dict[Path, Position] = field(default_factory=dict)
    """Maps each path to the position where its key or list item starts."""
    values: dict[Path, Position] = field(default_factory=dict)
    """Maps each path to the position where its value starts."""
    written: dict[Path, str] = field(default_factory=dict)
    """Maps paths to the file's own spelling of values that YAML doesn't read as strings, e.g. `1.10`, `00123` or
    `True`."""

    def position(self, path: Path, *, key: bool = False) -> Position | None:
        """Return the position of `path` or, if it doesn't exist, of the nearest enclosing part."""
        places = self.keys if key else self.values
        while path not in places and path:
            path = path[:-1]
        return places.get(path)

    def below(self, *path: str | int) -> "Document":
        """Return the part at `path` as a separate document. Raise KeyError if it is missing."""
        data = self.data
        for part in path:
            data = data[part]
        size = len(path)

        def cut(places: dict[Path, Any]) -> dict[Path, Any]:
            return {place[size:]: there for place, there in places.items() if place[:size] == path}

        return Document(self.file, data, cut(self.keys), cut(self.values), cut(self.written))


def read_yaml(text: str, file: str, wanted: str = "describe a cluster under config, hpc:cluster") -> Document:
    """Read a YAML document. If it is invalid, raise UnreadableError with file, line, column and reason.

    `wanted` tells the user what an empty file should contain.
    """
    text = text.removeprefix("\ufeff")
    if odd := _UNPRINTABLE.search(text):
        where = position_after(text[: odd.start()])
        raise UnreadableError(f"the character U+{ord(odd[0]):04X} is not allowed in YAML; remove it", file, where)
    reader = _Reader(file)
    try:
        reader.survey(text)
        node = yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        where, reason = _syntax_error(error, text)
        raise UnreadableError(reason, file, where) from None
    if node is None:
        raise UnreadableError(f"the file is empty; {wanted}", file, Position(1, 1))
    data = reader.read(node, ())
    return Document(file, data, reader.keys, reader.values, reader.written)


_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML doesn't allow. Source: YAML 1.2.2, 5.1 Character set."""

_REMEDIES = {
    "found another document": "a stack file is one document: remove the --- between them",
    "found undefined alias": "define it: write & and its name before the value",
    "found character that cannot start any token": "put the value in quotes; indent with spaces, not tabs",
}


def _syntax_error(error: yaml.MarkedYAMLError, text: str) -> tuple[Position, str]:
    """Return the position of a syntax error, and the reason with a remedy.

    An unclosed quote or bracket is reported where it starts.
    """
    mark, begin, problem = error.problem_mark, error.context_mark, error.problem or ""
    if mark is None or (begin is not None and mark.line >= len(text.rstrip().splitlines())):
        mark = begin
    where = _position(mark) if mark else Position(1, 1)
    what = ", ".join(filter(None, (error.context, problem)))
    remedy = next(
        (advice for words, advice in _REMEDIES.items() if words in problem), "check indentation and quotes there"
    )
    return where, f"this is not YAML: {what}; {remedy}"


_MAX_LEVELS = 50
"""Maximum nesting depth. A description has six levels, and Python's own stack overflows after a few hundred."""

_MAX_VALUES = 100_000
"""Maximum number of values in a file. The limit applies both as written and after expanding aliases."""


class _Reader:
    """Converts YAML nodes to plain data and records their positions."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.keys: dict[Path, Position] = {}
        self.values: dict[Path, Position] = {}
        self.written: dict[Path, str] = {}

    def survey(self, text: str) -> None:
        """Refuse a file that is too large, or nested so deeply that libyaml's composer would overflow its stack."""
        depth = nodes = 0
        for event in yaml.parse(text, Loader=Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            nodes += isinstance(event, yaml.NodeEvent)
            if depth > _MAX_LEVELS:
                raise self._refused(
                    event.start_mark, f"this is nested more than {_MAX_LEVELS} levels deep; flatten it"
                )
            if nodes > _MAX_VALUES:
                what = f"this has more than {_MAX_VALUES:,} keys and values, too many for a cluster; remove some"
                raise self._refused(event.start_mark, what)

    def read(self, node: yaml.Node, path: Path) -> Any:
        """Return the plain data of the node at `path` in a file that passed `survey`."""
        if len(path) > _MAX_LEVELS or len(self.values) > _MAX_VALUES:
            raise self._refused(node.start_mark, "aliases make this grow without limit; write out their values")
        self.values[path] = _position(node.start_mark)
        self.keys.setdefault(path, self.values[path])
        if isinstance(node, yaml.MappingNode) and node.tag == MAPPING:
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and node.tag == SEQUENCE:
            return [self.read(item, (*path, index)) for index, item in enumerate(node.value)]
        if not isinstance(node, yaml.ScalarNode):
            raise self._refused(node.start_mark, f"the tag {node.tag} has no meaning here; remove it")
        try:
            value = scalar_value(node.tag, node.value)
        except ValueError as error:
            raise self._refused(node.start_mark, str(error)) from None
        if not isinstance(value, str):
            self.written[path] = node.value
        return value

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in self._entries(node, set()):
            below = (*path, key.value)
            self.keys[below] = _position(key.start_mark)
            data[key.value] = self.read(value, below)
        return data

    def _entries(self, node: yaml.MappingNode, visited: set[int]) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
        """Yield the node's own keys with their values, followed by merged keys that it doesn't have itself."""
        visited.add(id(node))
        if len(visited) > _MAX_LEVELS:
            raise self._refused(node.start_mark, f"more than {_MAX_LEVELS} mappings are merged here; merge fewer")
        seen: set[str] = set()
        merged: list[yaml.Node] = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._refused(key.start_mark, "a key must be a plain word; put it in quotes")
            if key.value in seen:
                raise self._refused(key.start_mark, f"the key {key.value!r} is a duplicate; remove one")
            seen.add(key.value)
            if key.tag == MERGE:
                merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
            else:
                yield key, value
        for other in merged:
            if not isinstance(other, yaml.MappingNode):
                raise self._refused(other.start_mark, "<< merges mappings only; name one, like *defaults")
            for key, value in self._entries(other, visited) if id(other) not in visited else ():
                if key.value not in seen:
                    seen.add(key.value)
                    yield key, value

    def _refused(self, mark: Any, what: str) -> UnreadableError:
        return UnreadableError(what, self.file, _position(mark))


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)
