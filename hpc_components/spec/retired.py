"""Ids of removed rules. None is used again, and a description may still silence it."""

__all__ = ["RETIRED"]

RETIRED: dict[str, str] = {
    "HPC-ACC-022": "AccountingStorageEnforce is added to associations,limits,qos,safe: limits always hold",
}
"""Why the rule was removed, by id."""
