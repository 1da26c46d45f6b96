import json
from collections.abc import Collection, Mapping

from pulumi import Input, Output

from hpc_components.aws.identity.policies import roles_below
from hpc_components.aws.organizations.component import Organization, OrganizationArgs
from hpc_components.aws.organizations.model import common_access, places_of, with_roles
from hpc_components.aws.ports import BucketAccess, BucketRef, Identities
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags


def organization_args(
    cluster: AwsClusterSpec, name: str, shared: Collection[BucketRef], nodes: Mapping[str, Identities], tags: Tags
) -> OrganizationArgs:
    """Return the arguments for an organization's own resources. `nodes` maps places to the identities of nodes."""
    one = cluster.organizations[name]
    may = [(bucket, common_access(cluster, name, bucket.name)) for bucket in shared]
    more = {"hpc:organization": name} | ({"CostCenter": one.cost_center} if one.cost_center else {})
    return OrganizationArgs(
        organization=name,
        lent_by=tuple(nodes[place].own.role_arn for place in places_of(cluster, name)),
        shared=BucketAccess(
            read=tuple(bucket for bucket, what in may if what == "read"),
            write=tuple(bucket for bucket, what in may if what == "write"),
        ),
        bucket=one.bucket,
        external_role=one.external_role,
        role_path=_role_path(cluster, name),
        permissions_boundary=cluster.iam.permissions_boundary,
        retain=not cluster.throw_away,
        tags=Tags(tags.cluster, {**tags.extra, **more}),
    )


def lendable_roles(cluster: AwsClusterSpec, place: str | None) -> tuple[str, ...]:
    """Return patterns of the roles that nodes in `place` may lend to people of organizations."""
    return tuple(
        roles_below(_role_path(cluster, name)) for name in with_roles(cluster) if place in places_of(cluster, name)
    )


def roles_file(cluster: AwsClusterSpec, made: Mapping[str, Organization]) -> Input[str]:
    """Return the file by which nodes find the role of a user: it maps ids of groups to ARNs."""
    roles = {str(cluster.organizations[name].gid): one.role_arn for name, one in made.items()}
    return Output.all(**roles).apply(lambda known: json.dumps(known, indent=1, sort_keys=True) + "\n")


def _role_path(cluster: AwsClusterSpec, name: str) -> str:
    return f"{cluster.iam.role_path}{cluster.name}/organizations/{name}/"
