"""Where the buckets of a description may be read and written: said once, for the rules and for the components."""

from typing import Literal

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.storage import SharedBucket

__all__ = ["LOGIN", "Access", "bucket_access", "places"]

LOGIN = "login"
"""What stands for the nodes where people log in: the login nodes, or the head node where there are none."""

Access = Literal["read", "write"]


def places(cluster: ClusterSpec) -> tuple[str, ...]:
    """Where there are people or jobs."""
    return tuple(dict.fromkeys((LOGIN, *(queue.name for queue in cluster.queues))))


def bucket_access(bucket: SharedBucket, place: str) -> Access | None:
    """What people and jobs there may do with the bucket; `write` is to read, write and delete."""
    readable = bucket.read_from is None or place in bucket.read_from
    writable = readable if bucket.write_from is None else place in bucket.write_from
    return "write" if writable else "read" if readable else None
