from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import UNKNOWN, Resource, Resources
from hpc_components.review.document import ABSENT
from hpc_components.review.paths import Path, covers, parsed


@dataclass(frozen=True, kw_only=True)
class InputChange:
    """Values have the same form as in `PropertyChange`."""

    path: Path
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A resource before and after the change. One side is None if the resource is created or deleted."""

    before: Resource | None
    after: Resource | None
    changes: tuple[InputChange, ...] = ()
    """Empty if the resource exists on only one side."""

    @property
    def resource(self) -> Resource:
        found = self.after or self.before
        assert found is not None
        return found


def pairs(before: Resources, after: Resources) -> tuple[Pair, ...]:
    """Pair the resources of both plans, in URN order. Components are left out.

    If a new resource has an old resource's URN in its `aliases`, the two are paired, unless another resource in the
    newer plan has that URN. Values that are unknown until the update are considered equal if they come from the same
    resources. The following differences are ignored:

    - inputs in `ignore_changes`
    - the order of keys
    - `null` instead of a missing input
    - a different path to a file with the same content
    """
    components = {each.type for side in (before, after) for each in side if each.component}
    old = {each.urn: each for each in before if each.type not in components}
    new = [each for each in after if each.type not in components]
    former = _former_urns(old, new)
    # Plans written by earlier releases don't record where unknown values come from.
    has_sources = all(any(each.property_dependencies for each in side) for side in (before, after))
    renamed = {was: now for now, was in former.items()} if has_sources else None
    found = [_pair(old.get(former.get(each.urn, each.urn)), each, renamed) for each in new]
    kept = {pair.before.urn for pair in found if pair.before}
    found += [Pair(before=each, after=None) for each in old.values() if each.urn not in kept]
    return tuple(sorted(found, key=lambda pair: pair.resource.urn))


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield (path, value) for each plain value inside `value`. Empty mappings and lists count as plain values."""
    items = _items(value)
    if not items:
        yield path, value
    for part, each in items:
        yield from leaves(each, (*path, part))


def _former_urns(old: Mapping[str, Resource], new: Sequence[Resource]) -> dict[str, str]:
    taken = {each.urn for each in new}
    found: dict[str, str] = {}
    for each in new:
        if each.urn not in old:
            was = next((alias for alias in each.aliases if alias in old and alias not in taken), None)
            if was:
                found[each.urn] = was
                taken.add(was)
    return found


def _pair(before: Resource | None, after: Resource, renamed: Mapping[str, str] | None) -> Pair:
    if before is None:
        return Pair(before=None, after=after)
    ignored = [parsed(path) for path in after.ignore_changes]
    changes = [
        change
        for change in _input_changes(before, after, renamed)
        if not any(covers(path, change.path) for path in ignored)
    ]
    return Pair(before=before, after=after, changes=tuple(changes))


def _input_changes(before: Resource, after: Resource, renamed: Mapping[str, str] | None) -> Iterator[InputChange]:
    for name in sorted({*before.inputs, *after.inputs}):
        one, other = before.inputs.get(name), after.inputs.get(name)
        changes = list(value_changes((name,), one, other))
        if not changes and renamed is not None and _sources(before, name, renamed) != _sources(after, name, renamed):
            # The values are unknown, but they no longer come from the same resources.
            changes = [
                InputChange(path=path, before=UNKNOWN, after=UNKNOWN)
                for path, value in leaves(other, (name,))
                if value == UNKNOWN
            ]
        yield from changes


def _sources(resource: Resource, name: str, renamed: Mapping[str, str]) -> set[str]:
    return {renamed.get(urn, urn) for urn in resource.property_dependencies.get(name, ())}


def value_changes(path: Path, before: Any, after: Any) -> Iterator[InputChange]:
    """Yield each plain value or file that differs between two values. None stands for a missing value."""
    if _is_same(before, after):
        return
    files = _digest(before) or _digest(after)
    if isinstance(before, Mapping) and isinstance(after, Mapping) and not files:
        for key in sorted({*before, *after}):
            yield from value_changes((*path, key), before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            one, other = (side[index] if index < len(side) else None for side in (before, after))
            yield from value_changes((*path, index), one, other)
    else:
        yield InputChange(path=path, before=shown_value(before), after=shown_value(after))


def _is_same(before: Any, after: Any) -> bool:
    """Return whether two plain values or files are equal. Always return False for other mappings and lists, because
    their items are compared one by one.
    """
    if isinstance(before, bool) != isinstance(after, bool):
        return False  # `True` equals 1 in Python, but not for a provider
    digest = _digest(before)
    if digest is not None:
        return digest == _digest(after)
    return not isinstance(before, Mapping | list) and before == after


def _digest(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    (kind, file), *_ = value.items()
    known = kind in ("asset", "archive") and isinstance(file, Mapping) and file.get("sha256")
    return (kind, known) if known else None


def shown_value(value: Any) -> Any:
    return ABSENT if value is None else value


def _items(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
