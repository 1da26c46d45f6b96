from collections.abc import Iterator
from itertools import combinations

from hpc_components.catalog.clouds import catalog_of
from hpc_components.cloud import cloud_named
from hpc_components.spec.address_ranges import unroutable
from hpc_components.spec.addresses import MAX_PREFIX_LENGTH
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of

_BELOW: Path = ("network", "existing")


@rule("HPC-NET-008", Level.ERROR)
def private_subnets(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing network must have a subnet for the nodes in every zone.

    On clouds with zonal subnets, such as AWS, each of the cluster's zones needs a subnet; elsewhere, the cluster's
    region needs one. Compute nodes, storage and everything else that is not public are placed in these subnets.
    """
    existing, id = cluster.network.existing, words_of(cluster).subnet_id
    for place in cluster.subnet_places if existing else ():
        if existing and place not in existing.private:
            fewer = f", or remove {place} from zones" if cloud_named(cluster.cloud).zonal_subnets else ""
            yield Problem(
                path=(*_BELOW, "private"),
                reason=f"there is no private subnet in {place}, where the cluster has nodes",
                remedy=f"add private: {{{place}: {{id: {id}, cidr: ...}}}}{fewer}",
            )


@rule("HPC-NET-010", Level.WARNING)
def subnets_inside(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing subnets should be within the network's range.

    A network may have several ranges, so a subnet outside `cidr` isn't always wrong. But the firewall rules are based
    on `cidr` and don't admit nodes outside that range.
    """
    existing = cluster.network.existing
    for path, subnet in _subnets(existing) if existing else ():
        if existing and not subnet.cidr.subnet_of(existing.cidr):
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} is not within the network's range {existing.cidr}",
                remedy=f"check both ranges against the actual ranges of the {words_of(cluster).network}; if the "
                f"subnet is in a secondary range, {existing.let_in_by} must admit that range",
            )


@rule("HPC-NET-011", Level.ERROR)
def subnets_apart(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing subnets must not overlap.

    Subnets of the same network never overlap, so one of the ranges is wrong, or a subnet is listed twice.
    """
    existing = cluster.network.existing
    for (first, one), (second, other) in combinations(_subnets(existing) if existing else (), 2):
        if one.cidr.overlaps(other.cidr):
            yield Problem(
                path=(*second, "cidr"),
                value=str(other.cidr),
                reason=f"{other.cidr} overlaps {one.cidr}, the range of {first[-2]}.{first[-1]}",
                remedy=f"write the range that the {words_of(cluster).network} console shows for this subnet",
            )


@rule("HPC-NET-012", Level.ERROR)
def subnet_sizes(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing subnet must be large enough, and no larger than the cloud's maximum (on AWS a /16).

    A subnet for compute nodes must be at least a /27, because sixteen addresses are reserved for fixed assignment.
    The same applies to the head node's subnet, because the head node uses the twentieth address unless
    `head_node.address` specifies another. Other subnets may be as small as the cloud allows. Source: Amazon VPC user
    guide, "Subnet CIDR blocks": /28; Azure Virtual Network FAQ: /29; Google Cloud VPC documentation, "Subnets": /29.
    """
    existing, cloud = cluster.network.existing, cloud_named(cluster.cloud)
    most = 2 ** (32 - cloud.widest_subnet)
    for path, subnet in _subnets(existing) if existing else ():
        longest = MAX_PREFIX_LENGTH if _has_fixed_addresses(cluster, path, subnet) else cloud.narrowest_subnet
        if not cloud.widest_subnet <= subnet.cidr.prefixlen <= longest:
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} has {subnet.cidr.num_addresses} addresses, but this subnet must have "
                f"{2 ** (32 - longest)} to {most:,}",
                remedy=f"write the subnet's actual range, or use a subnet that is at least a /{longest}",
            )


