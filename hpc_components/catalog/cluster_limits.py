"""Limits on the size of a cluster, from the experience of others."""

from functools import cache

from hpc_components.catalog._load import records

__all__ = ["cluster_limit"]


def cluster_limit(key: str) -> int:
    """One limit, such as `slurm.queues`. KeyError: the catalogue has none of that name."""
    return _limits()[key]


@cache
def _limits() -> dict[str, int]:
    return {record["key"]: record["value"] for record in records("cluster_limits")}
