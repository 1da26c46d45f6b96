"""Rules on an existing network."""

import re
from collections.abc import Iterator
from itertools import combinations

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.network import AwsExistingNetwork
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.network import ExistingSubnet
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._ranges import unroutable

__all__: list[str] = []

_BELOW: Path = ("network", "existing")


def _subnets(existing: AwsExistingNetwork) -> Iterator[tuple[Path, ExistingSubnet]]:
    for kind, subnets in (("private", existing.private), ("public", existing.public)):
        for zone, subnet in subnets.items():
            yield (*_BELOW, kind, zone), subnet


@rule("HPC-NET-008", Level.ERROR)
def private_subnets(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing network has a private subnet in every zone of the cluster.

    Compute nodes, storage and whatever is not public live there.
    """
    existing = cluster.network.existing
    for zone in cluster.zones if existing else ():
        if existing and zone not in existing.private:
            yield Problem(
                path=(*_BELOW, "private"),
                reason=f"there is no private subnet in {zone}, where the cluster has nodes",
                remedy=f"add private: {{{zone}: {{id: subnet-..., cidr: ...}}}}, or leave {zone} out of zones",
            )


@rule("HPC-NET-009", Level.ERROR)
def public_subnets(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing network has a public subnet for each public node and load balancer.

    No subnet is made in a network that is not ours, and from a private one, without a route to an internet gateway, a
    public address is not reached. Source: Amazon VPC user guide, "Internet gateways".
    """
    existing = cluster.network.existing
    if existing is None:
        return
    wanted = [(("head_node", "public"), cluster.zone)] if cluster.head_node.public else []
    if cluster.login_nodes and cluster.login_nodes.public:
        wanted += [(("login_nodes", "public"), zone) for zone in cluster.login_nodes.zones or (cluster.zone,)]
    for path, zone in wanted:
        if zone not in existing.public:
            yield Problem(
                path=path,
                value=True,
                reason=f"it is public, and network.existing has no public subnet in {zone}",
                remedy=f"add network.existing.public: {{{zone}: {{id: subnet-..., cidr: ...}}}}, or public: false",
            )


@rule("HPC-NET-010", Level.WARNING)
def subnets_inside(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Existing subnets lie within the network's range.

    A VPC may have secondary ranges, so this is not always wrong; but rules that are made for `cidr` leave nodes
    outside of it out.
    """
    existing = cluster.network.existing
    for path, subnet in _subnets(existing) if existing else ():
        if existing and not subnet.cidr.subnet_of(existing.cidr):
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} is not within the network's range {existing.cidr}",
                remedy="compare both with the VPC; if it is a secondary range, own security_groups must let it in",
            )


@rule("HPC-NET-011", Level.ERROR)
def subnets_apart(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Existing subnets do not overlap.

    Those of one VPC never do, so one of them is written wrongly, or listed as private and as public.
    """
    existing = cluster.network.existing
    for (first, one), (second, other) in combinations(_subnets(existing) if existing else (), 2):
        if one.cidr.overlaps(other.cidr):
            yield Problem(
                path=(*second, "cidr"),
                value=str(other.cidr),
                reason=f"{other.cidr} overlaps {one.cidr} of {first[-2]} {first[-1]}",
                remedy="write the range that the VPC console shows for this subnet",
            )


@rule("HPC-NET-026", Level.ERROR)
def possible_range(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing VPC's range is one that a VPC can have.

    AWS takes none of link-local, loopback or multicast addresses, so the range is that of something else. Source:
    Amazon VPC user guide, "VPC CIDR blocks", restrictions.
    """
    existing = cluster.network.existing
    if existing is not None and (what := unroutable(existing.cidr)) is not None:
        yield Problem(
            path=(*_BELOW, "cidr"),
            value=str(existing.cidr),
            reason=f"no VPC has {existing.cidr}: {what}",
            remedy=f"write what `aws ec2 describe-vpcs --vpc-ids {existing.vpc}` shows",
        )


@rule("HPC-NET-012", Level.ERROR)
def subnet_sizes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Existing subnets are a /16 to /27.

    A VPC has none larger; in a smaller one there is no room for fixed addresses: the head node has the twentieth.
    """
    existing = cluster.network.existing
    for path, subnet in _subnets(existing) if existing else ():
        if not 16 <= subnet.cidr.prefixlen <= 27:
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} has {subnet.cidr.num_addresses} addresses, a subnet here has 32 to 65,536",
                remedy="write the subnet's true range, or use a subnet of at least a /27",
            )


@rule("HPC-NET-013", Level.ERROR)
def network_ids(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Ids of an existing VPC and its subnets are written as AWS writes them, and no subnet is named twice.

    With a subnet named twice, nodes would be where nobody expects them: in another zone, or public. Source: EC2
    user guide, "Resource IDs": 8 or 17 hexadecimal digits.
    """
    existing = cluster.network.existing
    if existing is None:
        return
    seen: dict[str, Path] = {}
    for prefix, path, id in (
        ("vpc", (*_BELOW, "vpc"), existing.vpc),
        *(("subnet", (*path, "id"), subnet.id) for path, subnet in _subnets(existing)),
    ):
        if not re.fullmatch(rf"{prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})", id):
            yield Problem(
                path=path,
                value=id,
                reason=f"{id!r} is not the id of a {'VPC' if prefix == 'vpc' else prefix}",
                remedy=f"write it like {prefix}-0123456789abcdef0",
            )
        elif seen.setdefault(id, path) != path:
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} is the subnet of {seen[id][-3]} {seen[id][-2]} too",
                remedy="name a subnet of its own",
            )


@rule("HPC-NET-014", Level.WARNING)
def without_effect(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """In an existing network, nothing is asked for that would change it.

    Gateways, endpoints and flow logs are made in a network of our own only.
    """
    network = cluster.network
    for key in ("nat", "endpoints", "flow_logs"):
        if network.existing and network.given(key):
            yield Problem(
                path=("network", key),
                reason=f"{key} has no effect: nothing is changed in the network {network.existing.vpc}",
                remedy=f"remove it, and see to it in the VPC that nodes have what they need ({key})",
            )
