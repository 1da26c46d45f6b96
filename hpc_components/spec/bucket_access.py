"""Access to the buckets of a description, for rules and components."""

from typing import Literal

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.storage import SharedBucket

LOGIN = "login"
"""Word for the nodes that people log in to: the login nodes, or the head node of a cluster without any."""

Access = Literal["read", "write"]


def places(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return all places that can have access: `login` and the names of the queues."""
    return tuple(dict.fromkeys((LOGIN, *(queue.name for queue in cluster.queues))))


def bucket_access(bucket: SharedBucket, place: str) -> Access | None:
    """Return what people and jobs at `place` may do with the bucket; `write` includes reading and deleting."""
    readable = bucket.read_from is None or place in bucket.read_from
    writable = readable if bucket.write_from is None else place in bucket.write_from
    return "write" if writable else "read" if readable else None
