from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Literal

from hpc_components.catalog._load import records

WRITABLE_DIRECTORIES = ("/var/log/slurm", "/var/lib/hpc/slurmctld", "/tmp", "/var/tmp", "/dev")
"""Directories on the head node where Slurm's user may create files. The first two are created at first boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSetting:
    """A setting that specifies a file, and the effect if the file is missing."""

    name: str
    on: Literal["head", "nodes"]
    use: Literal["written", "run", "read", "directory"]
    then: str
    """Effect of a missing file: `fatal` if slurmctld doesn't start, otherwise a clause that describes the effect in
    messages."""
    beside: tuple[str, str] | None = None
    """Key and value of the setting that this one depends on. Without that setting, Slurm ignores this one."""
    default: str | None = None
    """Slurm's default path. Recorded only if our nodes have no file at that path."""
    instead: str | None = None
    """An alternative path that works on every cluster."""
    source: str
    as_of: str


@cache
def file_settings() -> tuple[FileSetting, ...]:
    """Return all settings that specify a file, except those that this package writes."""
    found = []
    for record in records("files", __file__):
        key, value = record.pop("beside", (None, None))
        found.append(FileSetting(beside=(key, value) if key else None, **record))
    return tuple(found)


def is_below(path: str, directory: str) -> bool:
    return PurePosixPath(path).is_relative_to(directory)


def is_writable_on_the_head(path: str) -> bool:
    parent = str(PurePosixPath(path).parent)
    return parent in WRITABLE_DIRECTORIES
