from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from hpc_components.preview.resources import Resource, Resources
from hpc_components.review.change_effects import Effect
from hpc_components.review.compare import InputChange, leaves
from hpc_components.review.document import ABSENT, Change, Operation, PropertyChange
from hpc_components.review.paths import shown
from hpc_components.review.table import ChangeTable, Record
from hpc_components.review.wording import effect_sentence

_MEANING_UNKNOWN = "No source documents the effect."
_STAYS = "It stays in the cloud unchanged, outside this stack."
_STAYS_WITH = "Pulumi leaves this resource unchanged, because it belongs to {name}, which stays in the cloud."
_LEFT_BEHIND = (
    "It stays in the cloud with all its data, but the cluster can no longer access it. It is billed until "
    "you delete it manually."
)
_EMPTY = (
    "The replacement is empty. The old one stays in the cloud with all its data, and is billed until you "
    "delete it manually."
)
_KEPT = "Although the program no longer sets {paths}, the provider keeps the current value."
_COPY = "Copy the data you need from the old one to the replacement, then delete the old one manually."
_DESTROYED_LATER = "After this change, `pulumi destroy` deletes it."
_UNPROTECTED_TOO = "It is no longer protected: after this change, `pulumi destroy` deletes it and everything in it."
_OLD_STAYS = "The old one stays in the cloud unchanged."
_OLD_STAYS_WITH = "The old one stays in the cloud with {name}."


class Meanings:
    """Converts resource operations to the changes in a review.

    `unsaid` is the sentence to use for inputs that are updated in place but have no record in the table.
    """

    def __init__(
        self, before: Resources, after: Resources, table: ChangeTable, unsaid: str = _MEANING_UNKNOWN
    ) -> None:
        self._before, self._after, self._table, self._unsaid = before, after, table, unsaid
        self._by_urn = {each.urn: each for each in before}
        self._stay = {each.urn for each in after}

    def replaces(self, resource: Resource, change: InputChange) -> bool:
        return any(record is not None and record["action"] == "replace" for record in self._records(resource, change))

    def keeps(self, resource: Resource, change: InputChange) -> bool:
        """Return whether an input is removed but the provider keeps its value, so that nothing happens."""
        is_removed = change.after == ABSENT
        return is_removed and all(
            record is not None and record["action"] == "kept" for record in self._records(resource, change)
        )

    def of_kept(self, after: Resource, changes: Sequence[InputChange]) -> Change:
        words, remedy, source = self._kept(after, changes)
        return _change(after, Operation.KEEP, Effect.KEPT, words, remedy, source, properties=_properties(changes, ()))

    def with_kept(self, change: Change, after: Resource, kept: Sequence[InputChange]) -> Change:
        if not kept:
            return change
        words, remedy, _ = self._kept(after, kept)
        properties = tuple(sorted((*change.properties, *_properties(kept, ())), key=lambda each: each.path))
        return replace(
            change,
            words=joined(effect_sentence(change), words),
            remedy=" ".join(filter(None, (change.remedy, remedy))),
            properties=properties,
        )

    def _kept(self, after: Resource, changes: Sequence[InputChange]) -> tuple[str, str, str]:
        records = [record for each in changes for record in self._records(after, each) if record]
        plain = [
            shown(each.path) for each in changes if not any(r.get("words") for r in self._records(after, each) if r)
        ]
        said = [_KEPT.format(paths=", ".join(plain))] if plain else []
        words, remedies, sources = (
            list(dict.fromkeys(each[key] for each in records if each.get(key)))
            for key in ("words", "remedy", "source")
        )
        return " ".join([*words, *said]), " ".join(remedies), sources[0] if sources else ""

    def of_creation(self, resource: Resource) -> Change:
        record = self._table.of_resource(resource, self._after, "create")
        return _change(resource, Operation.CREATE, *_meaning(record, Effect.LIVE, ""))

    def of_end(self, resource: Resource) -> Change:
        """Return a change that describes the deletion of a resource, or its removal from the stack if it stays in the
        cloud.
        """
        record = self._table.of_resource(resource, self._before, "delete")
        meaning = _meaning(record, Effect.UNKNOWN, _MEANING_UNKNOWN)
        whole = self._goes_with(resource)
        if not resource.retain and not (whole and whole.retain):
            return _change(resource, Operation.DELETE, *meaning, protected=resource.protect)
        effect, _, _, source = meaning
        if resource.retain and (kept := self._table.of_resource(resource, self._before, "forget")):
            meaning = _meaning(kept, Effect.LIVE, "")
        elif effect is Effect.DATA_LOST:
            meaning = Effect.LEFT_BEHIND, _LEFT_BEHIND, _COPY, source
        elif resource.retain:
            meaning = Effect.LIVE, _STAYS, "", source
        else:
            assert whole
            meaning = Effect.LIVE, _STAYS_WITH.format(name=whole.name), "", _DELETED_WITH
        return _change(resource, Operation.FORGET, *meaning, protected=resource.protect, remains=True)

    def _goes_with(self, resource: Resource) -> Resource | None:
        """Return the resource in `deleted_with` if that resource also leaves the stack, in which case Pulumi skips
        the deletion of `resource`. Otherwise, return None.
        """
        return None if resource.deleted_with in self._stay else self._by_urn.get(resource.deleted_with or "")

    def of_update(self, after: Resource, changes: Sequence[InputChange]) -> Change:
        found = [self._of_update(record) for each in changes for record in self._records(after, each)]
        worst = min(found or [self._of_update(None)], key=lambda meaning: meaning[0].rank)
        return _change(after, Operation.UPDATE, *worst, properties=_properties(changes, ()))

    def of_replacement(
        self,
        before: Resource,
        after: Resource,
        changes: Sequence[InputChange],
        replacing: Collection[InputChange],
        *,
        goes_along: bool = False,
    ) -> Change:
        """Return the replacement required by the changes in `replacing`.

        With `goes_along`, the resource in `deleted_with` is also replaced. If that resource is retained, this
        resource is not deleted either.
        """
        record = self._table.of_resource(after, self._after, "replace")
        effect, words, remedy, source = _meaning(record, Effect.UNKNOWN, _MEANING_UNKNOWN)
        whole = self._by_urn.get(before.deleted_with or "") if goes_along else None
        if before.retain and effect is Effect.DATA_LOST:
            kept = self._table.of_resource(before, self._before, "forget")
            effect, words, remedy = Effect.LEFT_BEHIND, _EMPTY, kept.get("remedy", "") if kept else remedy or _COPY
        elif before.retain:
            words = joined(words, _OLD_STAYS)
        elif whole and whole.retain:
            effect, words, remedy = Effect.LIVE, _OLD_STAYS_WITH.format(name=whole.name), ""
            source = _DELETED_WITH
        return _change(
            after,
            Operation.REPLACE,
            effect,
            words,
            remedy,
            source,
            protected=before.protect and after.protect,  # a single update can both unprotect and replace a resource
            remains=before.retain or bool(whole and whole.retain),
            properties=_properties(changes, replacing),
        )

    def with_protection(self, before: Resource, after: Resource, change: Change | None) -> Change | None:
        """Note in the change that the resource loses its protection.

        If nothing else changes, return a separate change for a resource that is no longer protected or no longer
        retained. Resources that contain data are protected; resources that are only needed to reach the data, such as
        the network, are retained.
        """
        unprotected = before.protect and not after.protect
        if change and unprotected:
            if change.effect.rank >= Effect.UNPROTECTED.rank:
                return replace(change, effect=Effect.UNPROTECTED, words="")
            return replace(change, words=joined(effect_sentence(change), _UNPROTECTED_TOO))
        if change:
            return change
        if unprotected:
            return _change(after, Operation.UNPROTECT, Effect.UNPROTECTED, "", "", "")
        if before.retain and not after.retain:
            return _change(after, Operation.UNPROTECT, Effect.LIVE, _DESTROYED_LATER, "", "")
        return None

    def _records(self, resource: Resource, change: InputChange) -> Iterator[Record | None]:
        for each in _parts(change):
            yield self._table.of_input(resource, self._after, each, len(change.path))

    def _of_update(self, record: Record | None) -> "_Meaning":
        if record is None:
            return Effect.UNKNOWN, self._unsaid, "", ""
        words, remedy, source = (record.get(key, "") for key in ("words", "remedy", "source"))
        match record["action"]:
            case "update":
                return Effect(record["effect"]), words, remedy, source
            case "refused":
                return Effect.REFUSED, words, remedy, source
            case "replace":  # the record's words describe a replacement, not an update
                return Effect.UNKNOWN, _MEANING_UNKNOWN, "", source
        return Effect.UNKNOWN, words or self._unsaid, remedy, source


