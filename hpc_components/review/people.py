"""Finds who gains or loses access to a cluster, by comparing its people before and after a change."""

import base64
import hashlib
from collections.abc import Iterable, Iterator

from hpc_components.people.node.document import Document, Person, parse
from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.resources import Resources
from hpc_components.review.document import PersonChange, Right, RightKind
from hpc_components.spec.people import ADMIN_GROUP
from hpc_components.wording import listed

_FILE = "head/people.json"
"""Path of the document about people in the config bucket."""

_WORDS = {
    RightKind.ACCESS: "access",
    RightKind.ADMIN: "administration (sudo, and control of the jobs of others)",
    RightKind.GROUP: "group {}",
    RightKind.KEY: "key {}",
    RightKind.UNTIL: "access until {}",
    RightKind.AFTER: "access after {}",
    RightKind.FILES: "the files of id {}",
}

_ENDS = "Sessions and processes end, and jobs are cancelled, or held if `waiting_jobs` says so. Files stay."


def people_changes(before: Resources, after: Resources) -> tuple[PersonChange, ...]:
    """Return who gains or loses rights, sorted by name.

    A document that can't be read says nothing about anyone, because nodes refuse it as well.
    """
    try:
        return tuple(_changes(_people(before), _people(after)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()


def has_people(resources: Resources) -> bool:
    """Return whether a file of the plan describes people."""
    return any(True for _ in _texts(resources))


def _texts(resources: Resources) -> Iterator[str]:
    for each in resources:
        yield from (text for name, text in reader_of_type(each.type).files(each) if name == _FILE)


def _people(resources: Resources) -> Document:
    text = next(_texts(resources), None)
    return Document() if text is None else parse(text)


def _changes(before: Document, after: Document) -> Iterator[PersonChange]:
    old, new = _rights(before), _rights(after)
    for name in sorted({*old, *new}):
        if name not in new:
            yield PersonChange(name=name, gains=(), losses=(Right(kind=RightKind.ACCESS),))
            continue
        gains = [right for right in new[name] if right not in old.get(name, ())]
        losses = [right for right in old.get(name, ()) if right not in new[name]]
        if name in old:
            further = _further(before.people[name], after.people[name])
            gains, losses = [*gains, *further[0]], [*losses, *further[1]]
        if gains or losses:
            yield PersonChange(name=name, gains=tuple(gains), losses=tuple(losses))


def _further(was: Person, will: Person) -> tuple[list[Right], list[Right]]:
    """Return the rights that a person gains and loses by another last day or another id."""
    gains, losses = [], []
    if was.expires != will.expires:
        if will.expires is None or (was.expires is not None and will.expires > was.expires):
            gains.append(Right(kind=RightKind.UNTIL, value=str(will.expires or "removed from the description")))
        else:
            losses.append(Right(kind=RightKind.AFTER, value=str(will.expires)))
    if was.uid != will.uid:
        losses.append(Right(kind=RightKind.FILES, value=str(was.uid)))
    return gains, losses


def _rights(document: Document) -> dict[str, list[Right]]:
    """Return the rights of each person: access, administration, groups and keys."""
    found = {name: [Right(kind=RightKind.ACCESS)] for name in document.people}
    administrators_first = sorted(document.groups.items(), key=lambda each: (each[0] != ADMIN_GROUP, each[0]))
    for group, one in administrators_first:
        right = Right(kind=RightKind.ADMIN) if group == ADMIN_GROUP else Right(kind=RightKind.GROUP, value=group)
        for name in one.members:
            found[name].append(right)
    for name, person in document.people.items():
        found[name] += [Right(kind=RightKind.KEY, value=_fingerprint(key)) for key in person.keys]
    return found


def _fingerprint(key: str) -> str:
    """Return a key's fingerprint and comment, as `ssh-keygen -l` shows them, e.g. `SHA256:Dq9d... (ada@laptop)`."""
    _, blob, *comment = key.split(maxsplit=2)
    digest = base64.b64encode(hashlib.sha256(base64.b64decode(blob)).digest()).decode().rstrip("=")
    return " ".join([f"SHA256:{digest}", *(f"({each})" for each in comment)])


def same_changes(people: Iterable[PersonChange]) -> dict[str, list[str]]:
    """Map sentences about gained and lost rights to the names of the people whom they are about."""
    found: dict[str, list[str]] = {}
    for person in people:
        found.setdefault(_sentence(person), []).append(person.name)
    return found


def _sentence(person: PersonChange) -> str:
    sides = {"Gained": person.gains, "Lost": person.losses}
    words = " ".join(f"{side}: {listed(map(_named, rights), 8)}." for side, rights in sides.items() if rights)
    return f"{words} {_ENDS}" if any(right.kind is RightKind.ACCESS for right in person.losses) else words


def _named(right: Right) -> str:
    return _WORDS[right.kind].format(right.value)
