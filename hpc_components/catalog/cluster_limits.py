"""Looks up the limits that other tools set on the size of a cluster."""

from functools import cache

from hpc_components.catalog._load import records


def cluster_limit(key: str) -> int:
    """Return the limit with this key, e.g. `slurm.queues`. Raise KeyError if the catalogue doesn't have it."""
    return _limits()[key]


@cache
def _limits() -> dict[str, int]:
    return {record["key"]: record["value"] for record in records("cluster_limits")}
