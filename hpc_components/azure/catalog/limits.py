"""Limits of Azure's services that need no more than a number."""

__all__ = ["log_retention_days", "service_limit"]


def service_limit(key: str) -> int:
    """One limit, such as `tags.per_resource`. KeyError: the catalogue has none of that name."""
    raise NotImplementedError


def log_retention_days() -> tuple[int, ...]:
    """The days for which a Log Analytics workspace can keep a log, ascending."""
    raise NotImplementedError
