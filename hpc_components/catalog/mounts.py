"""Where file systems may be mounted, and the directories of the system that none may be mounted over."""

import re
from functools import cache
from pathlib import PurePosixPath

from hpc_components.catalog._load import records
from hpc_components.catalog.clouds import catalog_of

__all__ = ["check_mount", "is_mount_directory", "reserved_mount"]

_DIRECTORY = re.compile(r"(/[A-Za-z0-9._+-]+)+")


def is_mount_directory(path: str) -> bool:
    """Whether `path` can stand in fstab as a directory: from the root, without blanks, `..` or a slash at its end."""
    return _DIRECTORY.fullmatch(path) is not None and not {".", ".."} & {*path.split("/")}


def check_mount(path: str, mount: str) -> None:
    """ValueError where `mount`, given at `path`, can't be where nodes mount a file system."""
    if not is_mount_directory(mount):
        raise ValueError(
            f"{path}: {mount!r} is no directory that can stand in fstab; write it from the root: /scratch"
        )


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
