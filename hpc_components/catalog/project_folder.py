"""Finds and writes the files of a project that take precedence over the catalogue: its own prices and facts."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

_PROJECT = "Pulumi.yaml"
_root: ContextVar[Path | None] = ContextVar("root", default=None)


@contextmanager
def files_of(folder: Path) -> Generator[None]:
    """Within the context, use the files of the project that contains `folder`, instead of those of the project that
    contains the current directory.
    """
    here = folder.absolute()
    token = _root.set(_project_around(str(here)) or here)
    try:
        yield
    finally:
        _root.reset(token)


def own_root() -> Path | None:
    """Return the folder of the project whose files are used, or None without a project."""
    return _root.get() or _project_around(_here())


def own_file(root: Path, folder: str, cloud: str) -> str:
    """Return the path of a cloud's file in a folder of the project, as a string: building a `Path` would be much
    slower, and the path is needed for every record in a list of machines.
    """
    return os.path.join(root, folder, f"{cloud}.json")


def replace_text(file: Path, text: str) -> None:
    """Write a file atomically, and its folder if it is missing. Raise OSError if this is impossible."""
    beside = file.with_name(f"{file.name}.new")
    try:
        file.parent.mkdir(exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _here() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


@lru_cache(maxsize=16)
def _project_around(here: str | None) -> Path | None:
    folders = (Path(here), *Path(here).parents) if here else ()
    return next((folder for folder in folders if (folder / _PROJECT).is_file()), None)
