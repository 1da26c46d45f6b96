"""Rules for conflicts between a new network's address range and the addresses of existing clients and servers."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from urllib.parse import urlsplit

from hpc_components.spec.address_ranges import PRIVATE_RANGES, free_range, is_public
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.rule import rule


@rule("HPC-NET-050", Level.WARNING)
def answers_leave_the_network(cluster: ClusterSpec) -> Iterator[Problem]:
    """A new network's range should not overlap the address ranges of sites that connect to it.

    Traffic to an address within the network's range never leaves the network. A campus host with such an address
    therefore gets no response, even over a VPN or peering connection, and clouds refuse to peer networks with
    overlapping ranges. If a site's range is wide, such as 10.0.0.0/8, and contains the cluster's range, only the
    overlapping addresses are unreachable, so the finding is informational. Source: Amazon VPC user guide, "Route
    tables", local route; VPC peering guide, overlapping CIDR blocks; Azure documentation, "Virtual network traffic
    routing"; VPC documentation of Google Cloud, "Routes", subnet routes.
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
            reason=f"hosts in {theirs} whose address is also in {own} get no response: the cluster's network keeps "
            "traffic for its own range",
            remedy=f"use another range for the network, e.g. network.cidr: {proposed}"
            if apart
            else f"make sure that none of the site's hosts has an address in {own}",
            fix=(Change(("network", "cidr"), proposed),) if apart and inside else (),
            level=None if inside else Level.INFO,
        )


@rule("HPC-NET-051", Level.ERROR)
def hosts_are_somewhere(cluster: ClusterSpec) -> Iterator[Problem]:
    """Existing servers must not have addresses in a new network's range.

    A new network contains no hosts before the cluster is created, so nodes would wait for a host that can't exist. An
    accounting database with a private address in another network is unreachable until the two networks are connected,
    so the rule warns about such an address, as HPC-MNT-007 does for file systems. Source: the same as for
    HPC-NET-050.
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
                reason=f"{host} is in {cidr}, the range of the cluster's new network, which can't contain {what} yet",
                remedy="put the cluster into that host's network (network.existing instead of cidr), or choose a "
                "range for the new network that doesn't contain the host's address",
            )
        elif path[0] == "slurm" and not is_public(IPv4Network(address)):
            yield Problem(
                path=path,
                value=host,
                reason=f"{host} is outside the cluster's new network ({cidr}), so the head node has no route to it",
                remedy="put the cluster into that host's network (network.existing), or peer the two networks "
                "before the head node boots, and silence this rule",
                level=Level.WARNING,
            )


def _hosts(cluster: ClusterSpec) -> Iterator[tuple[Path, str, str]]:
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is not None:
        yield ("slurm", "accounting", "database", "host"), database.host, "the database"
    directory = cluster.directory
    for index, server in enumerate(directory.servers if directory else ()):
        if host := urlsplit(server).hostname:
            yield ("people", "directory", "servers", index), host, "the directory"
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