_DELETED_WITH = "pulumi pkg/resource/deploy/step.go, DeleteStep.Apply, isDeletedWith"


def joined(words: str, sentence: str) -> str:
    return f"{words.removesuffix('.')}. {sentence}" if words else sentence


_Meaning = tuple[Effect, str, str, str]
"""(effect, sentence, remedy, source)."""


def _meaning(record: Record | None, otherwise: Effect, words: str) -> _Meaning:
    if record is None:
        return otherwise, words, "", ""
    return Effect(record["effect"]), record.get("words", ""), record.get("remedy", ""), record.get("source", "")


def _parts(change: InputChange) -> Iterator[InputChange]:
    """Yield the parts of a change to look up in the table. A list or mapping that exists on only one side is split
    into its values.
    """
    if change.before != ABSENT and change.after != ABSENT:
        yield change
        return
    is_new = change.before == ABSENT
    for path, value in leaves(change.after if is_new else change.before, change.path):
        yield InputChange(path=path, before=ABSENT if is_new else value, after=value if is_new else ABSENT)


def _properties(changes: Sequence[InputChange], replacing: Collection[InputChange]) -> tuple[PropertyChange, ...]:
    return tuple(
        PropertyChange(path=shown(each.path), before=each.before, after=each.after, replaces=each in replacing)
        for each in changes
    )


def _change(
    resource: Resource, operation: Operation, effect: Effect, words: str, remedy: str, source: str, **more: Any
) -> Change:
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
