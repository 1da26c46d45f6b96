"""Data files that hold records of several kinds."""

from functools import cached_property

from hpc_components.catalog._load import Record, records

__all__ = ["RecordsByKind"]


class RecordsByKind:
    """The records of one data file by their key `kind`. The file is read on first use."""

    def __init__(self, name: str, module_file: str) -> None:
        """Take `data/<name>.json` in the folder of a module, given by its `__file__`."""
        self._name, self._file = name, module_file

    def of(self, kind: str) -> tuple[Record, ...]:
        """Return the records of one kind, in file order, without the `kind` key."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> dict[str, tuple[Record, ...]]:
        kinds: dict[str, list[Record]] = {}
        for record in records(self._name, self._file):
            kinds.setdefault(record.pop("kind"), []).append(record)
        return {kind: tuple(found) for kind, found in kinds.items()}
