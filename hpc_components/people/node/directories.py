"""Makes the directories that the members of a group share."""

import os
from collections.abc import Mapping
from pathlib import Path

from hpc_components.people.node.document import Group

MODE = 0o2770
"""Members read and write, others do nothing, and new files belong to the group."""


def make_directories(groups: Mapping[str, Group]) -> tuple[str, ...]:
    """Make the missing directories of groups, and correct the group and mode of those that root owns. Return a
    sentence for each directory that belongs to someone else.

    Raise OSError if a directory can't be made, or if its path leads to a file or a symbolic link.
    """
    wrong = []
    for name, group in groups.items():
        if group.directory and (owner := _make(Path(group.directory), group.gid)) != 0:
            wrong.append(f"organization {name}: {group.directory} belongs to id {owner}: give it to root, with chown")
    return tuple(wrong)


def _make(path: Path, gid: int) -> int:
    """Return the owner. The directory is changed only through its descriptor, since its path may lead elsewhere by
    then."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not path.is_symlink():
        path.mkdir(mode=0o700, exist_ok=True)
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        found = os.fstat(directory)
        if found.st_uid == 0 and (found.st_gid, found.st_mode & 0o7777) != (gid, MODE):
            os.fchown(directory, 0, gid)
            os.fchmod(directory, MODE)
        return found.st_uid
    finally:
        os.close(directory)
