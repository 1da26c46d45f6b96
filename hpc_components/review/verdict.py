"""Parses and checks conditions on a review, as in `--fail-on destroy,cost>20%`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.errors import HpcError
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Gap, Operation, Part, Review
from hpc_components.review.wording import Urgency, urgency_of


class ConditionError(HpcError, ValueError):
    """Raised if a word in `--fail-on` is not a condition."""


@dataclass(frozen=True)
class Condition:
    word: str
    holds: Callable[[Review], bool]
    needs: Part | None = None
    """Part of a review, other than the resources, that must be known to check the condition."""

    def gap(self, review: Review) -> Gap | None:
        """Return the gap in the review that prevents the condition from being checked, if any."""
        known = next((gap for gap in review.gaps if gap.part is self.needs), None)
        if known is None and self.needs is Part.COST and _has_new_unpriced(review) and not self.holds(review):
            return _UNPRICED
        return known


_COST = re.compile(r"cost>(?P<amount>\d+(?:\.\d+)?)(?P<percent>%?)")


def conditions(words: str) -> tuple[Condition, ...]:
    """Return the conditions in a comma-separated list. Raise ConditionError if a word is not a condition."""
    return tuple(_condition(word) for word in map(str.strip, words.split(",")) if word)


def _condition(word: str) -> Condition:
    if found := _COST.fullmatch(word.replace(" ", "")):
        amount = float(found["amount"])
        holds = _costs_by_per_cent(amount) if found["percent"] else _costs_by_usd(amount)
        return Condition(word, holds, needs=Part.COST)
    if word not in _CONDITIONS:
        raise ConditionError(
            f"{word!r} is not a condition for --fail-on; use {', '.join(_CONDITIONS)}, cost>20% or cost>500"
        )
    return Condition(word, _CONDITIONS[word], needs=_NEEDS.get(word))


def _destroys(review: Review) -> bool:
    """Return whether a resource is deleted or replaced, or data is left behind.

    Configuration files count only if the change is an alarm, because some providers replace a file to change its
    text.
    """
    gone = (Operation.DELETE, Operation.REPLACE)
    ends = (change for change in review.changes if change.operation in gone)
    ended = any(not change.is_file or urgency_of(change) is Urgency.ALARM for change in ends)
    return ended or any(change.effect is Effect.LEFT_BEHIND for change in review.changes)


def _loses_data(review: Review) -> bool:
    """Return whether data is lost or left behind. Users can't use data that is left behind until it is copied."""
    effects = (change.effect for change in (*review.changes, *review.description))
    return any(effect in (Effect.DATA_LOST, Effect.LEFT_BEHIND) for effect in effects)


def _opens_access(review: Review) -> bool:
    lines = any(change.effect is Effect.ACCESS for change in review.description)
    gained = any(person.gains for person in review.people)
    return lines or gained or bool(review.opened) or any(change.grants for change in review.changes)


def _has_new_warnings(review: Review) -> bool:
    """Return whether there are warnings or errors that are new, may be new or have become worse.

    Removing an input without any effect is treated as a warning.
    """
    if any(change.effect is Effect.KEPT for change in review.changes):
        return True
    found = review.findings
    worse = (each.after for each in found.changed if each.before["level"] != each.after["level"])
    return any(finding["level"] in ("error", "warning") for finding in (*found.new, *found.now, *worse))


def _has_errors(review: Review) -> bool:
    refused = any(change.effect is Effect.REFUSED for change in review.changes)
    return bool(review.failure) or refused or any(finding["level"] == "error" for finding in _now(review))


def _now(review: Review) -> Iterable[Mapping[str, Any]]:
    found = review.findings
    return (*found.new, *(each.after for each in found.changed), *found.still, *found.now)


_CONDITIONS: dict[str, Callable[[Review], bool]] = {
    "destroy": _destroys,
    "data-loss": _loses_data,
    "access": _opens_access,
    "warning": _has_new_warnings,
    "error": _has_errors,
}

_NEEDS = {"warning": Part.FINDINGS, "access": Part.PEOPLE}
"""Maps conditions to the parts of a review that must be known to check them."""


def _costs_by_usd(limit: float) -> Callable[[Review], bool]:
    return lambda review: any(now - then > limit for then, now in _months(review))


def _costs_by_per_cent(limit: float) -> Callable[[Review], bool]:
    """If the cost was zero, any increase exceeds the limit."""
    return lambda review: any(now > then * (1 + limit / 100) for then, now in _months(review))


_UNPRICED = Gap(
    part=Part.COST, reason="the catalogue has no price for a new item; run `hpc preview` to see which one"
)


def _has_new_unpriced(review: Review) -> bool:
    """Return whether a total has become incomplete, in which case the cost may rise by an unknown amount."""
    cost = review.cost
    if cost is None:
        return False
    sides = (cost.idle_before, cost.idle_after), (cost.full_before, cost.full_after)
    return any(after and after["at_least"] and not (before and before["at_least"]) for before, after in sides)


def _months(review: Review) -> Iterable[tuple[float, float]]:
    """Yield the monthly costs in USD as (before, after), first for the idle cluster and then for the full one. For a
    new stack, the cost before is zero.
    """
    if review.cost and review.cost.full_after and review.cost.idle_after:
        for before, after in (
            (review.cost.idle_before, review.cost.idle_after),
            (review.cost.full_before, review.cost.full_after),
        ):
            yield (before["month"] if before else 0.0), after["month"]
