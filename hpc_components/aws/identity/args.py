from collections.abc import Collection

from hpc_components.aws.identity.component import NodeIdentityArgs
from hpc_components.aws.identity.policies import arn
from hpc_components.aws.organizations.args import lendable_roles
from hpc_components.aws.ports import BucketAccess, BucketRef, Identity
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.spec.bucket_access import LOGIN, bucket_access


def identity_args(
    cluster: AwsClusterSpec, place: str | None, buckets: Collection[BucketRef], tags: Tags, *, launches: bool = False
) -> NodeIdentityArgs:
    """Return the arguments for the roles of the nodes in `place`: a queue's name, `LOGIN`, or None for nodes without
    users. `launches` specifies whether the node launches others.
    """
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    return NodeIdentityArgs(
        queue=None if place == LOGIN else place,
        buckets=BucketAccess(read=read, write=write) if read or write else None,
        organizations=lendable_roles(cluster, place),
        launch_denial=launches and cluster.budget is not None and cluster.budget.stop_launches,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )


def existing_identity(profile: str, role: str | None) -> Identity:
    """Return an existing identity. If `role` is None, the role is assumed to have the same name as the profile, as it
    does if the AWS console created both.
    """
    return Identity(instance_profile=profile, role_arn=role or arn("iam", f"role/{profile}", region=""))
