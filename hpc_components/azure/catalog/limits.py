from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits

_of_kind = RecordsByKind("service_limits", __file__).records

_OWN_TAGS = 12
"""Number of tags that nodes read from their metadata, in addition to Name and ClusterName."""


def service_limit(key: str) -> int:
    """Return a limit such as `tags.per_resource`. Raise KeyError if it is not in the catalogue."""
    return {record["key"]: record["value"] for record in _of_kind("limit")}[key]


def log_retention_days() -> range:
    """Return the allowed retention range, in days, for queryable logs in a Log Analytics table."""
    return range(service_limit("logs.least_days"), service_limit("logs.most_days") + 1)


def log_retention() -> LogRetention:
    return LogRetention(service="Log Analytics", days=log_retention_days())


def budget_limits() -> BudgetLimits:
    return BudgetLimits(
        notifications=service_limit("budgets.notifications"),
        addresses=service_limit("budgets.addresses"),
        least_usd=service_limit("budgets.least_usd"),
    )


def tag_limits() -> TagLimits:
    every = service_limit("tags.per_resource")
    kept = tuple(record["key"] for record in _of_kind("tag_prefix"))
    return TagLimits(own=every - _OWN_TAGS, all=every, reserved=kept, caseless="Azure")


def reserved_tag_beginning(name: str) -> str | None:
    """Return the reserved prefix of a tag name, or None if the name doesn't begin with one."""
    return next((r["key"] for r in _of_kind("tag_prefix") if name.lower().startswith(r["key"])), None)


def reserved_users() -> frozenset[str]:
    """Return the user names that Azure refuses for administrator accounts."""
    return frozenset(name for record in _of_kind("reserved_users") for name in record["names"])


def reserved_words(where: Literal["anywhere", "beginning"]) -> tuple[str, ...]:
    """Return the lowercase words that are reserved in the names of resources with a DNS address, either `anywhere` in
    the name or only at its `beginning`.
    """
    return tuple(word for record in _of_kind("reserved_words") if record["key"] == where for word in record["names"])
