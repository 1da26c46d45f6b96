"""Rules on conflicts between a new network's range and the addresses of its clients and servers."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Network

from hpc_components.spec.address_ranges import PRIVATE_RANGES, free_range, is_public
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.rule import rule


@rule("HPC-NET-050", Level.WARNING)
def answers_leave_the_network(cluster: ClusterSpec) -> Iterator[Problem]:
    """A new network's range should not overlap the ranges of sites that connect to it.

    A network routes its own addresses to itself, so a campus host with one of those addresses gets no answer, even
    over a VPN or peering; peering with overlapping ranges is refused. If a wide range such as 10.0.0.0/8 contains the
    cluster's range, only the overlap is unreachable, so this is for information. Source: Amazon VPC user guide,
    "Route tables", local route; VPC peering guide, overlapping CIDR blocks; Azure documentation, "Virtual network
    traffic routing"; VPC documentation of Google Cloud, "Routes", subnet routes.
    """
    own = cluster.network.cidr
    for index, theirs in enumerate(cluster.network.ssh_from if own is not None else ()):
        private = any(theirs.subnet_of(one) for one in PRIVATE_RANGES)
        if own is None or not private or not own.overlaps(theirs):
            continue
        inside = theirs.subnet_of(own)
        better = free_range(cluster.name, cluster.network.ssh_from)
        apart = not any(IPv4Network(better).overlaps(each) for each in cluster.network.ssh_from)
        proposed = str(next(IPv4Network(better).subnets(new_prefix=max(16, own.prefixlen))))
        yield Problem(
            path=("network", "ssh_from", index),
            places=(("network", "ssh_from", index), ("network", "cidr")),
            value=str(theirs),
            reason=f"hosts of {theirs} with an address in {own} get no answer: the cluster's network routes its own"
            " addresses to itself",
            remedy=f"give the network another range: network.cidr: {proposed}"
            if apart
            else f"make sure that no host there has an address in {own}",
            fix=(Change(("network", "cidr"), proposed),) if apart and inside else (),
            level=None if inside else Level.INFO,
        )


@rule("HPC-NET-051", Level.ERROR)
def hosts_are_somewhere(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing servers must not have addresses in the new network.

    A new network contains no hosts before the cluster is created, so nodes would wait for a host that can't exist. An
    accounting database at another network's private address is unreachable until the networks are connected; as for
    file systems (HPC-MNT-007), that is a warning. Source: the same as for HPC-NET-050.
    """
    cidr = cluster.network.cidr
    for path, host, what in _hosts(cluster) if cidr is not None else ():
        address = _address(host)
        if address is None or cidr is None:
            continue
        if address in cidr:
            yield Problem(
                path=path,
                value=host,
                reason=f"{host} is in {cidr}, the network that is made for this cluster: {what} can't be there yet",
                remedy="put the cluster into the network of that host (network.existing in place of cidr), or give"
                " the new network a range without it",
            )
        elif path[0] == "slurm" and not is_public(IPv4Network(address)):
            yield Problem(
                path=path,
                value=host,
                reason=f"{host} is in another network than {cidr}, which is made for this cluster: the head node has"
                " no route to it",
                remedy="put the cluster into its network (network.existing), or connect the two by peering before the"
                " head node boots, and silence this",
                level=Level.WARNING,
            )


def _hosts(cluster: ClusterSpec) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, host, service name) for each existing host in the description."""
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is not None:
        yield ("slurm", "accounting", "database", "host"), database.host, "the database"
    for name, store in cluster.storage.items():
        if store.mounted is not None:
            yield ("storage", name, "existing"), store.mounted.identity[0], "the file system"
    if source := cluster.slurm.package_source:
        host = re.match(r"https?://([^/:]+)", source)
        if host:
            yield ("slurm", "package_source"), host[1], "the package archive"


def _address(host: str) -> IPv4Address | None:
    try:
        return IPv4Address(host)
    except AddressValueError:
        return None
