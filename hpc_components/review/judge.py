"""Predicts what Pulumi will do to each resource that differs, and looks up the effect."""

from collections.abc import Iterator
from dataclasses import replace

from hpc_components.preview.resources import UNKNOWN, Resources
from hpc_components.review.compare import InputChange, Pair, leaves, pairs
from hpc_components.review.document import Change, Operation
from hpc_components.review.meaning import Meanings
from hpc_components.review.paths import covers, parsed
from hpc_components.review.table import ChangeTable

_PROVIDER_DECIDES = "The provider decides."


def judge(before: Resources, after: Resources, table: ChangeTable) -> tuple[Change, ...]:
    """Return the changes to all resources that differ, worst effect first, then in URN order.

    A replacement also affects other resources: those that use an output of the replaced resource change, and those
    that name it in `deleted_with` are replaced as well. Their `because` is the URN of the replaced resource. Source:
    pulumi, pkg/resource/deploy/step_generator.go.
    """
    found = _Judge(before, after, table).changes()
    return tuple(sorted(found, key=lambda change: (change.effect.rank, change.urn)))


class _Judge:
    def __init__(self, before: Resources, after: Resources, table: ChangeTable) -> None:
        self._pairs = pairs(before, after)
        self._meanings = Meanings(before, after, table, _PROVIDER_DECIDES)
        self._replaced: set[str] = set()

    def changes(self) -> Iterator[Change]:
        entailed = self._entailed()
        for pair in self._pairs:
            urn = pair.resource.urn
            if pair.before is None:
                yield self._meanings.of_creation(pair.resource)
            elif pair.after is None:
                yield self._meanings.of_end(pair.resource)
            else:
                change = self._paired(pair, entailed.get(urn))
                change = self._meanings.with_protection(pair.before, pair.after, change)
                if change:
                    yield change

    def _paired(self, pair: Pair, entailed: "tuple[_Changes, str] | None") -> Change | None:
        if entailed:
            return self._entailed_change(pair, *entailed)
        return self._differing(pair) if pair.changes else None

    def _entailed_change(self, pair: Pair, changes: "_Changes", cause: str) -> Change:
        goes_along = pair.resource.deleted_with in self._replaced
        change = self._differing(replace(pair, changes=(*pair.changes, *changes)), goes_along=goes_along)
        by_itself = pair.changes and self._differing(pair).operation is change.operation
        return change if by_itself else replace(change, because=cause)

    def _differing(self, pair: Pair, *, goes_along: bool = False) -> Change:
        """Return an update, or a replacement if an input requires one or if the resource is replaced along with
        another one.
        """
        assert pair.before
        assert pair.after
        kept = [change for change in pair.changes if self._meanings.keeps(pair.after, change)]
        changes = [change for change in pair.changes if change not in kept]
        if kept and not changes and not goes_along:
            return self._meanings.of_kept(pair.after, kept)
        replacing = [change for change in changes if self._replaces(pair, change)]
        if replacing or goes_along:  # a new resource does not inherit the values of removed inputs
            every = pair.changes
            return self._meanings.of_replacement(pair.before, pair.after, every, replacing, goes_along=goes_along)
        return self._meanings.with_kept(self._meanings.of_update(pair.after, changes), pair.after, kept)

    def _replaces(self, pair: Pair, change: InputChange) -> bool:
        forced = any(covers(parsed(path), change.path) for path in pair.resource.replace_on_changes)
        return forced or self._meanings.replaces(pair.resource, change)

    def _entailed(self) -> "dict[str, tuple[_Changes, str]]":
        """Return the changes that replacements cause in other resources, keyed by URN. Each value is (input changes,
        URN of a replaced resource).
        """
        todo = [pair.resource.urn for pair in self._pairs if pair.changes and self._is_replaced(pair)]
        self._replaced = replaced = set(todo)
        entailed: dict[str, tuple[_Changes, str]] = {}
        while todo:
            cause = todo.pop(0)
            for pair in self._takers(cause):
                urn = pair.resource.urn
                earlier, first = entailed.get(urn, ((), cause))
                changes = tuple(dict.fromkeys([*earlier, *_outputs_of(cause, pair)]))
                goes_along = pair.resource.deleted_with == cause
                if changes or goes_along:
                    entailed[urn] = changes, first
                changed = replace(pair, changes=(*pair.changes, *changes))
                if urn not in replaced and (goes_along or self._is_replaced(changed)):
                    replaced.add(urn)
                    todo.append(urn)
                    entailed[urn] = changes, cause
        return entailed

    def _is_replaced(self, pair: Pair) -> bool:
        return bool(pair.changes) and self._differing(pair).operation is Operation.REPLACE

    def _takers(self, urn: str) -> Iterator[Pair]:
        """Yield the pairs that have both sides and that use an output of the resource with this URN or are replaced
        along with it.
        """
        for pair in self._pairs:
            if pair.before and pair.after:
                sources = pair.after.property_dependencies.values()
                if pair.after.deleted_with == urn or any(urn in urns for urns in sources):
                    yield pair


_Changes = tuple[InputChange, ...]


def _outputs_of(urn: str, pair: Pair) -> Iterator[InputChange]:
    """Yield the unknown inputs of `pair` that come from the resource with this URN."""
    assert pair.after
    for name, urns in pair.after.property_dependencies.items():
        for path, value in leaves(pair.after.inputs.get(name), (name,)) if urn in urns else ():
            if value == UNKNOWN:
                yield InputChange(path=path, before=UNKNOWN, after=UNKNOWN)
