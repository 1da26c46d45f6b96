"""Adds the people from files that several stacks share (`people.files`) to a description."""

from collections.abc import Callable, Mapping
from typing import Any

from hpc_components.spec.source import Document, Position, UnreadableError, read_yaml
from hpc_components.wording import did_you_mean

KEYS = ("users", "groups")
"""Keys of a file of people."""


def with_people_files(document: Document, read: Callable[[str], tuple[str, str]]) -> Document:
    """Return a description in which the users and groups of the files stand beside its own, and `files` is gone.

    `read` takes a path from the description, and returns the file's text and its name for messages; it raises
    UnreadableError for an unreadable file. Raise UnreadableError with the position of a key that is unknown, or of a
    user or group that is described twice. A list of files that is malformed is left to the description's other
    checks.
    """
    people = document.data.get("people") if isinstance(document.data, dict) else None
    files = people.get("files") if isinstance(people, dict) else None
    if not isinstance(files, list | tuple) or not all(isinstance(file, str) for file in files):
        return document
    for file in files:
        document = _merged(document, _read(*read(file)))
    left = {key: value for key, value in document.data["people"].items() if key != "files"}
    return document.with_data(document.data | {"people": left})


def _read(text: str, name: str) -> Document:
    wanted = "write users: and groups:"
    found = read_yaml(text, name, wanted)
    if not isinstance(found.data, dict):
        raise UnreadableError(f"this is not a list of people; {wanted}", name, Position(1, 1))
    for key, value in found.data.items():
        if key not in KEYS:
            remedy = did_you_mean(key, KEYS, "a file of people has only users and groups")
            raise UnreadableError(f"{key!r} is not a key of a file of people; {remedy}", name, found.keys[(key,)])
        if not isinstance(value, dict):
            raise UnreadableError(f"{key} must be a mapping, keyed by name", name, found.values[(key,)])
    return found


def _merged(document: Document, shared: Document) -> Document:
    data: Any = document.data
    for key in KEYS:
        own, others = data["people"].get(key, {}), shared.data.get(key, {})
        if not isinstance(own, Mapping):
            continue
        for name in others:
            if name in own:
                there = document.file_of(("people", key, name))
                raise UnreadableError(
                    f"{key}.{name} is also described in {there}; remove one of the two",
                    shared.file,
                    shared.keys[(key, name)],
                )
        data = data | {"people": data["people"] | {key: {**own, **others}}}
        document = document.with_part(("people", key), shared.below(key)) if others else document
    return document.with_data(data)
