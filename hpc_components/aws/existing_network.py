"""A network that is there already: nothing in it is changed, at most security groups are added."""

import pulumi
import pulumi_aws as aws

from hpc_components.aws.from_spec.network import existing_network, security_groups_args
from hpc_components.aws.security_groups import SecurityGroups
from hpc_components.ports import Network, SecurityGroupIds, Tags
from hpc_components.spec.cluster import AwsClusterSpec

__all__ = ["adopt_network"]


def adopt_network(
    cluster: AwsClusterSpec, tags: Tags, opts: pulumi.ResourceOptions
) -> tuple[Network, list[pulumi.Resource]]:
    """The user's network as components take it, and what was added to it.

    Block volumes want a zone's name, which differs from account to account; the subnets tell it.
    """
    existing = cluster.network.existing
    assert existing is not None, "the cluster has a network of its own"
    names = {
        zone: aws.ec2.Subnet.get(f"{cluster.name}-existing-{zone}", subnet.id, opts=opts).availability_zone
        for zone, subnet in existing.private.items()
    }
    own = existing.security_groups
    if own is not None:
        ids = SecurityGroupIds(head=own.head, login=own.login, compute=own.compute, storage=own.storage)
        return existing_network(existing, ids, names), []
    groups = SecurityGroups(cluster.name, security_groups_args(cluster, existing, tags), opts)
    return existing_network(existing, groups.ids, names), [groups]
