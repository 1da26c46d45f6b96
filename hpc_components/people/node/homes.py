"""Makes home directories."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from hpc_components.people.node.document import Person
from hpc_components.people.node.tables import gid_of


def make_homes(people: Mapping[str, Person], homes: Path, skeleton: Path) -> tuple[str, ...]:
    """Make the missing home directories below `homes`, with the files of `skeleton`. Return a sentence for each
    person whose home directory belongs to someone else.

    A directory is made under another name and renamed when it is complete, because a session may begin at any time.
    Raise OSError if a directory can't be made.
    """
    wrong = []
    for name, person in people.items():
        home = homes / name
        try:
            owner = home.lstat().st_uid
        except FileNotFoundError:
            _make(home, person.uid, gid_of(person), skeleton)
            continue
        if owner != person.uid:
            wrong.append(
                f"user {name}: {home} belongs to id {owner} instead of {person.uid}: correct the owner with "
                f"chown -R {name}: {home}, or give {name} uid {owner}"
            )
    return tuple(wrong)


def _make(home: Path, uid: int, gid: int, skeleton: Path) -> None:
    new = home.with_name(f".{home.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    if skeleton.is_dir():
        shutil.copytree(skeleton, new, symlinks=True)
    else:
        new.mkdir()
    for folder, folders, files in os.walk(new):
        for entry in (*folders, *files):
            os.lchown(os.path.join(folder, entry), uid, gid)
    os.chown(new, uid, gid)
    new.chmod(0o700)
    os.rename(new, home)
