import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.preview.plan import Plan
from hpc_components.review.document import ChangedFinding, FindingChanges


def finding_changes(before: Plan | None, after: Plan | None) -> FindingChanges:
    """Group the findings of both sides by how they changed. `before` is None if the stack is new, and `after` is None
    if the stack is removed.

    Findings are matched by rule id and subject (`Finding.about`), even if their values differ, or by rule id and path
    if they have neither a subject nor places. Positions in lists don't matter: findings about queues are matched by
    queue name, and findings about other list items by the item's value.

    A finding that the change both causes and silences is reported as silenced, not as new. If the stack is removed,
    no finding is reported as fixed.
    """
    by_path = _ids_without_subject(before, after)
    (old, hidden_before), (new, hidden) = (_findings(plan, by_path) for plan in (before, after))
    still, old, new = _matched(old, new, _Finding.as_a_whole, _Finding.wherever_it_stands)
    changed, old, new = _matched(old, new, _Finding.identity)
    silenced, fixed, hidden = _matched(old, hidden, _Finding.identity, _Finding.wherever_it_stands)
    known = {each.body["id"] for each in hidden_before}
    at_once = [each for each in hidden if before and each.body["id"] not in known]
    return FindingChanges(
        new=tuple(each.body for each in new),
        changed=tuple(_changed(one, other) for one, other in changed),
        silenced=tuple(each.body for each in (*(other for _, other in silenced), *at_once)),
        fixed=tuple(each.body for each in fixed if after),
        still=tuple(other.body for _, other in still),
    )


@dataclass(frozen=True, eq=False)
class _Finding:
    body: Mapping[str, Any]
    queues: Sequence[Any]
    by_path: bool
    """Whether the finding is identified by its path instead of its subject."""

    def identity(self) -> Hashable:
        if self.by_path:
            return self.body["id"], self._named(self.body["path"])
        return self.body["id"], tuple(sorted(self.body.get("about", {}).items()))

    def as_a_whole(self) -> Hashable:
        return self.identity(), *self._traits()

    def wherever_it_stands(self) -> Hashable:
        """Return a key like `as_a_whole`, but with list indices removed or replaced by queue names."""
        path = re.sub(r"\[\d+\]", "[*]", self._named(self.body["path"])) if self.by_path else self.identity()
        return self.body["id"], path, *self._traits()

    def places(self) -> list[str]:
        return list(map(self._named, self.body.get("places", ())))

    def _traits(self) -> tuple[Hashable, ...]:
        value = json.dumps(self.body.get("value"), sort_keys=True)
        return self.body["level"], value, frozenset(self.places())

    def _named(self, path: str) -> str:
        return re.sub(r"^queues\[(\d+)\]", lambda found: f"queues.{self._name(int(found[1]))}", path)

    def _name(self, index: int) -> str | int:
        queue = self.queues[index] if index < len(self.queues) else None
        return queue.get("name", index) if isinstance(queue, Mapping) else index


def _ids_without_subject(*sides: Plan | None) -> frozenset[str]:
    """Return the rule ids of findings that have neither a subject nor places, as in plans written by earlier
    releases."""
    found = (each for side in sides if side for each in side.findings)
    return frozenset(each["id"] for each in found if "about" not in each and "places" not in each)


def _findings(plan: Plan | None, by_path: Collection[str]) -> tuple[list[_Finding], list[_Finding]]:
    """Return (reported findings, silenced findings)."""
    if plan is None:
        return [], []
    described = plan.description["value"] if plan.description else {}
    queues = described.get("queues") if isinstance(described, Mapping) else ()
    names = queues if isinstance(queues, list) else ()
    silenced = [each for each in plan.findings if "silenced" in each]
    reported, hidden = (
        [_Finding(each, names, each["id"] in by_path) for each in some] for some in (plan.reported, silenced)
    )
    return reported, hidden


def _changed(before: _Finding, after: _Finding) -> ChangedFinding:
    old, new = before.places(), after.places()
    return ChangedFinding(
        before=before.body,
        after=after.body,
        added=tuple(each for each in new if each not in old),
        removed=tuple(each for each in old if each not in new),
    )


_Pairs = list[tuple[_Finding, _Finding]]


def _matched(
    old: Sequence[_Finding], new: Sequence[_Finding], *keys: Callable[[_Finding], Hashable]
) -> tuple[_Pairs, list[_Finding], list[_Finding]]:
    """Return (pairs of matching findings, unmatched old findings, unmatched new findings), all in order.

    Findings match if a key function returns the same value for both. Each key function is tried on the findings that
    the previous ones left unmatched.
    """
    twins: dict[int, _Finding] = {}
    gone: set[int] = set()
    for key in keys:
        waiting: dict[Hashable, list[_Finding]] = defaultdict(list)
        for each in old:
            if id(each) not in gone:
                waiting[key(each)].append(each)
        for each in new:
            if id(each) not in twins and (found := waiting[key(each)]):
                twins[id(each)] = found.pop(0)
                gone.add(id(twins[id(each)]))
    pairs = [(twins[id(each)], each) for each in new if id(each) in twins]
    return pairs, [each for each in old if id(each) not in gone], [each for each in new if id(each) not in twins]
