"""Converts a description to the arguments for the nodes' roles."""

from collections.abc import Collection

from hpc_components.aws.identity.component import NodeIdentityArgs
from hpc_components.aws.identity.policies import arn
from hpc_components.aws.ports import BucketAccess, BucketRef, Identity
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.spec.bucket_access import LOGIN, bucket_access


def identity_args(
    cluster: AwsClusterSpec, place: str | None, buckets: Collection[BucketRef], tags: Tags
) -> NodeIdentityArgs:
    """Return the arguments for the roles at `place`: a queue, `LOGIN`, or None for nodes with no users."""
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    return NodeIdentityArgs(
        queue=None if place == LOGIN else place,
        buckets=BucketAccess(read=read, write=write) if read or write else None,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )


def existing_identity(profile: str, role: str | None) -> Identity:
    """Return an existing identity. Default role: one named like the profile, as created by the AWS console."""
    return Identity(instance_profile=profile, role_arn=role or arn("iam", f"role/{profile}", region=""))
