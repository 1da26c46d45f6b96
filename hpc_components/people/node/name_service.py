"""Makes the people of a published document known to this node: to its name service, and to sshd."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.people.node.document import Document, Person
from hpc_components.people.node.tables import ids_in, tables


@dataclass(frozen=True)
class Places:
    """The directories in which people are known to a node. The defaults are those of libnss-extrausers."""

    tables: Path = Path("/var/lib/extrausers")
    keys: Path = Path("/etc/hpc/keys")
    """Public keys, in a file for each person."""
    system: Path = Path("/etc")
    """The system's own passwd and shadow."""
    shadow: bool = field(default=True, kw_only=True)
    """Whether the name service reads a table `shadow` too."""

    @classmethod
    def here(cls, environment: Path = Path("/etc/hpc/environment")) -> "Places":
        """Return the directories of this node, whose name service the boot wrote into `environment`."""
        if "HPC_NAME_SERVICE=altfiles" in read(environment).splitlines():
            return cls(Path("/usr/lib"), shadow=False)
        return cls()


def without_conflicts(document: Document, places: Places) -> tuple[Document, tuple[str, ...]]:
    """Return the document without people who have the name or id of one of the system's own users, and a sentence for
    each of them.

    The system's users precede ours in every lookup, so that a person would get the files of another user.
    """
    system = ids_in(read(places.system / "passwd"))
    owners = {id: name for name, id in system.items()}
    conflicts = {
        name: f"user {name}: /etc/passwd of this node has user {there} with id {system[there]}: choose another "
        "name and uid, or remove that user from the image"
        for name, person in document.people.items()
        if (there := name if name in system else owners.get(person.uid, ""))
    }
    fit = document.with_people({name: one for name, one in document.people.items() if name not in conflicts})
    former = {id: name for id, name in document.former.items() if id not in owners}
    return Document(fit.people, fit.groups, former, fit.waiting_jobs), tuple(conflicts.values())


def make_known(document: Document, places: Places) -> bool:
    """Write tables and keys for exactly the people of `document`. Return whether something changed.

    Raise OSError if a file can't be written.
    """
    new, changed = tables(document, shadow=places.shadow), _remove_other_keys(places.keys, document.people)
    places.tables.mkdir(mode=0o755, parents=True, exist_ok=True)
    # Groups come before their members, so that no lookup finds a person whose groups are unknown.
    changed |= replace(places.tables / "group", new.group, 0o644)
    if places.shadow:
        changed |= replace(places.tables / "shadow", new.shadow, 0o640, (places.system / "shadow").stat().st_gid)
    changed |= replace(places.tables / "passwd", new.passwd, 0o644)
    for name, person in document.people.items():
        if person.keys:
            changed |= replace(places.keys / name, "".join(f"{key}\n" for key in person.keys), 0o644)
    return changed


def _remove_other_keys(folder: Path, people: Mapping[str, Person]) -> bool:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    others = [file for file in folder.iterdir() if file.name not in people or not people[file.name].keys]
    for file in others:
        file.unlink()
    return bool(others)


def read(path: Path) -> str:
    """Return a file's text, or an empty text if the file does not exist."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def replace(path: Path, text: str, mode: int, group: int = -1) -> bool:
    """Replace a file atomically, unless it has this text already. Return whether it was replaced."""
    if path.exists() and read(path) == text:
        return False
    new = path.with_name(f".{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        os.fchown(file.fileno(), -1, group)
        os.fchmod(file.fileno(), mode)
        file.write(text)
    os.replace(new, path)
    return True
