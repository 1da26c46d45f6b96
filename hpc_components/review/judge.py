"""What Pulumi does with each resource that differs, and what that means."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hpc_components.preview.resources import UNKNOWN, Resources
from hpc_components.review.compare import InputChange, Pair, leaves, pairs
from hpc_components.review.document import ABSENT, Change, Operation, PropertyChange
from hpc_components.review.effects import Effect
from hpc_components.review.paths import covers, parsed, shown
from hpc_components.review.table import ChangeTable, Record

__all__ = ["judge"]

_PROVIDER_DECIDES = "The provider decides."
_MEANING_UNKNOWN = "No source says what that means."
_STAYS = "What is left stays as it is; this stack no longer knows it."
_STAYS_PAID = "What is left stays as it is, and is paid for; this stack no longer knows it."
_DESTROYED_LATER = "From then on `pulumi destroy` deletes it."
_OLD_STAYS = "The old one stays in the cloud as it is."


def judge(before: Resources, after: Resources, table: ChangeTable) -> tuple[Change, ...]:
    """What becomes of each resource that differs, the worst first, then by URN.

    What takes an output of a resource that is replaced changes with it, and so on: `because` names the cause.
    """
    found = _Judge(before, after, table).changes()
    return tuple(sorted(found, key=lambda change: (change.effect.rank, change.urn)))


class _Judge:
    def __init__(self, before: Resources, after: Resources, table: ChangeTable) -> None:
        self._before, self._after, self._table = before, after, table
        self._pairs = pairs(before, after)

    def changes(self) -> Iterator[Change]:
        """All of them, in the order of the URNs."""
        entailed = self._entailed()
        for pair in self._pairs:
            urn = pair.resource.urn
            if pair.before is None:
                yield self._made(pair)
            elif pair.after is None:
                yield self._ended(pair)
            else:
                yield from _with_protection(pair, self._paired(pair, entailed.get(urn)))

    def _paired(self, pair: Pair, entailed: "tuple[_Changes, str] | None") -> Change | None:
        """What becomes of a resource that is on both sides; None if it stays as it is."""
        if entailed:
            return self._entailed_change(pair, *entailed)
        return self._differing(pair) if pair.changes else None

    def _entailed_change(self, pair: Pair, changes: "_Changes", cause: str) -> Change:
        change = self._differing(replace(pair, changes=(*pair.changes, *changes)))
        by_itself = pair.changes and self._differing(pair).operation is change.operation
        return change if by_itself else replace(change, because=cause)

    def _made(self, pair: Pair) -> Change:
        record = self._table.of_resource(pair.resource, self._after, "create")
        return _change(pair, Operation.CREATE, *_meaning(record, Effect.LIVE, ""))

    def _ended(self, pair: Pair) -> Change:
        resource = pair.resource
        record = self._table.of_resource(resource, self._before, "delete")
        effect, words, remedy, source = _meaning(record, Effect.UNKNOWN, _MEANING_UNKNOWN)
        operation = Operation.DELETE
        if resource.retain:
            operation = Operation.FORGET
            kept = self._table.of_resource(resource, self._before, "forget")
            has_data = effect in (Effect.DATA_LOST, Effect.FILES_AWAY)
            otherwise = (Effect.FILES_AWAY, _STAYS_PAID) if has_data else (Effect.LIVE, _STAYS)
            effect, words, remedy, source = _meaning(kept, *otherwise) if kept else (*otherwise, "", source)
        return _change(pair, operation, effect, words, remedy, source, protected=resource.protect)

    def _differing(self, pair: Pair) -> Change:
        """An update, or a replacement if any of the changes asks for one."""
        assert pair.before
        assert pair.after
        judged = [(change, self._judged(pair, change)) for change in pair.changes]
        properties = tuple(
            PropertyChange(path=shown(change.path), before=change.before, after=change.after, replaces=replaces)
            for change, (replaces, _) in judged
        )
        if not any(each.replaces for each in properties):
            worst = min((meaning for _, (_, meaning) in judged), key=lambda meaning: meaning[0].rank)
            return _change(pair, Operation.UPDATE, *worst, properties=properties)
        record = self._table.of_resource(pair.resource, self._after, "replace")
        effect, words, remedy, source = _meaning(record, Effect.UNKNOWN, _MEANING_UNKNOWN)
        protected = pair.before.protect and pair.after.protect  # both may be undone in one update
        if pair.before.retain:
            words = _joined(words, _OLD_STAYS)
        return _change(
            pair, Operation.REPLACE, effect, words, remedy, source, protected=protected, properties=properties
        )

    def _judged(self, pair: Pair, change: InputChange) -> "tuple[bool, _Meaning]":
        """Whether a change replaces the resource, and what it means if nothing does."""
        forced = any(covers(parsed(path), change.path) for path in pair.resource.replace_on_changes)
        found = [self._table.of_input(pair.resource, self._after, each, len(change.path)) for each in _parts(change)]
        replaces = forced or any(record is not None and record["action"] == "replace" for record in found)
        return replaces, min(map(_of_update, found), key=lambda meaning: meaning[0].rank)

    def _entailed(self) -> "dict[str, tuple[_Changes, str]]":
        """By URN: what changes in inputs that come from resources that are replaced, and the URN of one of them."""
        todo = [pair.resource.urn for pair in self._pairs if pair.changes and self._is_replaced(pair)]
        replaced = set(todo)
        entailed: dict[str, tuple[_Changes, str]] = {}
        while todo:
            cause = todo.pop(0)
            for pair in self._takers(cause):
                urn = pair.resource.urn
                earlier, first = entailed.get(urn, ((), cause))
                changes = tuple(dict.fromkeys([*earlier, *_outputs_of(cause, pair)]))
                if changes:
                    entailed[urn] = changes, first
                if urn not in replaced and self._is_replaced(replace(pair, changes=(*pair.changes, *changes))):
                    replaced.add(urn)
                    todo.append(urn)
                    entailed[urn] = changes, cause
        return entailed

    def _is_replaced(self, pair: Pair) -> bool:
        return bool(pair.changes) and self._differing(pair).operation is Operation.REPLACE

    def _takers(self, urn: str) -> Iterator[Pair]:
        """The resources on both sides that take an output of this one."""
        for pair in self._pairs:
            if pair.before and pair.after and any(urn in urns for urns in pair.after.property_dependencies.values()):
                yield pair


_Changes = tuple[InputChange, ...]

_Meaning = tuple[Effect, str, str, str]
"""Effect, words, remedy and source."""


def _meaning(record: Record | None, otherwise: Effect, words: str) -> _Meaning:
    if record is None:
        return otherwise, words, "", ""
    return Effect(record["effect"]), record.get("words", ""), record.get("remedy", ""), record.get("source", "")


def _of_update(record: Record | None) -> _Meaning:
    if record is None:
        return Effect.UNKNOWN, _PROVIDER_DECIDES, "", ""
    words, remedy, source = (record.get(key, "") for key in ("words", "remedy", "source"))
    match record["action"]:
        case "update":
            return Effect(record["effect"]), words, remedy, source
        case "refused":
            return Effect.REFUSED, words, remedy, source
        case "replace":
            return Effect.LIVE, words, remedy, source
    return Effect.UNKNOWN, words or _PROVIDER_DECIDES, remedy, source


def _with_protection(pair: Pair, change: Change | None) -> Iterator[Change]:
    """The change, and that Pulumi no longer keeps the resource; only that, if it stays as it is.

    What holds data is protected; what data needs, such as its network, is only retained.
    """
    assert pair.before
    assert pair.after
    unprotected = pair.before.protect and not pair.after.protect
    if change and unprotected and change.effect.rank > Effect.UNPROTECTED.rank:
        yield replace(change, effect=Effect.UNPROTECTED, words="")
    elif change:
        yield change
    elif unprotected:
        yield _change(pair, Operation.UNPROTECT, Effect.UNPROTECTED, "", "", "")
    elif pair.before.retain and not pair.after.retain:
        yield _change(pair, Operation.UNPROTECT, Effect.LIVE, _DESTROYED_LATER, "", "")


def _parts(change: InputChange) -> Iterator[InputChange]:
    """A change as the table has it: of a list or mapping that is there on one side only, each value by itself."""
    if change.before != ABSENT and change.after != ABSENT:
        yield change
        return
    is_new = change.before == ABSENT
    for path, value in leaves(change.after if is_new else change.before, change.path):
        yield InputChange(path=path, before=ABSENT if is_new else value, after=value if is_new else ABSENT)


def _outputs_of(urn: str, pair: Pair) -> Iterator[InputChange]:
    """The inputs whose unknown values come from this resource."""
    assert pair.after
    for name, urns in pair.after.property_dependencies.items():
        for path, value in leaves(pair.after.inputs.get(name), (name,)) if urn in urns else ():
            if value == UNKNOWN:
                yield InputChange(path=path, before=UNKNOWN, after=UNKNOWN)


def _change(
    pair: Pair, operation: Operation, effect: Effect, words: str, remedy: str, source: str, **more: Any
) -> Change:
    resource = pair.resource
    return Change(
        operation=operation,
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        parent=resource.parent,
        effect=effect,
        words=words,
        remedy=remedy,
        source=source,
        **more,
    )


def _joined(words: str, sentence: str) -> str:
    return f"{words.removesuffix('.')}. {sentence}" if words else sentence
