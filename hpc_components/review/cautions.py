"""Warns about keys that nodes apply themselves: changing them affects jobs more than the changed resources
suggest.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from hpc_components.catalog import machine
from hpc_components.catalog._load import records
from hpc_components.review.change_effects import Effect
from hpc_components.review.compare import leaves
from hpc_components.review.document import ABSENT, DescriptionChange, Review
from hpc_components.review.paths import Path, covers, parsed
from hpc_components.review.people import same_changes
from hpc_components.review.wording import Urgency, urgency_of_line


def with_cautions(
    changes: Iterable[DescriptionChange], described: Mapping[str, Any] = MappingProxyType({})
) -> tuple[DescriptionChange, ...]:
    """Add to each change the cautions from matching records in `data/cautions.json`.

    `described` is the newer description, if known. It is used to ignore `smt` for queues whose machines have one
    thread per core, because the key has no effect there.
    """
    every = tuple(changes)
    return tuple(
        each if _is_renamed(each, every) or _is_idle(each, described) else _with_caution(each) for each in every
    )


def _is_idle(change: DescriptionChange, described: Mapping[str, Any]) -> bool:
    """Return whether a change turns SMT on or off for machines that have only one thread per core."""
    path, queues = parsed(change.path), described.get("queues")
    if len(path) != 3 or (path[0], path[2]) != ("queues", "smt") or not isinstance(queues, list):
        return False
    queue = queues[path[1]] if isinstance(path[1], int) and path[1] < len(queues) else None
    if not isinstance(queue, Mapping):
        return False
    fallback = queue.get("fallback")
    names = [queue.get("machine"), *(fallback if isinstance(fallback, list) else [])]
    machines = [machine(str(described.get("cloud")), str(name)) for name in names]
    return all(each is not None and each.threads_per_core == 1 for each in machines)


def _is_renamed(change: DescriptionChange, every: Iterable[DescriptionChange]) -> bool:
    """Return whether a change merely moves an existing file system to a different key."""
    before = change.before
    if not isinstance(before, Mapping) or "existing" not in before:
        return False
    return any(each.before == ABSENT and each.after == before for each in every)


def cautions(changes: Iterable[DescriptionChange], urgency: Urgency) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for change in changes:
        if change.caution and urgency_of_line(change) is urgency:
            found.setdefault(change.caution, []).append(change.path)
    return list(found.items())


def points(review: Review, urgency: Urgency) -> list[tuple[str, list[str]]]:
    """Return what to look at besides the resources: sentences, each with the keys or people that it is about."""
    people = same_changes(review.people) if urgency is Urgency.LOOK else {}
    return [*cautions(review.description, urgency), *people.items()]


def _with_caution(change: DescriptionChange) -> DescriptionChange:
    found = [record for record in _records() if any(_holds(record, key) for key in _keys(change))]
    effects = [Effect(record["effect"]) for record in found if "effect" in record]
    words = " ".join(dict.fromkeys(record["words"] for record in found))
    return replace(change, caution=words, effect=min(effects, key=lambda effect: effect.rank, default=None))


@cache
def _records() -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {**record, "paths": [parsed(path) for path in record["paths"]]} for record in records("cautions", __file__)
    )


_Key = tuple[Path, Any, Any]
"""(path of a key, value before, value after)."""


def _keys(change: DescriptionChange) -> Iterator[_Key]:
    """Yield the changed key and all keys added or removed along with it, e.g. `version` along with `slurm`.

    List items are not broken down into keys.
    """
    path, before, after = parsed(change.path), change.before, change.after
    yield path, before, after
    if _is_item(path):
        return
    for inner, value in leaves(after, path) if before == ABSENT else leaves(before, path) if after == ABSENT else ():
        yield inner, ABSENT if before == ABSENT else value, ABSENT if after == ABSENT else value


def _holds(record: Mapping[str, Any], key: _Key) -> bool:
    path, before, after = key
    if "to" in record and after != record["to"]:
        return False
    match record.get("when"):
        case None:
            return any(covers(each, path) and not _is_item(path) for each in record["paths"])
        case "changed":
            return ABSENT not in (before, after) and any(covers(each, path) for each in record["paths"])
        case "added":
            happens = before == ABSENT
        case "removed":
            happens = after == ABSENT
        case "shrinks":
            happens = isinstance(before, int) and isinstance(after, int) and after < before
        case when:
            raise ValueError(f"unknown `when` in a caution: {when!r}")
    return happens and any(len(each) == len(path) and covers(each, path) for each in record["paths"])


def _is_item(path: Path) -> bool:
    return bool(path) and isinstance(path[-1], int)
