"""Decides who may use the cluster today."""

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hpc_components.people.node.document import Document


@dataclass(frozen=True)
class Resolution:
    """Who may use the cluster today."""

    published: Document
    """What all nodes apply."""
    known: Mapping[int, str]
    """Every id that was ever in use, with its name: `alice`, or `@cfd` for a group."""
    refused: tuple[str, ...] = ()
    """Sentences about users and groups with an id that belonged to someone else."""


def resolve(described: Document, known: Mapping[int, str], today: datetime.date) -> Resolution:
    """Return who may use the cluster today.

    Ids are never given to another name, because files belong to ids: a user or group whose id is `known` under
    another name is left out.
    """
    refused = dict(_refusals(described, known))
    sound = {name: person for name, person in described.people.items() if name not in refused}
    working = {name: person for name, person in sound.items() if person.may_work_on(today)}
    groups = {name: group for name, group in described.groups.items() if f"@{name}" not in refused}
    ids = {group.gid: f"@{name}" for name, group in groups.items()}
    ids |= {person.uid: name for name, person in sound.items()}
    every = dict(sorted({**ids, **known}.items()))
    now = {person.uid for person in working.values()}
    former = {id: name for id, name in every.items() if not name.startswith("@") and id not in now}
    published = Document(described.people, groups, former, described.waiting_jobs).with_people(working)
    return Resolution(published, every, tuple(refused.values()))


def _refusals(described: Document, known: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Yield (name, sentence) for each user and group that can't have its id; the name of a group begins with `@`."""
    taken = dict(known)
    for name, person in described.people.items():
        if (owner := taken.setdefault(person.uid, name)) != name:
            yield name, f"user {name}: {_taken(person.uid, owner)}: choose another uid"
    for name, group in described.groups.items():
        if (owner := taken.setdefault(group.gid, f"@{name}")) != f"@{name}":
            yield f"@{name}", f"group {name}: {_taken(group.gid, owner)}: choose another gid"


def _taken(id: int, owner: str) -> str:
    kind = "group" if owner.startswith("@") else "user"
    return f"{id} is or was the id of {kind} {owner.removeprefix('@')}, who may own files"


def read_known(text: str) -> dict[int, str]:
    """Read a list of ids: a line for each, such as `2001 alice` or `3001 @cfd`."""
    lines = (line.split() for line in text.splitlines())
    return {int(each[0]): each[1] for each in lines if len(each) == 2 and each[0].isdecimal()}


def write_known(known: Mapping[int, str]) -> str:
    return "".join(f"{id} {name}\n" for id, name in sorted(known.items()))
