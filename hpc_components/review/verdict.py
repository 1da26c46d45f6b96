"""Whether a review holds what somebody does not want to pass: `--fail-on destroy,cost>20%`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.errors import HpcError
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Gap, Operation, Part, Review
from hpc_components.review.wording import Urgency, urgency_of

__all__ = ["Condition", "ConditionError", "conditions"]


class ConditionError(HpcError, ValueError):
    """A word that names no condition."""


@dataclass(frozen=True)
class Condition:
    """What a review must not hold."""

    word: str
    holds: Callable[[Review], bool]
    needs: Part | None = None
    """What a review must know for it, beside the resources."""

    def gap(self, review: Review) -> Gap | None:
        """Why the review can't tell whether it holds; None if it can."""
        known = next((gap for gap in review.gaps if gap.part is self.needs), None)
        if known is None and self.needs is Part.COST and _has_new_unpriced(review) and not self.holds(review):
            return _UNPRICED
        return known


_COST = re.compile(r"cost>(?P<amount>\d+(?:\.\d+)?)(?P<percent>%?)")


def conditions(words: str) -> tuple[Condition, ...]:
    """The conditions of a list with commas; ConditionError names the word that is none."""
    return tuple(_condition(word) for word in map(str.strip, words.split(",")) if word)


def _condition(word: str) -> Condition:
    if found := _COST.fullmatch(word.replace(" ", "")):
        amount = float(found["amount"])
        holds = _costs_by_per_cent(amount) if found["percent"] else _costs_by_usd(amount)
        return Condition(word, holds, needs=Part.COST)
    if word not in _CONDITIONS:
        raise ConditionError(
            f"{word!r} is no condition of --fail-on; there are {', '.join(_CONDITIONS)}, cost>20%, cost>500"
        )
    return Condition(word, _CONDITIONS[word], needs=Part.FINDINGS if word == "warning" else None)


def _destroys(review: Review) -> bool:
    """Files of the configuration don't count, unless it hurts: a provider that replaces one changes its text."""
    gone = (Operation.DELETE, Operation.REPLACE)
    ends = (change for change in review.changes if change.operation in gone)
    ended = any(not change.is_file or urgency_of(change) is Urgency.ALARM for change in ends)
    return ended or any(change.effect is Effect.LEFT_BEHIND for change in review.changes)


def _loses_data(review: Review) -> bool:
    """Data that is left behind counts: users have none of it until it is copied."""
    effects = (change.effect for change in (*review.changes, *review.description))
    return any(effect in (Effect.DATA_LOST, Effect.LEFT_BEHIND) for effect in effects)


def _opens_access(review: Review) -> bool:
    lines = any(change.effect is Effect.ACCESS for change in review.description)
    return lines or bool(review.opened) or any(change.grants for change in review.changes)


def _has_new_warnings(review: Review) -> bool:
    """Errors count too; so do a finding that may be old or became worse, and a line whose removal has no effect."""
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


def _costs_by_usd(limit: float) -> Callable[[Review], bool]:
    return lambda review: any(now - then > limit for then, now in _months(review))


def _costs_by_per_cent(limit: float) -> Callable[[Review], bool]:
    """A cluster that cost nothing costs infinitely more."""
    return lambda review: any(now > then * (1 + limit / 100) for then, now in _months(review))


_UNPRICED = Gap(part=Part.COST, reason="something new has no price in the catalogue; `hpc preview` names it")


def _has_new_unpriced(review: Review) -> bool:
    """Whether totals are too low that were not before: then the cost may rise by more than is known."""
    cost = review.cost
    if cost is None:
        return False
    sides = (cost.idle_before, cost.idle_after), (cost.full_before, cost.full_after)
    return any(after and after["at_least"] and not (before and before["at_least"]) for before, after in sides)


def _months(review: Review) -> Iterable[tuple[float, float]]:
    """USD a month before and after, idle and full. A stack that is new cost nothing."""
    if review.cost and review.cost.full_after and review.cost.idle_after:
        for before, after in (
            (review.cost.idle_before, review.cost.idle_after),
            (review.cost.full_before, review.cost.full_after),
        ):
            yield (before["month"] if before else 0.0), after["month"]
