"""Makes the SSH keys by which compute nodes admit people, in clusters that don't allow host-based login."""

import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hpc_components.people.node.document import Person
from hpc_components.people.node.programs import run
from hpc_components.people.node.tables import gid_of

KEY = ".ssh/id_hpc"
"""Private key, relative to a person's home directory. It is not one of ssh's default keys, which people may have with
a passphrase, or use elsewhere."""

PUBLIC_KEY = f"{KEY}.pub"


def make_keys(people: Mapping[str, Person], homes: Path) -> tuple[str, ...]:
    """Make the missing keys of people, in their home directories below `homes`. Return a sentence for each person
    whose key could not be made."""
    wrong = []
    for name, person in people.items():
        try:
            _make(homes / name, person.uid, gid_of(person))
        except OSError as error:
            wrong.append(f"user {name}: can't make an SSH key for compute nodes: {error}")
    return tuple(wrong)


def _make(home: Path, uid: int, gid: int) -> None:
    with _acting_as(uid, gid):
        if os.path.lexists(home / KEY):
            return
    private, public = _new_pair()
    with _acting_as(uid, gid):
        (home / KEY).parent.mkdir(mode=0o700, exist_ok=True)
        _write(home / PUBLIC_KEY, public, 0o644)
        _write(home / KEY, private, 0o600)  # last, because the key is made if this file is missing


@contextmanager
def _acting_as(uid: int, gid: int) -> Generator[None]:
    """Have the permissions of a person, and no others: people may turn anything below their home directory into a
    link that leads elsewhere. Also root may not write there, if the file system maps root to another user.

    The real user stays root, so the person can't stop this process.
    """
    groups, group = os.getgroups(), os.getegid()
    os.setgroups([])
    os.setegid(gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _new_pair() -> tuple[str, str]:
    """Return a new private key and its public key."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "key"
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "compute nodes", "-f", str(file)], "ssh-keygen")
        return file.read_text(), file.with_suffix(".pub").read_text()


def _write(path: Path, text: str, mode: int) -> None:
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)
