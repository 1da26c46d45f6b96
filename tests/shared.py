"""Values that take long to make, made once for all workers of a run: the first that needs one keeps it in a file."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_folder: Path | None = None


def in_folder(folder: Path) -> None:
    """Where the workers of this run keep such values; without a folder, each process makes its own."""
    global _folder
    _folder = folder


def made_once(name: str, make: Callable[[], T]) -> T:
    """What `make` returns here or in another worker. Nobody may change it: it is of a process, not of a test.

    `name` is a file's name that says what the value depends on. Workers that need it at the same moment each make it.
    """
    if _folder is None:
        return make()
    file = _folder / f"{name}.pickle"
    if file.exists():
        return pickle.loads(file.read_bytes())
    value = make()
    part = file.with_suffix(f".{os.getpid()}")
    part.write_bytes(pickle.dumps(value))
    part.replace(file)
    return value
