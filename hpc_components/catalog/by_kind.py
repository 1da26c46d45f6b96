"""Data files that hold records of several kinds."""

from functools import cached_property

from hpc_components.catalog._load import Record
from hpc_components.catalog._load import records as load_records

__all__ = ["RecordsByKind"]


class RecordsByKind:
    """The records of one data file by the word under `kind`, read when they are first asked for."""

    def __init__(self, name: str, module_file: str) -> None:
        """The file is `data/<name>.json` in the folder of a module, given by its `__file__`."""
        self._name, self._file = name, module_file

    def records(self, kind: str) -> tuple[Record, ...]:
        """The records of one kind in the order of the file, without that word."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> dict[str, tuple[Record, ...]]:
        kinds: dict[str, list[Record]] = {}
        for record in load_records(self._name, self._file):
            kinds.setdefault(record.pop("kind"), []).append(record)
        return {kind: tuple(found) for kind, found in kinds.items()}
