from collections.abc import Mapping

from pulumi import Input

from hpc_components.aws.home.model import Efs
from hpc_components.aws.lustre.model import Lustre
from hpc_components.aws.network.component import VpcArgs
from hpc_components.aws.network.model import AwsExistingNetwork
from hpc_components.aws.ports import Network, SecurityGroupIds
from hpc_components.aws.security_groups.component import SecurityGroupsArgs
from hpc_components.aws.security_groups.security_rules import Role
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags


def vpc_args(cluster: AwsClusterSpec, tags: Tags) -> VpcArgs:
    network = cluster.network
    return VpcArgs(
        cidr=str(network.cidr),
        zones=cluster.zones,
        nat=network.nat,
        nat_zone=cluster.zone if network.nat == "one" else None,
        endpoints=network.endpoints,
        flow_logs_days=int(network.flow_logs.days) if network.flow_logs else None,
        ssh_from=tuple(map(str, network.ssh_from)),
        ssh_to=ssh_roles(cluster),
        efa_storage=uses_efa_storage(cluster),
        retain=retains_storage(cluster),
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )


def ssh_roles(cluster: AwsClusterSpec) -> tuple[Role, ...]:
    """Return the node roles that `network.ssh_from` may reach directly."""
    return ("head",) if cluster.head_node.public else ()


def security_groups_args(cluster: AwsClusterSpec, existing: AwsExistingNetwork, tags: Tags) -> SecurityGroupsArgs:
    return SecurityGroupsArgs(
        vpc_id=existing.vpc,
        vpc_cidr=str(existing.cidr),
        ssh_from=tuple(map(str, cluster.network.ssh_from)),
        ssh_to=ssh_roles(cluster),
        efa_storage=uses_efa_storage(cluster),
        retain=retains_storage(cluster),
        tags=tags,
    )


def existing_network(
    existing: AwsExistingNetwork, groups: SecurityGroupIds, zone_names: Mapping[str, Input[str]]
) -> Network:
    return Network(
        id=existing.vpc,
        cidr=str(existing.cidr),
        private_subnets={zone: subnet.id for zone, subnet in existing.private.items()},
        public_subnets={zone: subnet.id for zone, subnet in existing.public.items()},
        security_groups=groups,
        zone_names=zone_names,
    )


def retains_storage(cluster: AwsClusterSpec) -> bool:
    """Return whether destroying the stack leaves file systems in the network."""
    new = (one for one in cluster.storage.values() if not isinstance(one, Efs) and one.existing is None)
    return not cluster.throw_away and any(new)


def uses_efa_storage(cluster: AwsClusterSpec) -> bool:
    return any(isinstance(one, Lustre) and one.efa for one in cluster.storage.values())
