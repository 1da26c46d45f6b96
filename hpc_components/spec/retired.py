"""Ids of removed rules. They are not reused, and a description may still silence them."""

__all__ = ["RETIRED"]

RETIRED: dict[str, str] = {
    "HPC-ACC-022": "AccountingStorageEnforce is added to associations,limits,qos,safe: limits always hold",
}
"""Reason for the removal, by id."""
