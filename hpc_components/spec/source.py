"""Reads YAML and records the position of every value, so that findings can include line and column.

Aliases and merge keys (`<<`) work as in Pulumi. Values that they insert have the position of the original text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import yaml

from hpc_components.errors import HpcError
from hpc_components.spec.findings import Path
from hpc_components.spec.scalars import MAPPING, MERGE, SEQUENCE, Loader, scalar_value

T = TypeVar("T")


@dataclass(frozen=True)
class Position:
    """A line and column in a file, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class UnreadableError(HpcError):
    """Raised if a file can't be parsed. The message includes the position and the remedy.

    `reason` is the message without the position. `file` and `at`, the position in the file, are None if unknown.
    """

    def __init__(self, reason: str, file: str | None = None, at: Position | None = None) -> None:
        super().__init__(f"{file}:{at}: {reason}" if at else reason)
        self.reason = reason
        self.file = file
        self.at = at


def position_after(text: str) -> Position:
    return Position(text.count("\n") + 1, len(text) - text.rfind("\n"))


@dataclass(frozen=True)
class Document:
    """Data read from `file`, with the position of each part."""

    file: str
    data: Any
    keys: dict[Path, Position] = field(default_factory=dict)
    """Maps each path to the position where its key or list item starts."""
    values: dict[Path, Position] = field(default_factory=dict)
    """Maps each path to the position where its value starts."""
    written: dict[Path, str] = field(default_factory=dict)
    """Maps the paths of values that YAML doesn't read as strings, e.g. `1.10`, `00123` or `True`, to the values as
    spelled in the file."""
    parts: dict[Path, str] = field(default_factory=dict)
    """Maps the paths of parts that come from other files to these files."""

    def file_of(self, path: Path) -> str:
        """Return the file that `path` comes from."""
        return next(
            (self.parts[path[:size]] for size in range(len(path), 0, -1) if path[:size] in self.parts), self.file
        )

    def with_data(self, data: Any) -> "Document":
        """Return a document with other data and the same positions."""
        return replace(self, data=data)

    def with_part(self, path: Path, part: "Document") -> "Document":
        """Return the document with the positions of the entries in `part`, which comes from another file and belongs
        into the mapping at `path`. The data stays the same.
        """

        def moved(places: dict[Path, T]) -> dict[Path, T]:
            return {(*path, *place): there for place, there in places.items() if place}

        return replace(
            self,
            keys=self.keys | moved(part.keys),
            values=self.values | moved(part.values),
            written=self.written | moved(part.written),
            parts=self.parts | {(*path, name): part.file for name in part.data},
        )

    def position(self, path: Path, *, key: bool = False) -> Position | None:
        """Return the position of `path` or, if it doesn't exist, of the nearest enclosing part."""
        places = self.keys if key else self.values
        while path not in places and path:
            path = path[:-1]
        return places.get(path)

    def below(self, *path: str | int) -> "Document":
        """Return the part at `path` as a separate document. Raise KeyError if the part doesn't exist."""
        data = self.data
        for part in path:
            data = data[part]
        size = len(path)

        def cut(places: dict[Path, Any]) -> dict[Path, Any]:
            return {place[size:]: there for place, there in places.items() if place[:size] == path}

        return Document(self.file, data, cut(self.keys), cut(self.values), cut(self.written), cut(self.parts))


def read_yaml(text: str, file: str, wanted: str = "describe a cluster under hpc:cluster in config") -> Document:
    """Read a YAML document. Raise UnreadableError if the document is invalid.

    `wanted` tells the user what to write into an empty file.
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
    "found another document": "remove the ---, because a stack file must be a single document",
    "found undefined alias": "define the alias by writing & and its name before a value",
    "found character that cannot start any token": "put the value in quotes; indent with spaces, not tabs",
}


def _syntax_error(error: yaml.MarkedYAMLError, text: str) -> tuple[Position, str]:
    """Return (position, message) for a syntax error. An unclosed quote or bracket is reported where it starts."""
    mark, begin, problem = error.problem_mark, error.context_mark, error.problem or ""
    if mark is None or (begin is not None and mark.line >= len(text.rstrip().splitlines())):
        mark = begin
    where = _position(mark) if mark else Position(1, 1)
    what = ", ".join(filter(None, (error.context, problem)))
    remedy = next(
        (advice for words, advice in _REMEDIES.items() if words in problem),
        "check the indentation and quotes at this position",
    )
    return where, f"this is not valid YAML: {what}; {remedy}"


_MAX_LEVELS = 50
"""Maximum nesting depth. A description has six levels, and a few hundred would overflow Python's stack."""

_MAX_VALUES = 100_000
"""Maximum number of values in a file, both as written and after expanding aliases."""


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.keys: dict[Path, Position] = {}
        self.values: dict[Path, Position] = {}
        self.written: dict[Path, str] = {}

    def survey(self, text: str) -> None:
        """Raise UnreadableError for a file that is too large, or so deeply nested that libyaml's composer would
        overflow its stack.
        """
        depth = nodes = 0
        for event in yaml.parse(text, Loader=Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            nodes += isinstance(event, yaml.NodeEvent)
            if depth > _MAX_LEVELS:
                raise self._refused(
                    event.start_mark, f"this is nested more than {_MAX_LEVELS} levels deep; flatten it"
                )
            if nodes > _MAX_VALUES:
                what = (
                    f"the file has more than {_MAX_VALUES:,} keys and values, which is too many for a cluster; "
                    "remove some"
                )
                raise self._refused(event.start_mark, what)

    def read(self, node: yaml.Node, path: Path) -> Any:
        """Return the plain data of the node at `path` in a file that passed `survey`."""
        if len(path) > _MAX_LEVELS or len(self.values) > _MAX_VALUES:
            raise self._refused(
                node.start_mark, "aliases expand to too many values or levels here; write out the values instead"
            )
        self.values[path] = _position(node.start_mark)
        self.keys.setdefault(path, self.values[path])
        if isinstance(node, yaml.MappingNode) and node.tag == MAPPING:
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and node.tag == SEQUENCE:
            return [self.read(item, (*path, index)) for index, item in enumerate(node.value)]
        if not isinstance(node, yaml.ScalarNode):
            raise self._refused(node.start_mark, f"the tag {node.tag} is not supported here; remove it")
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
        """Yield the node's own keys with their values, followed by merged keys that the node doesn't define
        itself.
        """
        visited.add(id(node))
        if len(visited) > _MAX_LEVELS:
            raise self._refused(node.start_mark, f"more than {_MAX_LEVELS} mappings are merged here; merge fewer")
        seen: set[str] = set()
        merged: list[yaml.Node] = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._refused(key.start_mark, "a key must be a string; put it in quotes")
            if key.value in seen:
                raise self._refused(key.start_mark, f"the key {key.value!r} appears twice; remove one of them")
            seen.add(key.value)
            if key.tag == MERGE:
                merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
            else:
                yield key, value
        for other in merged:
            if not isinstance(other, yaml.MappingNode):
                raise self._refused(
                    other.start_mark, "<< can merge only mappings; refer to a mapping, e.g. *defaults"
                )
            for key, value in self._entries(other, visited) if id(other) not in visited else ():
                if key.value not in seen:
                    seen.add(key.value)
                    yield key, value

    def _refused(self, mark: Any, what: str) -> UnreadableError:
        return UnreadableError(what, self.file, _position(mark))


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)
