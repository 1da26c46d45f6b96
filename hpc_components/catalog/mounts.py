import re
from functools import cache
from pathlib import PurePosixPath

from hpc_components.catalog._load import records
from hpc_components.catalog.clouds import catalog_of

_DIRECTORY = re.compile(r"(/[A-Za-z0-9._+-]+)+")


def is_mount_directory(path: str) -> bool:
    """Return whether fstab accepts `path`, which must be an absolute path without blanks, `..` or a trailing
    slash."""
    return _DIRECTORY.fullmatch(path) is not None and not {".", ".."} & {*path.split("/")}


def check_mount(path: str, mount: str) -> None:
    """Raise ValueError if nodes can't mount a file system at `mount`. `path` is the argument's name in messages."""
    if not is_mount_directory(mount):
        raise ValueError(
            f"{path}: {mount!r} is not a directory that fstab accepts; write an absolute path, e.g. /scratch"
        )


def reserved_mount(cloud: str, path: str) -> str | None:
    """Return the directory of the operating system or the cloud's software that a mount at `path` would hide, or None
    if the mount would hide no such directory.
    """
    wanted = PurePosixPath(path)
    above = {str(folder) for folder in (wanted, *wanted.parents)}
    for reserved, tree in _reserved(cloud).items():
        if reserved == str(wanted) or (tree and reserved in above):
            return reserved
    return None


@cache
def _reserved(cloud: str) -> dict[str, bool]:
    """Map each reserved directory to True if its subdirectories are also reserved, otherwise to False."""
    system = {record["path"]: record["tree"] for record in records("reserved_mounts")}
    paths = system | dict.fromkeys(catalog_of(cloud).reserved_mounts(), True)
    return {str(PurePosixPath(path)): tree for path, tree in paths.items()}
