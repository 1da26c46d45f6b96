"""Defines limits of the cloud services that every cluster uses: budgets, logs and tags."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Limits on a budget."""

    notifications: int
    """Maximum number of notifications. One is for the forecast; the others are for alerts."""
    addresses: int
    """Maximum number of mail addresses per notification."""
    least_usd: float = 0
    """Minimum budget in USD per month. A budget must always be more than 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRetention:
    """Retention periods that a log service offers."""

    service: str
    """Name of the log service, e.g. `CloudWatch`."""
    days: Sequence[int]
    """Possible periods in days, in ascending order, or a `range` if the service accepts any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLimits:
    """Limits on a resource's tags."""

    own: int
    """Maximum number of tags that the user may add."""
    all: int
    """Maximum number of tags on a resource, including the cluster's own."""
    reserved: Sequence[str]
    """Reserved key prefixes, in lower case."""
    caseless: str = ""
    """Name of the service that treats keys that differ only in case as duplicates, or empty if no service does."""
