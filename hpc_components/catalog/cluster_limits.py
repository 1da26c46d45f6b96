"""Limits on the size of a cluster, as other cluster tools set them."""

from functools import cache

from hpc_components.catalog._load import records


def cluster_limit(key: str) -> int:
    """Return the limit with this key, such as `slurm.queues`. KeyError if the catalogue does not have it."""
    return _limits()[key]


@cache
def _limits() -> dict[str, int]:
    return {record["key"]: record["value"] for record in records("cluster_limits")}
