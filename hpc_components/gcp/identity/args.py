from collections.abc import Collection

from hpc_components.gcp.identity.component import NodeIdentityArgs
from hpc_components.gcp.ports import (
    BucketAccess,
    BucketRef,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.bucket_access import bucket_access


def identity_args(cluster: GcpClusterSpec, place: str | None, buckets: Collection[BucketRef]) -> NodeIdentityArgs:
    """Return the arguments for the service accounts of one group of nodes.

    `place` is the name of a queue or of the login nodes, or None for nodes without users.
    """
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    access = BucketAccess(read=read, write=write) if read or write else None
    return NodeIdentityArgs(project=cluster.project, buckets=access)