def _has_fixed_addresses(cluster: ClusterSpec, path: Path, subnet: ExistingSubnet) -> bool:
    """Return whether the subnet is for compute nodes, or for a head node with a default address."""
    if "private" in path:
        return True
    try:
        return cluster.head_node.address is None and subnet.cidr == cluster.head_subnet
    except (KeyError, ValueError):
        return False


@rule("HPC-NET-052", Level.ERROR)
def login_subnet_has_room(cluster: ClusterSpec) -> Iterator[Problem]:
    """A separate login subnet must have an address for each login node and for a private load balancer.

    Source: Azure Virtual Network FAQ: five addresses of each subnet are reserved; Google Cloud VPC documentation,
    "Subnets": four.
    """
    existing, login = cluster.network.existing, cluster.login_nodes
    subnet = existing.login_subnet if existing else None
    if subnet is None or login is None:
        return
    needed = login.max + (0 if login.public else 1)
    kept = sum(cloud_named(cluster.cloud).kept_addresses)
    if needed + kept > subnet.cidr.num_addresses:
        yield Problem(
            path=(*_BELOW, "login", "cidr"),
            value=str(subnet.cidr),
            reason=f"{subnet.cidr} has {max(0, subnet.cidr.num_addresses - kept)} free addresses, but {login.max} "
            f"login nodes{'' if login.public else ' and their load balancer'} need {needed}",
            remedy=f"use a subnet that is at least a /{32 - (needed + kept - 1).bit_length()}",
        )


@rule("HPC-NET-013", Level.ERROR)
def network_ids(cluster: ClusterSpec) -> Iterator[Problem]:
    """Ids of an existing network and its subnets must have the cloud's format, and no id may be listed twice.

    If a subnet is listed twice, some nodes are created in the wrong place: in another zone, or in a public subnet.
    Source: on AWS, EC2 user guide, "Resource IDs": 8 or 17 hexadecimal digits.
    """
    existing = cluster.network.existing
    if existing is None:
        return
    seen: dict[str, Path] = {}
    for kind, path, id in (
        ("network", (*_BELOW, existing.id_key), existing.network_id),
        *(("subnet", (*path, "id"), subnet.id) for path, subnet in _subnets(existing)),
    ):
        if mistaken := catalog_of(cluster.cloud).id_mistake(kind, id, cluster.region):
            yield Problem(path=path, value=id, reason=mistaken.reason, remedy=mistaken.remedy)
        elif seen.setdefault(id, path) != path:
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} is also the id of {seen[id][-3]}.{seen[id][-2]}",
                remedy="specify a different subnet for one of the two",
            )


@rule("HPC-NET-014", Level.WARNING)
def without_effect(cluster: ClusterSpec) -> Iterator[Problem]:
    """A description should not request changes to an existing network.

    Gateways, endpoints and flow logs are created only in a new network.
    """
    network = cluster.network
    for key in network.made_only:
        if network.existing and network.given(key):
            yield Problem(
                path=("network", key),
                reason=f"{key} has no effect, because the existing network {network.existing.network_id} is not "
                "changed",
                remedy=f"remove this key, and make sure that the {words_of(cluster).network} provides what nodes "
                f"need ({key})",
            )


@rule("HPC-NET-026", Level.ERROR)
def possible_range(cluster: ClusterSpec) -> Iterator[Problem]:
    """The range of an existing network must be one that the cloud allows.

    Clouds refuse link-local, loopback and multicast ranges, so such a range must be a mistake. Source: on AWS, Amazon
    VPC user guide, "VPC CIDR blocks", restrictions.
    """
    existing = cluster.network.existing
    if existing is not None and (what := unroutable(existing.cidr)) is not None:
        yield Problem(
            path=(*_BELOW, "cidr"),
            value=str(existing.cidr),
            reason=f"a {words_of(cluster).network} can't have the range {existing.cidr}: {what}",
            remedy=f"write the range that {existing.shown_by} shows",
        )


def _subnets(existing: ExistingNetwork) -> Iterator[tuple[Path, ExistingSubnet]]:
    for path, subnet in existing.subnets():
        yield (*_BELOW, *path), subnet
