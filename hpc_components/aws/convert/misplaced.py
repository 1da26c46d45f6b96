"""Puts keys where ParallelCluster has them that people write in other places: as data."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.tables import table

__all__ = ["put_right"]


def put_right(root: Entry) -> None:
    """Move the misplaced keys of a file in place; each remembers where it should have been."""
    for move in table("misplaced")["misplaced"]:
        for owner in list(_owners(root, move["in"].split("."))):
            if (found := _taken_out(owner, move["key"].split("."))) is not None:
                _put(owner, move, found)


def _owners(entry: Entry | None, place: list[str]) -> Iterator[Entry]:
    """The mappings at a place like `SharedStorage[].EbsSettings`."""
    if entry is None or not isinstance(entry.value, dict):
        return
    if not place:
        yield entry
        return
    key, rest = place[0], place[1:]
    if not key.endswith("[]"):
        yield from _owners(entry.get(key), rest)
        return
    for each in entry.items(key.removesuffix("[]")):
        yield from _owners(each, rest)


def _taken_out(owner: Entry, keys: list[str]) -> Entry | None:
    """The entry of a key, taken out with what then is empty around it."""
    if not isinstance(owner.value, dict) or keys[0] not in owner.value:
        return None
    if len(keys) == 1:
        return owner.value.pop(keys[0])
    found = _taken_out(owner.value[keys[0]], keys[1:])
    if found is not None and not owner.value[keys[0]].value:
        del owner.value[keys[0]]
    return found


def _put(owner: Entry, move: dict[str, Any], found: Entry) -> None:
    """Put an entry into its right place; into each of the items where that is in a list."""
    right = move["right"]
    reason = f"ParallelCluster 3 knows no {move['key']} there; it is {right}"
    value = found.value
    if "values" in move:
        value = move["values"].get(str(value).lower())
        reason += f", which says {value}" if value else ""
    moved = _with_reason(replace(found, value=value, written=found.value), reason)
    first, _, key = right.rpartition("[].")
    for item in owner.items(first) if first else [owner]:
        _set(item, key.split("."), moved)


def _set(owner: Entry, keys: list[str], moved: Entry) -> None:
    for key in keys[:-1]:
        around = owner.value.setdefault(key, Entry((*owner.path, key), moved.at, {}))
        if not isinstance(around.value, dict):
            return
        owner = around
    owner.value.setdefault(keys[-1], moved)


def _with_reason(entry: Entry, reason: str) -> Entry:
    value = entry.value
    if isinstance(value, dict):
        value = {key: _with_reason(each, reason) for key, each in value.items()}
    return replace(entry, value=value, moved=reason)
