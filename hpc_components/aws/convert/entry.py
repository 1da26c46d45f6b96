from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.spec.findings import Path, dotted
from hpc_components.spec.source import Document, Position


@dataclass(frozen=True)
class Entry:
    """A value in the file. Mappings and lists contain nested entries."""

    path: Path
    """Original path in the file, even if the entry has been moved."""
    at: Position
    """Position of the entry's key or list item."""
    value: Any
    """A plain value, or a dict or list of entries."""
    moved: str = ""
    """Why the entry was moved, or empty if it was not moved."""
    written: Any = None
    """The original value in the file, if it was replaced when the entry was moved."""

    @property
    def key(self) -> str:
        return dotted(self.path)

    def get(self, dotted_key: str) -> "Entry | None":
        """Return the entry for a nested key such as `Networking.SubnetId`, or None if the key is missing or has no
        value.
        """
        found: Entry | None = self
        for part in dotted_key.split("."):
            found = found.value.get(part) if found and isinstance(found.value, dict) else None
        return found if found is not None and found.value is not None else None

    def plain(self, dotted_key: str) -> Any:
        """Return the plain value of a nested key, or None if the key has no plain value."""
        found = self.get(dotted_key)
        return None if found is None or isinstance(found.value, dict | list) else found.value

    def items(self, dotted_key: str) -> "list[Entry]":
        """Return the entries of a nested list, or [] if the list is missing."""
        found = self.get(dotted_key)
        return (
            [each for each in found.value if each.value is not None]
            if found and isinstance(found.value, list)
            else []
        )

    def leaves(self) -> "Iterator[Entry]":
        """Yield all plain values nested in the entry, or the entry itself if it is plain or empty."""
        below = self.value.values() if isinstance(self.value, dict) else self.value
        if not isinstance(self.value, dict | list) or not self.value:
            yield self
        else:
            for each in below:
                yield from each.leaves()


def entry_of(document: Document) -> Entry:
    return _entry(document, document.data, ())


def _entry(document: Document, data: Any, path: Path) -> Entry:
    at = document.position(path, key=True) or Position(1, 1)
    if isinstance(data, Mapping):
        return Entry(path, at, {key: _entry(document, below, (*path, key)) for key, below in data.items()})
    if isinstance(data, list):
        return Entry(path, at, [_entry(document, below, (*path, index)) for index, below in enumerate(data)])
    return Entry(path, at, data)
