"""Limits of Azure's services that need no more than a number, and words that they keep for themselves."""

from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits

_of_kind = RecordsByKind("service_limits", __file__).records

_OWN_TAGS = 12
"""Tags that nodes read in their metadata, beside Name and ClusterName: the rest is the user's."""


def service_limit(key: str) -> int:
    """One limit, such as `tags.per_resource`. KeyError: the catalogue has none of that name."""
    return {record["key"]: record["value"] for record in _of_kind("limit")}[key]


def log_retention_days() -> range:
    """The days for which a table of a Log Analytics workspace can keep a log ready for queries."""
    return range(service_limit("logs.least_days"), service_limit("logs.most_days") + 1)


def log_retention() -> LogRetention:
    """How long Log Analytics keeps logs."""
    return LogRetention(service="Log Analytics", days=log_retention_days())


def budget_limits() -> BudgetLimits:
    """What Cost Management allows of a budget."""
    return BudgetLimits(
        notifications=service_limit("budgets.notifications"),
        addresses=service_limit("budgets.addresses"),
        least_usd=service_limit("budgets.least_usd"),
    )


def tag_limits() -> TagLimits:
    """How many tags there may be, and whose names Azure keeps."""
    every = service_limit("tags.per_resource")
    kept = tuple(record["key"] for record in _of_kind("tag_prefix"))
    return TagLimits(own=every - _OWN_TAGS, all=every, reserved=kept, caseless="Azure")


def reserved_tag_beginning(name: str) -> str | None:
    """The beginning of a tag's name that Azure keeps for itself, or None."""
    return next((r["key"] for r in _of_kind("tag_prefix") if name.lower().startswith(r["key"])), None)


def reserved_users() -> frozenset[str]:
    """Names that no administrator's account can have."""
    return frozenset(name for record in _of_kind("reserved_users") for name in record["names"])


def reserved_words(where: Literal["anywhere", "beginning"]) -> tuple[str, ...]:
    """Words in small letters that can't be in a name with an address of its own, anywhere or at its beginning."""
    return tuple(word for record in _of_kind("reserved_words") if record["key"] == where for word in record["names"])
