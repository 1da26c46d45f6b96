from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpc_components.preview.resources import UNKNOWN, Resource, Resources
from hpc_components.review.compare import InputChange, shown_value, value_changes
from hpc_components.review.document import ABSENT, Change, Operation
from hpc_components.review.engine.run import Run, Step
from hpc_components.review.engine.states import is_counted, resource_of
from hpc_components.review.engine.values import defaults_of, plain
from hpc_components.review.meaning import Meanings, joined
from hpc_components.review.paths import Path, covers, parsed
from hpc_components.review.table import ChangeTable

_REPLACING = ("replace", "create-replacement", "import-replacement")
"""Steps of a replacement, most informative first.

`_DELETES_OLD` is not included, because that step can also occur alone: after an interrupted update, or when a
resource is deleted along with a dependency that must be deleted before its replacement is created.
"""
_DELETES_OLD = "delete-replaced"
_OPERATIONS = {
    "create": Operation.CREATE,
    "import": Operation.CREATE,
    "update": Operation.UPDATE,
    "delete": Operation.DELETE,
    _DELETES_OLD: Operation.DELETE,
    **dict.fromkeys(_REPLACING, Operation.REPLACE),
}
"""Maps steps to operations. All other steps except `same` are Pulumi's internal bookkeeping."""
_SAME = "same"

_OPTION = "deletedWith"
"""Reason that the engine reports for a replacement caused by another resource's replacement."""

_LEFT = "An earlier update that replaced this resource was interrupted; now the old resource is deleted."
_ADOPTED = "Pulumi adopts the existing resource."


def changes_of(run: Run, before: Resources, after: Resources, table: ChangeTable) -> tuple[Change, ...]:
    """Return the changes to all resources, worst effect first, then in URN order."""
    by_urn: dict[str, list[Step]] = defaultdict(list)
    for step in run.steps:
        state = step.new or step.old
        if step.op in (*_OPERATIONS, _SAME) and state and state.get("custom") and is_counted(state):
            by_urn[step.urn].append(step)
    folded = {urn: _folded(steps) for urn, steps in by_urn.items()}
    left = {urn for urn, step in folded.items() if step.op == _DELETES_OLD and len(by_urn[urn]) > 1}
    replaced = {urn for urn, step in folded.items() if step.op in _REPLACING}
    meanings = Meanings(before, after, table)
    found = filter(None, (_change(each, meanings, replaced - {urn}, urn in left) for urn, each in folded.items()))
    return tuple(sorted(found, key=lambda change: (change.effect.rank, change.urn)))


def _folded(steps: Sequence[Step]) -> Step:
    """Return the most informative step."""
    order = [*_REPLACING, "update", "create", "import", "delete", _DELETES_OLD, _SAME]
    return min(steps, key=lambda step: (order.index(step.op), not step.detail))


def _change(step: Step, meanings: Meanings, replaced: set[str], is_left: bool) -> Change | None:
    """`is_left` is True if an earlier replacement left an old resource behind."""
    old, new = (resource_of(each) if each else None for each in (step.old, step.new))
    operation = _OPERATIONS.get(step.op)
    if operation is Operation.CREATE and new:
        change = meanings.of_creation(new)
        return replace(change, words=joined(change.words, _ADOPTED)) if step.op == "import" else change
    if operation is Operation.DELETE and old:
        change = meanings.of_end(old)
        return replace(change, words=joined(change.words, _LEFT)) if is_left else change
    if old is None or new is None:
        return None
    change = _difference(step, old, new, meanings, replaced) or _kept(step, new, meanings)
    return meanings.with_protection(old, new, change)


def _kept(step: Step, resource: Resource, meanings: Meanings) -> Change | None:
    """Return a change for inputs that the program no longer sets but whose values the provider keeps. The engine
    itself reports no change in this case.
    """
    if step.op != _SAME or not step.old or not step.new:
        return None
    old, new = (plain(state.get("inputs") or {}) for state in (step.old, step.new))
    added = defaults_of(step.old.get("inputs"))
    changes = [
        change
        for name in sorted(old.keys() - added)
        for change in value_changes((name,), old[name], new.get(name))
        if change.after == ABSENT and not _is_bookkeeping(change.path) and meanings.keeps(resource, change)
    ]
    return meanings.of_kept(resource, changes) if changes else None


