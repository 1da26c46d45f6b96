"""Limits of a cloud's services that every cluster uses: alerts of a budget, logs, tags."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Limits of a budget."""

    notifications: int
    """Maximum number of notifications. One is for the forecast, the others are for alerts."""
    addresses: int
    """Maximum number of mail addresses per notification."""
    least_usd: float = 0
    """Minimum budget in USD per month; a budget is always more than 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRetention:
    """Retention periods of logs."""

    service: str
    """The log service: `CloudWatch`."""
    days: Sequence[int]
    """Possible periods in days, ascending; a `range` if the service accepts any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLimits:
    """Limits of the tags of a resource."""

    own: int
    """Maximum number of the user's own tags."""
    all: int
    """Maximum number of tags of a resource."""
    reserved: Sequence[str]
    """Reserved prefixes of keys, in lower case."""
    caseless: str = ""
    """The service that treats keys that differ in case only as duplicates; empty if none does."""
