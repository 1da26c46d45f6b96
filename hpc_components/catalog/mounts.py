"""Directories of the system that no file system may be mounted over."""

from functools import cache
from pathlib import PurePosixPath

from hpc_components.catalog._load import records
from hpc_components.catalog.clouds import catalog_of

__all__ = ["reserved_mount"]


def reserved_mount(cloud: str, path: str) -> str | None:
    """The directory of the system, or of a cloud's software, that a mount at `path` would hide, or None."""
    wanted = PurePosixPath(path)
    above = {str(folder) for folder in (wanted, *wanted.parents)}
    for reserved, tree in _reserved(cloud).items():
        if reserved == str(wanted) or (tree and reserved in above):
            return reserved
    return None


@cache
def _reserved(cloud: str) -> dict[str, bool]:
    """The directories, and whether each forbids what is below it too."""
    system = {record["path"]: record["tree"] for record in records("reserved_mounts")}
    paths = system | dict.fromkeys(catalog_of(cloud).reserved_mounts(), True)
    return {str(PurePosixPath(path)): tree for path, tree in paths.items()}
