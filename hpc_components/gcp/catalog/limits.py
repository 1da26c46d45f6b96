"""Limits of Google Cloud's services that need no more than a number, and words that they keep for themselves."""

from functools import cache

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits

_of_kind = RecordsByKind("service_limits", __file__).records

_OWN_LABELS = 12
"""Labels that are the cluster's, beside its name: the rest is the user's."""


def service_limit(key: str) -> int:
    """One limit, such as `labels.per_resource`. KeyError: the catalogue has none of that name."""
    return _limits()[key]


def log_retention_days() -> range:
    """The days for which a log bucket can keep logs."""
    return range(service_limit("logs.least_days"), service_limit("logs.most_days") + 1)


def log_retention() -> LogRetention:
    """How long Cloud Logging keeps logs."""
    return LogRetention(service="Cloud Logging", days=log_retention_days())


def budget_limits() -> BudgetLimits:
    """What Cloud Billing allows of a budget."""
    return BudgetLimits(
        notifications=service_limit("budgets.notifications"), addresses=service_limit("budgets.addresses")
    )


def tag_limits() -> TagLimits:
    """How many labels there may be, and whose keys Google keeps. Keys of labels have small letters only."""
    every = service_limit("labels.per_resource")
    kept = tuple(record["key"] for record in _of_kind("label_prefix"))
    return TagLimits(own=every - _OWN_LABELS, all=every, reserved=kept, caseless="Google Cloud")


def reserved_label_beginning(key: str) -> str | None:
    """The beginning of a label's key that Google keeps for itself, or None."""
    return next((r["key"] for r in _of_kind("label_prefix") if key.lower().startswith(r["key"])), None)


def reserved_users() -> frozenset[str]:
    """Names of accounts that are on every node already."""
    return frozenset(name for record in _of_kind("reserved_users") for name in record["names"])


@cache
def _limits() -> dict[str, int]:
    return {record["key"]: record["value"] for record in _of_kind("limit")}
