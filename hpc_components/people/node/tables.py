"""Writes the tables that the name service reads: passwd, group and, for libnss-extrausers, shadow.

Files keep their owner's id after a person has left. So that `ls` shows a name for the id, the person's line stays,
under a name with which no one can log in.
"""

import datetime
from dataclasses import dataclass

from hpc_components.people.node.document import Document, Person

FORMER = "former-"
"""Prefix of the names of people who have left."""

MAX_NAME_LENGTH = 32
_EPOCH = datetime.date(1970, 1, 1)


@dataclass(frozen=True)
class Tables:
    """The texts of the three tables."""

    passwd: str
    group: str
    shadow: str


def tables(document: Document, *, shadow: bool = True) -> Tables:
    """Return the tables for the people of a published document. Everyone without a primary group elsewhere has one
    of the same name and id.

    Without `shadow`, passwd has a star where it otherwise refers to the shadow table: only keys admit anyone.
    """
    secret = "x" if shadow else "*"
    people, names = document.people.items(), {id: former_name(id, name) for id, name in document.former.items()}
    passwd = [
        f"{name}:{secret}:{one.uid}:{gid_of(one)}:{_gecos(one.full_name)}:/home/{name}:/bin/bash"
        for name, one in people
    ]
    # without a home, in which there may be keys, sshd admits no one under these names even if there is no shadow
    passwd += [f"{name}:{secret}:{id}:{id}::/nonexistent:/usr/sbin/nologin" for id, name in names.items()]
    group = [f"{name}:x:{one.gid}:{','.join(one.members)}" for name, one in document.groups.items()]
    group += [f"{name}:x:{one.uid}:" for name, one in people if one.gid is None]
    group += [f"{name}:x:{id}:" for id, name in names.items()]
    # with a star, only keys admit the user; with an exclamation mark, sshd refuses keys too
    entries = [f"{name}:*::::::{_end(one)}:" for name, one in people]
    entries += [f"{name}:!::::::1:" for name in names.values()]
    return Tables(*("".join(f"{line}\n" for line in lines) for lines in (passwd, group, entries)))


def gid_of(person: Person) -> int:
    return person.uid if person.gid is None else person.gid


def former_name(id: int, name: str) -> str:
    shown = f"{FORMER}{name}"
    return shown if len(shown) <= MAX_NAME_LENGTH else f"{FORMER}{id}"


def ids_in(table: str) -> dict[str, int]:
    """Return the ids in a table of users, keyed by name."""
    fields = (line.split(":") for line in table.splitlines())
    return {each[0]: int(each[2]) for each in fields if len(each) >= 3 and each[2].isdecimal()}


def _gecos(text: str) -> str:
    """Return a full name without the characters that separate fields. Source: passwd(5); chfn(1) for the comma."""
    return "".join(one for one in text if one not in ":," and one.isprintable())


def _end(person: Person) -> str:
    """Return the day on which the account is expired, in days since 1970. Source: shadow(5)."""
    return str((person.expires - _EPOCH).days + 1) if person.expires else ""
