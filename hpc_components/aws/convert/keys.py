from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, flag
from hpc_components.aws.convert.tables import table
from hpc_components.wording import closest_word

_CLOSE = 0.75
"""Minimum similarity, from 0 to 1, at which a known key is suggested instead of an unknown one."""


@dataclass(frozen=True, kw_only=True)
class _Told:
    """Why a key is left out, from `data/keys.json`."""

    outcome: str
    reason: str
    remedy: str
    same: tuple[Any, ...] = ()
    """Values that need no conversion, because the cluster always behaves this way."""


def known_keys() -> tuple[str, ...]:
    """Return all keys as dotted paths, with `[]` after lists. A key with no nested keys may have any value."""
    return (*table("keys")["taken"], *table("keys")["told"])


@cache
def told_keys() -> Mapping[str, _Told]:
    data = table("keys")
    told = {key: data["reasons"][why] if isinstance(why, str) else why for key, why in data["told"].items()}
    return {key: _Told(**why | {"same": tuple(why.get("same", ()))}) for key, why in told.items()}


def without_untold(root: Entry, ledger: Ledger) -> Entry:
    """Return the file without unknown and left-out keys, and add a note on each removed key."""
    return _kept(root, "", ledger) or replace(root, value={})


def _kept(entry: Entry, place: str, ledger: Ledger) -> Entry | None:
    """Return what remains of the entry at `place`, or None if the whole entry is left out."""
    if place in told_keys():
        _tell(entry, told_keys()[place], ledger)
        return None
    below = _below().get(place)
    if below is None or entry.value is None:
        return entry
    if isinstance(entry.value, list):
        kept = [_kept(each, f"{place}[]", ledger) for each in entry.value] if "[]" in below else entry.value
        pairs = zip(entry.value, kept, strict=True)
        return replace(entry, value=[each for whole, each in pairs if each is not None and _is_left(whole, each)])
    if not isinstance(entry.value, dict) or "[]" in below:
        what = "a list" if "[]" in below else "a mapping"
        ledger.decide(entry, f"the value must be {what}", "correct the value, and convert the file again")
        return None
    return replace(entry, value=dict(_kept_keys(entry, place, below, ledger)))


def _kept_keys(
    entry: Entry, place: str, below: tuple[str, ...], ledger: Ledger
) -> Iterator[tuple[str, Entry]]:  # fmt: skip
    for key, each in entry.value.items():
        if key not in below:
            _unknown(each, key, entry, below, ledger)
        elif (kept := _kept(each, f"{place}.{key}" if place else key, ledger)) is not None and _is_left(each, kept):
            yield key, kept


def _is_left(whole: Entry, kept: Entry) -> bool:
    """Return whether a mapping or list still has content, or was empty to begin with."""
    return kept.value not in ({}, []) or whole.value in ({}, [])


def _unknown(entry: Entry, key: str, around: Entry, known: tuple[str, ...], ledger: Ledger) -> None:
    where = around.key or "the file"
    reason = f"ParallelCluster 3 has no key {key} in {where}"
    near = closest_word(key, [each for each in known if each not in around.value], _CLOSE)
    if near:
        ledger.decide(entry, reason, f"did you mean {near}? correct the key, and convert the file again")
    else:
        ledger.dropped(entry, reason, f"known keys are {', '.join(known)}")


def _tell(entry: Entry, told: _Told, ledger: Ledger) -> None:
    if entry.value is None:
        return
    if not isinstance(entry.value, dict | list) and _is_one_of(entry.value, told.same):
        ledger.taken(entry, "", "this is always the case")
    elif told.outcome == "decide":
        ledger.decide(entry, told.reason, told.remedy)
    else:
        ledger.dropped(entry, told.reason, told.remedy)


def _is_one_of(value: Any, same: tuple[Any, ...]) -> bool:
    return any(flag(value, not each) is each if isinstance(each, bool) else str(value) == each for each in same)


@cache
def _below() -> dict[str, tuple[str, ...]]:
    """Map each place to the keys directly under it, or to `("[]",)` for a list. Plain values have no entry."""
    found: dict[str, list[str]] = {}
    for known in known_keys():
        place = ""
        for part in known.replace("[]", ".[]").split("."):
            siblings = found.setdefault(place, [])
            if part not in siblings:
                siblings.append(part)
            place += part if part == "[]" else f".{part}" if place else part
    return {place: tuple(keys) for place, keys in found.items()}
