"""Writes and reads the tables of libnss-extrausers: passwd, group and shadow.

Files keep the owner's id after a person has left. So that `ls` shows a name for it and the id can't be given to
another person, the person's line stays, under a name with which no one can log in.
"""

import datetime
from collections.abc import Mapping
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


def tables(document: Document, former: Mapping[int, str]) -> Tables:
    """Return the tables for the people of `document`, all of whom may work, and for the former people: a mapping from
    id to the name that they had.
    """
    names = {id: former_name(id, name) for id, name in former.items()}
    passwd = [_passwd(name, person) for name, person in document.people.items()]
    passwd += [f"{name}:x:{id}:{id}:left:/home/{former[id]}:/usr/sbin/nologin" for id, name in names.items()]
    group = [f"{name}:x:{one.gid}:{','.join(one.members)}" for name, one in document.groups.items()]
    group += [f"{name}:x:{person.uid}:" for name, person in document.people.items()]
    group += [f"{name}:x:{id}:" for id, name in names.items()]
    shadow = [f"{name}:*::::::{_end(person)}:" for name, person in document.people.items()]
    shadow += [f"{name}:!*::::::1:" for name in names.values()]
    return Tables(*("".join(f"{line}\n" for line in lines) for lines in (passwd, group, shadow)))


def former_name(id: int, name: str) -> str:
    shown = f"{FORMER}{name}"
    return shown if len(shown) <= MAX_NAME_LENGTH else f"{FORMER}{id}"


def people_in(passwd: str) -> dict[str, int]:
    """Return the ids in a passwd table, keyed by name. Lines that are not of the form `name:x:id:...` are skipped."""
    fields = (line.split(":") for line in passwd.splitlines())
    return {each[0]: int(each[2]) for each in fields if len(each) >= 7 and each[2].isdecimal()}


def former_in(passwd: str) -> dict[int, str]:
    """Return the names that former people had, keyed by id. The home directory has the name in full."""
    fields = (line.split(":") for line in passwd.splitlines())
    return {
        int(each[2]): each[5].rpartition("/")[2]
        for each in fields
        if len(each) >= 7 and each[2].isdecimal() and each[0].startswith(FORMER)
    }


def _passwd(name: str, person: Person) -> str:
    return f"{name}:x:{person.uid}:{person.uid}:{_gecos(person.full_name)}:/home/{name}:/bin/bash"


def _gecos(text: str) -> str:
    """Return a full name without the characters that separate fields. Source: passwd(5), and chfn(1) for commas."""
    return "".join(one for one in text if one not in ":,\n" and one.isprintable())


def _end(person: Person) -> str:
    """Return the day from which the account is expired, in days since 1970. Source: shadow(5)."""
    return str((person.expires - _EPOCH).days + 1) if person.expires else ""
