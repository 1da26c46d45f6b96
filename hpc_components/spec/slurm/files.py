"""Provides facts about slurm.conf settings whose value is a path, and about the directories for such files."""

from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Literal

from hpc_components.catalog._load import records

WRITABLE_DIRECTORIES = ("/var/log/slurm", "/var/lib/hpc/slurmctld", "/tmp", "/var/tmp", "/dev")
"""Directories on the head node in which Slurm's user may create files. The first two are created at the node's first
boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSetting:
    """A setting that names a file, and what happens if the file is missing."""

    name: str
    on: Literal["head", "nodes"]
    use: Literal["written", "run", "read", "directory"]
    then: str
    """Effect of a missing file, e.g. `fatal` if slurmctld doesn't start."""
    beside: tuple[str, str] | None = None
    """Key and value of another setting that must be present, because this one is ignored without it."""
    default: str | None = None
    """Slurm's default path, if that file doesn't exist on our nodes."""
    instead: str | None = None
    """A path to use instead, which works on every cluster."""
    source: str
    as_of: str


@cache
def file_settings() -> tuple[FileSetting, ...]:
    """Return all settings that name a file, except those that this package writes."""
    found = []
    for record in records("files", __file__):
        key, value = record.pop("beside", (None, None))
        found.append(FileSetting(beside=(key, value) if key else None, **record))
    return tuple(found)


def is_below(path: str, directory: str) -> bool:
    """Return whether `path` is `directory` itself or inside it."""
    return PurePosixPath(path).is_relative_to(directory)


def is_writable_on_the_head(path: str) -> bool:
    """Return whether Slurm's user can create the file `path` on a new head node."""
    parent = str(PurePosixPath(path).parent)
    return parent in WRITABLE_DIRECTORIES
