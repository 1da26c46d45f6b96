"""The values of a ParallelCluster file, each with its key and place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.spec.findings import Path, dotted
from hpc_components.spec.source import Document, Position


@dataclass(frozen=True)
class Entry:
    """A value of the file. That of a mapping or list holds entries; what was misplaced has been moved."""

    path: Path
    """Where the file has it."""
    at: Position
    """Where its key, or list item, begins."""
    value: Any
    """A plain value, or a dict or list of entries."""
    moved: str = ""
    """Why it was moved from where the file has it; empty if it was not."""
    written: Any = None
    """What the file has, where another value took its place when it was moved."""

    @property
    def key(self) -> str:
        """Its path as text."""
        return dotted(self.path)

    def get(self, dotted_key: str) -> "Entry | None":
        """The entry of a key below, `Networking.SubnetId`; None if it is not there or has no value."""
        found: Entry | None = self
        for part in dotted_key.split("."):
            found = found.value.get(part) if found and isinstance(found.value, dict) else None
        return found if found is not None and found.value is not None else None

    def plain(self, dotted_key: str) -> Any:
        """The plain value of a key below; None if there is none."""
        found = self.get(dotted_key)
        return None if found is None or isinstance(found.value, dict | list) else found.value

    def items(self, dotted_key: str) -> "list[Entry]":
        """The entries of a list below; none if there is none."""
        found = self.get(dotted_key)
        return (
            [each for each in found.value if each.value is not None]
            if found and isinstance(found.value, list)
            else []
        )

    def leaves(self) -> "Iterator[Entry]":
        """All plain values in it; itself, if it is one or empty."""
        below = self.value.values() if isinstance(self.value, dict) else self.value
        if not isinstance(self.value, dict | list) or not self.value:
            yield self
        else:
            for each in below:
                yield from each.leaves()


def entry_of(document: Document) -> Entry:
    """The whole file."""
    return _entry(document, document.data, ())


def _entry(document: Document, data: Any, path: Path) -> Entry:
    at = document.position(path, key=True) or Position(1, 1)
    if isinstance(data, Mapping):
        return Entry(path, at, {key: _entry(document, below, (*path, key)) for key, below in data.items()})
    if isinstance(data, list):
        return Entry(path, at, [_entry(document, below, (*path, index)) for index, below in enumerate(data)])
    return Entry(path, at, data)
