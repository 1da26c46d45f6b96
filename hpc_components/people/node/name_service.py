"""Makes people exist on this node: name service, SSH keys, and the list of ids that were ever in use."""

import datetime
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.people.node.document import Document, Person
from hpc_components.people.node.tables import former_in, people_in, tables


@dataclass(frozen=True)
class Places:
    """The directories and files that this program reads and writes."""

    tables: Path = Path("/var/lib/extrausers")
    keys: Path = Path("/etc/hpc/keys")
    system: Path = Path("/etc")
    known: Path | None = None
    """The list of all ids that people and groups of this cluster ever had: one line each, `2001 alice`, or `3001
    @cfd` for a group. None on all nodes but the head node, which keeps the list on its state volume."""


@dataclass
class Outcome:
    """What a run did."""

    changed: bool = False
    former: dict[int, str] = field(default_factory=dict)
    """Names of the people who have left, keyed by id."""
    refused: list[str] = field(default_factory=list)
    """Sentences about people who can't work here until an administrator resolves a conflict."""


def publish(document: Document, places: Places, today: datetime.date) -> Outcome:
    """Make the people of `document` who may work today, and no one else, known to this node's name service and sshd.

    Raise OSError if a file can't be written.
    """
    outcome = Outcome()
    known = _known_ids(places.known)
    old = _read(places.tables / "passwd")
    working = document.on(today)
    refusals = dict(_refusals(document, known, people_in(_read(places.system))))
    outcome.refused += refusals.values()
    working = working.only({name: one for name, one in working.people.items() if name not in refusals})
    outcome.former = _former(document, working, known, old)
    new = tables(working, outcome.former)
    places.tables.mkdir(mode=0o755, parents=True, exist_ok=True)
    # keys first, and groups before their members: at no time may someone log in with more rights than they have
    outcome.changed |= _remove_other_keys(places.keys, working.people)
    outcome.changed |= replace(places.tables / "group", new.group, 0o644)
    outcome.changed |= replace(places.tables / "shadow", new.shadow, 0o640, group=places.system)
    outcome.changed |= replace(places.tables / "passwd", new.passwd, 0o644)
    for name, person in working.people.items():
        if person.keys:
            text = "".join(f"{key}\n" for key in person.keys)
            outcome.changed |= replace(places.keys / name, text, 0o644)
    if places.known:
        _remember(places.known, known, working)
    return outcome


def _refusals(
    document: Document, known: Mapping[int, str], system: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """Yield (name, sentence) for each person who can't exist on this node."""
    names_of_system = {id: name for name, id in system.items()}
    for name, person in document.people.items():
        owner = known.get(person.uid, name)
        if owner != name:
            yield (
                name,
                f"{name}: id {person.uid} belonged to {owner}, who still owns files: give {name} another uid",
            )
        elif name in system or person.uid in names_of_system:
            there = name if name in system else names_of_system[person.uid]
            yield (
                name,
                f"{name}: /etc/passwd of this node has a user {there} with id {system[there]}: "
                "use another name and uid, or another image",
            )


def _former(
    document: Document, working: Document, known: Mapping[int, str], old: str
) -> dict[int, str]:
    """Return the names of people who worked here once and may not today, keyed by id."""
    once = {id: name for id, name in known.items() if not name.startswith("@")}
    once |= former_in(old) | {id: name for name, id in people_in(old).items() if id not in former_in(old)}
    once |= {person.uid: name for name, person in document.people.items() if name not in working.people}
    now = {person.uid for person in working.people.values()}
    return {id: name for id, name in sorted(once.items()) if id not in now}


def _known_ids(path: Path | None) -> dict[int, str]:
    lines = (line.split() for line in _read(path).splitlines()) if path else ()
    return {int(each[0]): each[1] for each in lines if len(each) == 2 and each[0].isdecimal()}


def _remember(path: Path, known: Mapping[int, str], working: Document) -> None:
    now = {person.uid: name for name, person in working.people.items()}
    now |= {group.gid: f"@{name}" for name, group in working.groups.items()}
    text = "".join(f"{id} {name}\n" for id, name in sorted({**now, **known}.items()))
    replace(path, text, 0o644)


def _remove_other_keys(folder: Path, people: Mapping[str, Person]) -> bool:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    others = [file for file in folder.iterdir() if file.name not in people or not people[file.name].keys]
    for file in others:
        file.unlink()
    return bool(others)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def replace(path: Path, text: str, mode: int) -> bool:
    """Replace a file atomically, unless it has this text already. Return whether it had another one."""
    if path.exists() and _read(path) == text:
        return False
    new = path.with_name(f".{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    return True
