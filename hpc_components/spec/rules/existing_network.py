"""Rules on an existing network."""

from collections.abc import Iterator
from itertools import combinations

from hpc_components.catalog.clouds import catalog_of
from hpc_components.cloud import cloud_named
from hpc_components.spec.address_ranges import unroutable
from hpc_components.spec.addresses import LONGEST_PREFIX
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of

__all__: list[str] = []

_BELOW: Path = ("network", "existing")


@rule("HPC-NET-008", Level.ERROR)
def private_subnets(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing network has a subnet for the nodes of every zone.

    Where subnets are of a zone, as on AWS, that is one for each zone of the cluster; else one for its region. Compute
    nodes, storage and whatever is not public live there.
    """
    existing, id = cluster.network.existing, words_of(cluster).subnet_id
    for place in cluster.subnet_places if existing else ():
        if existing and place not in existing.private:
            fewer = f", or leave {place} out of zones" if cloud_named(cluster.cloud).zonal_subnets else ""
            yield Problem(
                path=(*_BELOW, "private"),
                reason=f"there is no private subnet in {place}, where the cluster has nodes",
                remedy=f"add private: {{{place}: {{id: {id}, cidr: ...}}}}{fewer}",
            )


@rule("HPC-NET-010", Level.WARNING)
def subnets_inside(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing subnets lie within the network's range.

    A network may have several ranges, so this is not always wrong; but firewall rules that are made for `cidr` leave
    nodes outside of it out.
    """
    existing = cluster.network.existing
    for path, subnet in _subnets(existing) if existing else ():
        if existing and not subnet.cidr.subnet_of(existing.cidr):
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} is not within the network's range {existing.cidr}",
                remedy=f"compare both with the {words_of(cluster).network}; if it is a secondary range, "
                f"{existing.let_in_by} must let it in",
            )


@rule("HPC-NET-011", Level.ERROR)
def subnets_apart(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing subnets do not overlap.

    Those of one network never do, so one of them is written wrongly, or is listed twice.
    """
    existing = cluster.network.existing
    for (first, one), (second, other) in combinations(_subnets(existing) if existing else (), 2):
        if one.cidr.overlaps(other.cidr):
            yield Problem(
                path=(*second, "cidr"),
                value=str(other.cidr),
                reason=f"{other.cidr} overlaps {one.cidr} of {first[-2]} {first[-1]}",
                remedy=f"write the range that the {words_of(cluster).network} console shows for this subnet",
            )


@rule("HPC-NET-012", Level.ERROR)
def subnet_sizes(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing subnets are a /27 at least, and not larger than the cloud makes them (on AWS a /16).

    In a smaller one there is no room for fixed addresses: the head node has the twentieth. Source: on AWS, Amazon VPC
    user guide, "Subnet CIDR blocks".
    """
    existing, widest = cluster.network.existing, cloud_named(cluster.cloud).widest_subnet
    least, most = 2 ** (32 - LONGEST_PREFIX), 2 ** (32 - widest)
    for path, subnet in _subnets(existing) if existing else ():
        if not widest <= subnet.cidr.prefixlen <= LONGEST_PREFIX:
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} has {subnet.cidr.num_addresses} addresses, a subnet here has {least} to "
                f"{most:,}",
                remedy="write the subnet's true range, or use a subnet of at least a /27",
            )


@rule("HPC-NET-013", Level.ERROR)
def network_ids(cluster: ClusterSpec) -> Iterator[Problem]:
    """Ids of an existing network and its subnets are written as the cloud writes them, and no subnet is named twice.

    With a subnet named twice, nodes would be where nobody expects them: in another zone, or public. Source: on AWS,
    EC2 user guide, "Resource IDs": 8 or 17 hexadecimal digits.
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
                reason=f"{id} is the subnet of {seen[id][-3]} {seen[id][-2]} too",
                remedy="name a subnet of its own",
            )


@rule("HPC-NET-014", Level.WARNING)
def without_effect(cluster: ClusterSpec) -> Iterator[Problem]:
    """In an existing network, nothing is asked for that would change it.

    Gateways, endpoints and logs of connections are made in a network of the cluster's own only.
    """
    network = cluster.network
    for key in network.made_only:
        if network.existing and network.given(key):
            yield Problem(
                path=("network", key),
                reason=f"{key} has no effect: nothing is changed in the network {network.existing.network_id}",
                remedy=f"remove it, and see to it in the {words_of(cluster).network} that nodes have what they need "
                f"({key})",
            )


@rule("HPC-NET-026", Level.ERROR)
def possible_range(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing network's range is one that a network can have.

    Clouds take none of link-local, loopback or multicast addresses, so the range is that of something else. Source:
    on AWS, Amazon VPC user guide, "VPC CIDR blocks", restrictions.
    """
    existing = cluster.network.existing
    if existing is not None and (what := unroutable(existing.cidr)) is not None:
        yield Problem(
            path=(*_BELOW, "cidr"),
            value=str(existing.cidr),
            reason=f"no {words_of(cluster).network} has {existing.cidr}: {what}",
            remedy=f"write what {existing.shown_by} shows",
        )


def _subnets(existing: ExistingNetwork) -> Iterator[tuple[Path, ExistingSubnet]]:
    for path, subnet in existing.subnets():
        yield (*_BELOW, *path), subnet