def _difference(step: Step, old: Resource, new: Resource, meanings: Meanings, replaced: set[str]) -> Change | None:
    changes = [each for each in _input_changes(step) if not _is_bookkeeping(each.path)]
    match _OPERATIONS.get(step.op):
        case Operation.UPDATE:
            return replace(meanings.of_update(new, changes), because=_cause(changes, new, replaced))
        case Operation.REPLACE:
            replacing = [each for each in changes if _replaces(step, each.path)]
            change = meanings.of_replacement(old, new, changes, replacing, goes_along=old.deleted_with in replaced)
            return replace(change, because=_cause(replacing, new, replaced))
    return None


def _cause(changes: Sequence[InputChange], resource: Resource, replaced: Collection[str]) -> str:
    """Return the URN of a replaced resource that causes all changes, or "" if any change has another cause."""
    sources: list[str] = []
    for each in changes:
        urns = [urn for urn in resource.property_dependencies.get(str(each.path[0]), ()) if urn in replaced]
        if each.after != UNKNOWN or not urns:
            return ""
        sources += urns
    if not changes:  # no input requires the replacement: the resource is recreated along with another one
        sources = [urn for urn in (resource.deleted_with or "", *resource.depends_on) if urn in replaced]
    return sources[0] if sources else ""


def _input_changes(step: Step) -> Iterator[InputChange]:
    """Yield the values that differ according to the provider's detailed report. Without such a report, compare the
    inputs.
    """
    assert step.old
    assert step.new
    new = plain(step.new.get("inputs") or {})
    old, known = (plain(step.old.get(key) or {}) for key in ("inputs", "outputs"))
    if not step.detail:
        for name in dict.fromkeys([*step.changed, *step.replacing]):
            if name == _OPTION and name not in {*old, *new}:
                continue
            yield from _between((name,), old.get(name), new.get(name))
    seen: set[Path] = set()
    for text, difference in sorted(step.detail.items()):
        path = _to_absent(_to_file(parsed(text), old, new), old, new)
        if path not in seen:
            seen.add(path)
            was, will = _at(old, path), _at(new, path)
            yield from _between(path, was if difference.of_inputs or was != will else _at(known, path), will)


def _between(path: Path, old: Any, new: Any) -> Iterator[InputChange]:
    """Yield the differences inside a value, or the whole value if no difference is visible, e.g. in a secret."""
    found = list(value_changes(path, old, new))
    yield from found or [InputChange(path=path, before=shown_value(old), after=shown_value(new))]


def _at(value: Any, path: Path) -> Any:
    """Return the value at a path. If the path passes through a placeholder such as `<secret>`, return the
    placeholder.
    """
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(str(part))
        elif isinstance(value, list):
            value = value[part] if isinstance(part, int) and part < len(value) else None
        else:
            return value
    return value


def _to_file(path: Path, *sides: Mapping[str, Any]) -> Path:
    """Truncate the path at the first file or archive it passes through."""
    for end in range(1, len(path)):
        if any(_is_file(_at(side, path[:end])) for side in sides):
            return path[:end]
    return path


def _to_absent(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> Path:
    """Truncate the path at the first value that is missing on one side, because that whole value is added or removed.

    Some providers report the innermost values instead.
    """
    for end in range(1, len(path)):
        if (_at(old, path[:end]) is None) != (_at(new, path[:end]) is None):
            return path[:end]
    return path


def _is_file(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() in ({"asset"}, {"archive"})


def _replaces(step: Step, path: Path) -> bool:
    said = [parsed(text) for text, each in step.detail.items() if each.replaces] or list(map(parsed, step.replacing))
    return any(covers(each, path) or covers(path, each) for each in said)


def _is_bookkeeping(path: Path) -> bool:
    return any(str(part).startswith("__") for part in path)
