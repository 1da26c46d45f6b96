"""What became of the findings of the rules."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.preview.plan import Plan
from hpc_components.review.document import ChangedFinding, FindingChanges

__all__ = ["finding_changes"]

_QUOTAS = "HPC-QTA-"
"""How ids of rules on quotas begin."""


def finding_changes(before: Plan | None, after: Plan | None) -> FindingChanges:
    """The findings of both sides by what became of them; a side is None where the stack is not there.

    A finding is the same one if one of its id is at its path, whatever its value. What is said of a queue belongs to
    the queue of that name, wherever it stands in the list; what is said of a quota, to that quota. Of a stack that
    goes nothing is fixed.
    """
    (old, _), (new, hidden) = _findings(before), _findings(after)
    still, old, new = _matched(old, new, _Finding.as_a_whole)
    changed, old, new = _matched(old, new, _Finding.place)
    silenced, fixed, _ = _matched(old, hidden, _Finding.place)
    return FindingChanges(
        new=tuple(each.body for each in new),
        changed=tuple(ChangedFinding(before=one.body, after=other.body) for one, other in changed),
        silenced=tuple(other.body for _, other in silenced),
        fixed=tuple(each.body for each in fixed if after),
        still=tuple(other.body for _, other in still),
    )


@dataclass(frozen=True, eq=False)
class _Finding:
    """A finding of a plan whose queues have these names."""

    body: Mapping[str, Any]
    queues: Sequence[str]

    def place(self) -> Hashable:
        """Rule and path, with the name of a queue instead of its index.

        A quota is named by its remedy: the path is that of what takes most of it, which may be another one each time.
        """
        if self.body["id"].startswith(_QUOTAS):
            return self.body["id"], re.sub(r"[\d,]", "", self.body["remedy"])
        path = re.sub(r"^queues\[(\d+)\]", lambda found: f"queues[{self._name(int(found[1]))}]", self.body["path"])
        return self.body["id"], path

    def as_a_whole(self) -> Hashable:
        """As `place`, with level and value."""
        return self.place(), self.body["level"], json.dumps(self.body.get("value"), sort_keys=True)

    def _name(self, index: int) -> str | int:
        return self.queues[index] if index < len(self.queues) else index


def _findings(plan: Plan | None) -> tuple[list[_Finding], list[_Finding]]:
    """Those that are reported, and those that somebody silenced."""
    if plan is None:
        return [], []
    described = plan.description["value"].get("queues", ()) if plan.description else ()
    queues = [queue["name"] for queue in described]
    silenced = [each for each in plan.findings if "silenced" in each]
    return [_Finding(each, queues) for each in plan.reported], [_Finding(each, queues) for each in silenced]


def _matched(
    old: Sequence[_Finding], new: Sequence[_Finding], key: Callable[[_Finding], Hashable]
) -> tuple[list[tuple[_Finding, _Finding]], list[_Finding], list[_Finding]]:
    """The findings that are alike on both sides, in pairs, and the rest of either side; all in their order."""
    waiting: dict[Hashable, list[_Finding]] = defaultdict(list)
    for each in old:
        waiting[key(each)].append(each)
    pairs, rest = [], []
    for each in new:
        twins = waiting[key(each)]
        if twins:
            pairs.append((twins.pop(0), each))
        else:
            rest.append(each)
    left = {id(each) for some in waiting.values() for each in some}
    return pairs, [each for each in old if id(each) in left], rest
