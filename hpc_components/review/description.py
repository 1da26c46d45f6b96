from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.review.document import ABSENT, DescriptionChange
from hpc_components.spec.findings import Path, dotted

_Described = Mapping[str, Any]
"""Result of `preview.description.described`."""


def description_changes(before: _Described, after: _Described) -> tuple[DescriptionChange, ...]:
    """Return all keys and list items that differ, in line order. On the same line, removals come first.

    Items that have names, such as queues, are matched by name, regardless of their position in the list. Paths
    contain the list indices of the newer side. If named items are reordered, a separate change shows their names in
    both orders.
    """
    found = _changes(((), before["value"]), ((), after["value"]))
    changes = [_change(*each, before["lines"], after["lines"]) for each in found]
    return tuple(sorted(changes, key=lambda change: (change.line or 0, change.after != ABSENT)))


_Place = tuple[Path, Any]
"""(path in the description, value)."""


def _changes(before: _Place, after: _Place) -> Iterator[tuple[_Place, _Place]]:
    (_, old), (path, new) = before, after
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _in_parts(_keyed(before), _keyed(after), path)
    elif _names(old) is not None and _names(new) is not None:
        yield from _in_parts(_named(before), _named(after), path)
        common = [
            [name for name in _names(side) or () if name in (_names(other) or ())]
            for side, other in ((old, new), (new, old))
        ]
        if common[0] != common[1]:
            yield (before[0], common[0]), (path, common[1])
    elif isinstance(old, list) and isinstance(new, list) and _is_nested(old) and _is_nested(new):
        yield from _in_parts(_indexed(before), _indexed(after), path)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield before, after


def _in_parts(
    before: Mapping[Any, _Place], after: Mapping[Any, _Place], path: Path
) -> Iterator[tuple[_Place, _Place]]:
    for key in dict.fromkeys([*after, *before]):
        here = (after.get(key) or before[key])[0]
        yield from _changes(before.get(key, (here, ABSENT)), after.get(key, (here, ABSENT)))


def _keyed(place: _Place) -> dict[Any, _Place]:
    path, value = place
    return {key: ((*path, key), each) for key, each in value.items()}


def _indexed(place: _Place) -> dict[Any, _Place]:
    path, value = place
    return {index: ((*path, index), each) for index, each in enumerate(value)}


def _named(place: _Place) -> dict[Any, _Place]:
    path, value = place
    return {each["name"]: ((*path, index), each) for index, each in enumerate(value)}


def _names(value: Any) -> list[str] | None:
    """Return the names of a list's items, or None if any item has no name or a duplicate name."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        return None
    names = [each.get("name") for each in value]
    return names if all(isinstance(name, str) for name in names) and len(set(names)) == len(names) else None


def _is_nested(value: list[Any]) -> bool:
    return any(isinstance(each, Mapping | list) for each in value)


def _change(before: _Place, after: _Place, old: Mapping[str, int], new: Mapping[str, int]) -> DescriptionChange:
    is_gone = after[1] == ABSENT
    path = dotted(before[0] if is_gone else after[0])
    return DescriptionChange(path=path, before=before[1], after=after[1], line=(old if is_gone else new).get(path))
