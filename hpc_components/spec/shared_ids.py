"""Finds ids that belong to different people in stacks that share a file system."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.spec.findings import Path, Problem

_KINDS = ((("people", "users"), "uid"), (("people", "groups"), "gid"), (("organizations",), "gid"))
"""(path of a mapping by name, key of the id)."""


def existing_file_systems(data: Mapping[str, Any]) -> list[Any]:
    """Return the values of `existing` under `storage`, as written."""
    storage = data.get("storage")
    systems = storage.values() if isinstance(storage, Mapping) else ()
    return [each["existing"] for each in systems if isinstance(each, Mapping) and each.get("existing")]


def words_of(existing: Any) -> Iterator[str]:
    """Yield the texts in a value of `existing`."""
    if isinstance(existing, str):
        yield existing
    elif isinstance(existing, Mapping):
        for each in existing.values():
            yield from words_of(each)


def id_problems(data: Mapping[str, Any], others: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Yield a problem for each id that belongs to someone else in a stack with the same existing file system.

    `data` is a description, and `others` are those of other stacks, each with the name of its file.
    """
    own, systems = _ids(data), existing_file_systems(data)
    for file, its in others:
        if not any(each in systems for each in existing_file_systems(its)):
            continue
        theirs = {id: path[-1] for path, id in _ids(its)}
        for path, id in own:
            if id in theirs and theirs[id] != path[-1]:
                yield Problem(
                    path=path,
                    value=id,
                    reason=f"in {file}, {id} is the id of {theirs[id]}, and both clusters mount the same file "
                    "system: each of the two would own the other's files",
                    remedy="give the newer one another id; a file in people.files keeps ids the same in all stacks",
                )


def _ids(data: Mapping[str, Any]) -> list[tuple[Path, int]]:
    found: list[tuple[Path, int]] = []
    for path, key in _KINDS:
        part: Any = data
        for name in path:
            part = part.get(name) if isinstance(part, Mapping) else None
        entries = part.items() if isinstance(part, Mapping) else ()
        found += [
            ((*path, name), one[key])
            for name, one in entries
            if isinstance(one, Mapping) and isinstance(one.get(key), int)
        ]
    return found
