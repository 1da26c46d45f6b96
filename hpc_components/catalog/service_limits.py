"""What a cloud's services allow of what every cluster has: alerts of a budget, logs, tags."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BudgetLimits", "LogRetention", "TagLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """What a budget may have."""

    notifications: int
    """The most notifications of a budget. One is for the forecast, the others are for alerts."""
    addresses: int
    """The most mail addresses of a notification."""
    least_usd: float = 0
    """The least that a budget has a month; more than 0 in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRetention:
    """How long logs can be kept."""

    service: str
    """What keeps them: `CloudWatch`."""
    days: Sequence[int]
    """The days for which it can, ascending; a `range` where it takes any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLimits:
    """How many tags a resource may have, and whose keys are taken."""

    own: int
    """The most tags of a user's own."""
    all: int
    """The most tags of a resource."""
    reserved: Sequence[str]
    """Beginnings of keys that the cloud keeps, in small letters."""
    caseless: str = ""
    """Who takes keys that differ in capitals only for the same; empty if nobody does."""
