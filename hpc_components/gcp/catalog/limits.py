from functools import cache

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits

_of_kind = RecordsByKind("service_limits", __file__).records

_OWN_LABELS = 12
"""Number of labels reserved for the cluster, in addition to the cluster name. Users can set the remaining labels."""


def service_limit(key: str) -> int:
    """Return a limit such as `labels.per_resource`. Raise KeyError if the key is unknown."""
    return _limits()[key]


def log_retention_days() -> range:
    return range(service_limit("logs.least_days"), service_limit("logs.most_days") + 1)


def log_retention() -> LogRetention:
    return LogRetention(service="Cloud Logging", days=log_retention_days())


def budget_limits() -> BudgetLimits:
    return BudgetLimits(
        notifications=service_limit("budgets.notifications"), addresses=service_limit("budgets.addresses")
    )


def tag_limits() -> TagLimits:
    """Tag keys that differ only in case are duplicates, because label keys are lower-case."""
    every = service_limit("labels.per_resource")
    kept = tuple(record["key"] for record in _of_kind("label_prefix"))
    return TagLimits(own=every - _OWN_LABELS, all=every, reserved=kept, caseless="Google Cloud")


def reserved_label_beginning(key: str) -> str | None:
    return next((r["key"] for r in _of_kind("label_prefix") if key.lower().startswith(r["key"])), None)


def reserved_users() -> frozenset[str]:
    """Return the user accounts that exist on every node."""
    return frozenset(name for record in _of_kind("reserved_users") for name in record["names"])


@cache
def _limits() -> dict[str, int]:
    return {record["key"]: record["value"] for record in _of_kind("limit")}
