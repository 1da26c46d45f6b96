from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Self

from hpc_components.catalog._load import Record, data_file, read_records


class RecordsByKind:
    """Records from data files, grouped by their key `kind`. The files are read on first use."""

    def __init__(self, name: str, module_file: str) -> None:
        """Use `data/<name>.json` next to the module whose `__file__` is `module_file`."""
        self._files: tuple[Path, ...] = (data_file(name, module_file),)

    @classmethod
    def in_files(cls, *files: Path) -> Self:
        found = cls.__new__(cls)
        found._files = files
        return found

    def joined(self, files: Iterable[Path]) -> Self:
        return self.in_files(*self._files, *files)

    def records(self, kind: str) -> tuple[Record, ...]:
        """Return the records of one kind, in file order, without the `kind` key."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> dict[str, tuple[Record, ...]]:
        kinds: dict[str, list[Record]] = {}
        for record in (record for file in self._files for record in read_records(file)):
            kinds.setdefault(record.pop("kind"), []).append(record)
        return {kind: tuple(found) for kind, found in kinds.items()}
