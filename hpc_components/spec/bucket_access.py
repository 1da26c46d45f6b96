from typing import Literal

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.storage import SharedBucket

LOGIN = "login"
"""Place name for the nodes that users log in to: the login nodes or, in a cluster without login nodes, the head
node."""

Access = Literal["read", "write"]


def places(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return every place to which access can be granted: `login` and all queue names."""
    return tuple(dict.fromkeys((LOGIN, *(queue.name for queue in cluster.queues))))


def bucket_access(bucket: SharedBucket, place: str) -> Access | None:
    """Return the access that users and jobs at `place` have to the bucket, or None if they have no access.

    `write` includes reading and deleting.
    """
    readable = bucket.read_from is None or place in bucket.read_from
    writable = readable if bucket.write_from is None else place in bucket.write_from
    return "write" if writable else "read" if readable else None
