"""Reads and writes documents about the people of a cluster."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

ADMINS = "hpc-admins"
"""Group of those who administer the cluster."""


@dataclass(frozen=True)
class Person:
    """Someone who may use the cluster."""

    uid: int
    full_name: str = ""
    keys: tuple[str, ...] = ()
    expires: datetime.date | None = None
    """Last day on which the person may use the cluster, in UTC."""
    gid: int | None = None
    """Id of the person's primary group. None for an own group with the person's name and id."""
    account: str = ""
    """Slurm account that the head node sees to. Empty if the description already says who uses which accounts."""

    def may_work_on(self, day: datetime.date) -> bool:
        return self.expires is None or day <= self.expires


@dataclass(frozen=True)
class Group:
    """A group besides the people's own primary groups."""

    gid: int
    members: tuple[str, ...] = ()
    directory: str = ""
    """Directory that the members share, and others can't read."""


@dataclass(frozen=True)
class Document:
    """The people of a cluster, either as described or as the head node publishes them."""

    people: Mapping[str, Person] = field(default_factory=dict)
    """People, keyed by login name."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    """Groups, keyed by name."""
    former: Mapping[int, str] = field(default_factory=dict)
    """Login names that people had who may no longer use the cluster, keyed by id. Empty in a description."""
    waiting_jobs: Literal["cancel", "hold"] = "cancel"
    """What happens to the waiting jobs of former people."""

    def joined_by(self, others: "Document") -> "Document":
        """Return the document with the people and groups of another one. Its own come first: another with the same
        name is left out. Members of `hpc-admins` are those of both."""
        admins = [one for each in (self, others) if ADMINS in each.groups for one in each.groups[ADMINS].members]
        groups = {**self.groups, **{name: one for name, one in others.groups.items() if name not in self.groups}}
        if ADMINS in self.groups:
            groups[ADMINS] = replace(groups[ADMINS], members=tuple(dict.fromkeys(admins)))
        people = {**self.people, **{name: one for name, one in others.people.items() if name not in self.people}}
        return Document(people, groups, self.former, self.waiting_jobs)

    def with_people(self, people: Mapping[str, Person]) -> "Document":
        """Return the document with only these people, also as members of groups."""
        groups = {
            name: replace(group, members=tuple(one for one in group.members if one in people))
            for name, group in self.groups.items()
        }
        return Document(people, groups, self.former, self.waiting_jobs)


def parse(text: str) -> Document:
    """Read a document. Raise ValueError or KeyError if the text is not one."""
    data = json.loads(text)
    return Document(
        {name: _person(each) for name, each in data["users"].items()},
        {name: _group(each) for name, each in data["groups"].items()},
        {int(id): name for id, name in data.get("former", {}).items()},
        data["waiting_jobs"],
    )


def write(document: Document) -> str:
    """Return the text of a document. Equal documents have equal texts."""
    data = {
        "groups": {name: _plain_group(one) for name, one in document.groups.items()},
        "users": {name: _plain(person) for name, person in document.people.items()},
        "waiting_jobs": document.waiting_jobs,
    }
    if document.former:
        data["former"] = {str(id): name for id, name in document.former.items()}
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def _person(data: Mapping[str, Any]) -> Person:
    expires = data.get("expires")
    return Person(
        data["uid"],
        data.get("full_name", ""),
        tuple(data.get("keys", ())),
        datetime.date.fromisoformat(expires) if expires else None,
        data.get("gid"),
        data.get("account", ""),
    )


def _group(data: Mapping[str, Any]) -> Group:
    return Group(data["gid"], tuple(data["members"]), data.get("directory", ""))


def _plain_group(group: Group) -> dict[str, Any]:
    given = {"gid": group.gid, "members": list(group.members)}
    return given | ({"directory": group.directory} if group.directory else {})


def _plain(person: Person) -> dict[str, Any]:
    given: dict[str, Any] = {
        "full_name": person.full_name,
        "keys": list(person.keys),
        "expires": person.expires.isoformat() if person.expires else None,
        "gid": person.gid,
        "account": person.account,
    }
    return {"uid": person.uid} | {key: value for key, value in given.items() if value}
