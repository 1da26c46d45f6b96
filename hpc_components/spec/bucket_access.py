"""Where the buckets of a description may be read and written; rules and components both ask here."""

from typing import Literal

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.storage import SharedBucket

__all__ = ["LOGIN", "Access", "bucket_access", "places"]

LOGIN = "login"
"""Word for the nodes that people log in to: the login nodes, or the head node if there are none."""

Access = Literal["read", "write"]


def places(cluster: ClusterSpec) -> tuple[str, ...]:
    """All places where people or jobs are: the queues, and `login`."""
    return tuple(dict.fromkeys((LOGIN, *(queue.name for queue in cluster.queues))))


def bucket_access(bucket: SharedBucket, place: str) -> Access | None:
    """What people and jobs at `place` may do with the bucket; `write` includes reading and deleting."""
    readable = bucket.read_from is None or place in bucket.read_from
    writable = readable if bucket.write_from is None else place in bucket.write_from
    return "write" if writable else "read" if readable else None
