from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.tables import table


def put_right(root: Entry) -> None:
    """Move misplaced keys within `root`, and record the reason in each moved entry.

    If a key's correct place is occupied or does not exist, the key stays where it is and is later treated as unknown.
    """
    for move in table("misplaced")["misplaced"]:
        for owner in list(_owners(root, move["in"].split(".") if move["in"] else [])):
            found = owner.get(move["key"])
            moved = _moved(found, move) if found is not None else None
            targets = list(_targets(owner, move["right"])) if moved is not None else []
            if moved is not None and targets:
                _take_out(owner, move["key"].split("."))
                for around, key in targets:
                    around[key] = moved


def _owners(entry: Entry | None, place: list[str]) -> Iterator[Entry]:
    """Yield the mappings at a place such as `SharedStorage[].EbsSettings`."""
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


def _take_out(owner: Entry, keys: list[str]) -> None:
    """Remove a key, and any enclosing mappings that become empty."""
    if len(keys) > 1:
        _take_out(owner.value[keys[0]], keys[1:])
    if len(keys) == 1 or not owner.value[keys[0]].value:
        del owner.value[keys[0]]


def _targets(owner: Entry, right: str) -> Iterator[tuple[dict[str, Entry], str]]:
    """Yield (mapping, key) for each mapping at the correct place that doesn't contain the key yet. Create missing
    mappings.

    If the path contains a list, there is one such mapping in each of the list's items.
    """
    first, _, rest = right.rpartition("[].")
    *on_the_way, key = rest.split(".")
    for around in owner.items(first) if first else [owner]:
        for part in on_the_way:
            if isinstance(around.value, dict):
                around = around.value.setdefault(part, Entry((*around.path, part), around.at, {}))
        if isinstance(around.value, dict) and key not in around.value:
            yield around.value, key


def _moved(found: Entry, move: dict[str, Any]) -> Entry | None:
    """Return the entry to insert at the correct place, with its value converted if necessary, or None if the value
    has no equivalent there.
    """
    reason = f"ParallelCluster 3 has no key {move['key']} in this place; the correct key is {move['right']}"
    if "values" not in move:
        return _with_reason(found, reason)
    value = move["values"].get(str(found.value).lower())
    told = f"{reason}, with the value {value}"
    return None if value is None else _with_reason(replace(found, value=value, written=found.value), told)


def _with_reason(entry: Entry, reason: str) -> Entry:
    value = entry.value
    if isinstance(value, dict):
        value = {key: _with_reason(each, reason) for key, each in value.items()}
    elif isinstance(value, list):
        value = [_with_reason(each, reason) for each in value]
    return replace(entry, value=value, moved=reason)
