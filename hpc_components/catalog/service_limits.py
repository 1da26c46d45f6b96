from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    notifications: int
    """Maximum number of notifications. One notification is for the forecast; the others are for alerts."""
    addresses: int
    """Maximum number of email addresses per notification."""
    least_usd: float = 0
    """Minimum budget in USD per month. A budget must always be more than 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRetention:
    service: str
    days: Sequence[int]
    """Allowed periods in days, in ascending order, or a `range` if the service accepts any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLimits:
    own: int
    """Maximum number of user-defined tags."""
    all: int
    """Maximum number of tags on a resource, including those that the cluster adds."""
    reserved: Sequence[str]
    """Reserved key prefixes, in lower case."""
    caseless: str = ""
    """Name of the service that treats keys differing only in case as duplicates, or an empty string if no service
    does."""
