from collections.abc import Collection

from hpc_components.azure.identity.component import NodeIdentityArgs
from hpc_components.azure.ports import BucketAccess, BucketRef, Group
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.spec.bucket_access import bucket_access


def identity_args(
    cluster: AzureClusterSpec, place: str | None, buckets: Collection[BucketRef], group: Group, tags: Tags
) -> NodeIdentityArgs:
    """Return the arguments for the identity of the nodes at `place`.

    `place` is a queue's name, `login` for the nodes where users log in, or None for nodes that have neither users nor
    jobs.
    """
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    access = BucketAccess(read=read, write=write) if read or write else None
    return NodeIdentityArgs(group=group, buckets=access, tags=tags)
