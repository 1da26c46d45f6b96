"""Decides who may use the cluster today."""

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hpc_components.people.node.document import Document


@dataclass(frozen=True)
class Ids:
    """Every id that was ever in use, with its owner's name."""

    users: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[int, str] = field(default_factory=dict)
    """A group such as cfd is written `@cfd`, and a user's own group as the user."""


@dataclass(frozen=True)
class Resolution:
    """Who may use the cluster today."""

    published: Document
    """What all nodes apply."""
    known: Ids
    refused: tuple[str, ...] = ()
    """Sentences about users and groups with an id that belonged to someone else."""


def resolve(described: Document, known: Ids, today: datetime.date) -> Resolution:
    """Return who may use the cluster today.

    Ids are never given to another name, because files belong to ids: a user or group whose id is `known` under
    another name is left out.
    """
    refused = dict(_refusals(described, known))
    sound = {name: person for name, person in described.people.items() if name not in refused}
    working = {name: person for name, person in sound.items() if person.may_work_on(today)}
    groups = {name: group for name, group in described.groups.items() if f"@{name}" not in refused}
    users = {person.uid: name for name, person in sound.items()}
    owned = {person.uid: name for name, person in sound.items() if person.gid is None}
    owned |= {group.gid: f"@{name}" for name, group in groups.items()}
    every = Ids({**users, **known.users}, {**owned, **known.groups})
    now = {person.uid for person in working.values()}
    former = {id: name for id, name in sorted(every.users.items()) if id not in now}
    published = Document(described.people, groups, former, described.waiting_jobs).with_people(working)
    return Resolution(published, every, tuple(refused.values()))


def _refusals(described: Document, known: Ids) -> Iterator[tuple[str, str]]:
    """Yield (name, sentence) for each user and group that can't have its id; the name of a group begins with `@`."""
    users, groups = dict(known.users), dict(known.groups)
    for name, person in described.people.items():
        owners = {users.setdefault(person.uid, name)}
        if person.gid is None:
            owners.add(groups.setdefault(person.uid, name))
        if others := owners - {name}:
            yield name, f"user {name}: {_taken(person.uid, min(others))}: choose another uid"
    for name, group in described.groups.items():
        if (owner := groups.setdefault(group.gid, f"@{name}")) != f"@{name}":
            yield f"@{name}", f"group {name}: {_taken(group.gid, owner)}: choose another gid"


def _taken(id: int, owner: str) -> str:
    kind = "group" if owner.startswith("@") else "user"
    return f"{id} is or was the id of {kind} {owner.removeprefix('@')}, who may own files"


def read_known(text: str) -> Ids:
    """Read a list of ids: a line for each, such as `2001 alice`, `3001 @cfd`, or `2002 bob user` for a user without
    an own group."""
    lines = [line.split() for line in text.splitlines()]
    lines = [each for each in lines if len(each) in (2, 3) and each[0].isdecimal()]
    users = {int(id): name for id, name, *_ in lines if not name.startswith("@")}
    return Ids(users, {int(id): name for id, name, *alone in lines if not alone})


def write_known(known: Ids) -> str:
    lines = [(id, name) for id, name in known.groups.items()]
    lines += [(id, f"{name} user") for id, name in known.users.items() if known.groups.get(id) != name]
    return "".join(f"{id} {name}\n" for id, name in sorted(lines))
