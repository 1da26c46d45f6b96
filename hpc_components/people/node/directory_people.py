"""Finds the people of a cluster among the entries of a directory."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hpc_components.people.node.directory_entries import Entry, Schema, schema_of
from hpc_components.people.node.directory_settings import Settings
from hpc_components.people.node.document import ADMINS, Document, Group, Person

NAME = re.compile(r"[a-z][a-z0-9_.-]{0,31}")
"""A dot is allowed, unlike in names of a description, because names of a directory are given. Source: useradd(8)."""

SLURM_WORDS = ("all", "default", "set", "where")
"""Source: sacctmgr(1)."""

POWERFUL_GROUPS = ("adm", "admin", "docker", "hpc-admins", "lxd", "root", "sudo", "wheel")
"""Names of groups that let their members become root. Source: Debian's and Ubuntu's /etc/sudoers; Docker's manual,
"Post-installation steps"."""

USERS_GID = 100
"""Group `users`, which systems have and directories use as a primary group. Source: Debian, base-passwd."""

MAX_NAMES = 5
"""How many names a sentence shows."""


@dataclass(frozen=True)
class Found:
    """Who may use the cluster according to a directory."""

    document: Document
    """The people, and the groups with any of them as a member. The id of `hpc-admins` is left to the description."""
    left_out: tuple[str, ...] = ()
    """Sentences about people who can't be users of a cluster."""


def is_usable(id: int) -> bool:
    """Return whether an id can be that of a person. Source: systemd, docs/UIDS-GIDS; Debian policy, 9.2.2."""
    return 1000 <= id < 60000 or 65536 <= id < 2**31


def found_in(people: Iterable[Entry], groups: Sequence[Entry], settings: Settings) -> Found:
    """Return the people of these entries, and their groups."""
    schema = schema_of(settings)
    names = {entry.dn: (entry.text(schema.name).lower(), entry) for entry in people}
    times = Counter(name for name, _ in names.values())
    reasons: dict[str, list[str]] = {}
    usable: dict[str, Person] = {}
    for dn, (name, entry) in sorted(names.items()):
        person = _person(entry, schema, settings.key_attribute)
        if reason := _unusable(name, person, times[name]):
            reasons.setdefault(reason, []).append(name or dn)
        elif person:
            usable[name] = person
    members = _members({dn: each for dn, each in names.items() if each[0] in usable}, groups, schema)
    by_name = {entry.text(schema.group_name).lower(): members.get(entry.dn, ()) for entry in groups}
    account_of = _accounts(by_name, settings)
    usable = {name: replace(one, account=account_of.get(name, settings.account)) for name, one in usable.items()}
    theirs = dict(_groups(groups, usable, members, schema))
    theirs[ADMINS] = Group(0, by_name.get(settings.administrators.lower(), ()))
    sentences = tuple(_sentence(reason, them) for reason, them in reasons.items())
    return Found(Document(usable, theirs), sentences)


def _accounts(members: Mapping[str, Sequence[str]], settings: Settings) -> dict[str, str]:
    """Return the Slurm accounts of people who have one by a group, given the members of each group by its name."""
    found: dict[str, str] = {}
    for group, account in settings.accounts.items():
        for name in members.get(group.lower(), ()):
            found.setdefault(name, account)
    return found


def _person(entry: Entry, schema: Schema, key_attribute: str) -> Person | None:
    uid = schema.id_of(entry, schema.uid)
    if uid is None:
        return None
    lines = (line.strip() for key in entry.texts(key_attribute) for line in key.splitlines())
    gid = schema.id_of(entry, schema.gid) if schema.gid else None
    return Person(uid, entry.text(schema.full_name), tuple(filter(None, lines)), schema.last_day(entry), gid)


def _unusable(name: str, person: Person | None, times: int) -> str:
    if not NAME.fullmatch(name) or name in SLURM_WORDS:
        return "the name can't be that of a user"
    if times > 1:
        return "several entries have the same name"
    if person is None:
        return "the entry has no id"
    if not is_usable(person.uid):
        return "the uid belongs to the system"
    if person.gid is not None and person.gid != USERS_GID and not is_usable(person.gid):
        return "the gid belongs to the system"
    return ""


def _members(
    people: Mapping[str, tuple[str, Entry]], groups: Iterable[Entry], schema: Schema
) -> dict[str, tuple[str, ...]]:
    """Return the members of each group, keyed by DN, whether people or groups list them."""
    members: dict[str, set[str]] = {}
    for name, entry in people.values():
        for group in entry.texts(schema.groups_of_person):
            members.setdefault(group.lower(), set()).add(name)
    login_names = {name for name, _ in people.values()}
    for group in groups:
        for member in group.texts(schema.members):
            name = people[member.lower()][0] if member.lower() in people else member.lower()
            if name in login_names:
                members.setdefault(group.dn, set()).add(name)
    return {dn: tuple(sorted(them)) for dn, them in members.items()}


def _groups(
    groups: Iterable[Entry], people: Mapping[str, Person], members: Mapping[str, tuple[str, ...]], schema: Schema
) -> Iterator[tuple[str, Group]]:
    """Yield the groups with people in them. Others are of no use to a cluster, and left out without a word."""
    primary = {person.gid for person in people.values()}
    for entry in groups:
        name, gid = entry.text(schema.group_name).lower(), schema.id_of(entry, schema.group_id)
        if gid is None or not is_usable(gid) or not NAME.fullmatch(name) or name in POWERFUL_GROUPS:
            continue
        has_own_group = name in people and people[name].gid is None
        if (entry.dn in members or gid in primary) and not has_own_group:
            yield name, Group(gid, members.get(entry.dn, ()))


def _sentence(reason: str, names: list[str]) -> str:
    shown = ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} others" if len(names) > MAX_NAMES else "")
    return f"directory: left out {shown}: {reason}"
