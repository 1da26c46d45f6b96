"""Reads the document about the people of a cluster."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Person:
    uid: int
    full_name: str = ""
    keys: tuple[str, ...] = ()
    expires: datetime.date | None = None
    """Last day on which the person may use the cluster."""

    def may_work(self, today: datetime.date) -> bool:
        return self.expires is None or today <= self.expires


@dataclass(frozen=True)
class Group:
    gid: int
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """The people of a cluster."""

    people: Mapping[str, Person]
    groups: Mapping[str, Group]
    waiting_jobs: Literal["cancel", "hold"] = "cancel"

    def on(self, today: datetime.date) -> "Document":
        """Return the people who may work today, with their groups."""
        people = {name: person for name, person in self.people.items() if person.may_work(today)}
        return self.only(people)

    def only(self, people: Mapping[str, Person]) -> "Document":
        groups = {
            name: Group(group.gid, tuple(one for one in group.members if one in people))
            for name, group in self.groups.items()
        }
        return Document(people, groups, self.waiting_jobs)


NOBODY = Document({}, {})


def read_document(path: Path) -> Document:
    """Read the document. Without a file, there are no people."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return NOBODY
    return Document(
        {name: _person(each) for name, each in data["users"].items()},
        {name: Group(each["gid"], tuple(each["members"])) for name, each in data["groups"].items()},
        data["waiting_jobs"],
    )


def _person(data: Mapping[str, Any]) -> Person:
    expires = data.get("expires")
    return Person(
        data["uid"],
        data.get("full_name", ""),
        tuple(data.get("keys", ())),
        datetime.date.fromisoformat(expires) if expires else None,
    )
