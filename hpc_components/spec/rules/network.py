"""Rules on the network's range and on who may reach it."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []

PRIVATE_RANGES = tuple(
    IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
"""RFC 1918, and the shared addresses of RFC 6598, which a VPC takes as well."""

OPEN_PREFIX = 8
"""A range of at least 16.7 million public addresses is nobody's site: it is called open to the world."""


@rule("HPC-NET-001", Level.ERROR)
def one_network(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A network is either made for the cluster (`cidr`) or there already (`existing`).

    With both it is not clear which one is meant, with neither there is none.
    """
    network = cluster.network
    if (network.cidr is None) == (network.existing is None):
        both = network.cidr is not None
        yield Problem(
            path=("network", "existing" if both else "cidr"),
            reason="the network has both cidr and existing" if both else "the network has neither cidr nor existing",
            remedy="remove one of them" if both else "add cidr: 10.20.0.0/16 for a new network, or existing: {...}",
        )


@rule("HPC-NET-002", Level.ERROR)
def private_range(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The range of a new network is private.

    Inside a VPC with somebody else's public addresses, the hosts that really have them can't be reached. Source: RFC
    1918, RFC 6598; Amazon VPC user guide, "VPC CIDR blocks".
    """
    cidr = cluster.network.cidr
    if cidr is not None and not any(cidr.subnet_of(private) for private in PRIVATE_RANGES):
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=f"{cidr} is not within a private range",
            remedy=f"use a part of {', '.join(map(str, PRIVATE_RANGES))}, e.g. 10.20.0.0/16",
        )


@rule("HPC-NET-003", Level.ERROR)
def range_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The range of a new network is a /16 to /20.

    A VPC takes at most a /16; a range smaller than a /20 can't be cut into a public and a private subnet for each of
    seven zones. Source: Amazon VPC user guide, "VPC CIDR blocks"; the address plan of `spec/addresses.py`.
    """
    cidr = cluster.network.cidr
    if cidr is None or 16 <= cidr.prefixlen <= 20:
        return
    if cidr.prefixlen > 20:
        reason, better = "is too small to be cut into the subnets of all zones", cidr.supernet(new_prefix=20)
    else:
        reason, better = "is larger than a VPC can be", IPv4Network(f"{cidr.network_address}/16")
    yield Problem(
        path=("network", "cidr"),
        value=str(cidr),
        reason=f"{cidr} {reason}",
        remedy=f"use a /16 to /20, e.g. {better}",
    )


@rule("HPC-NET-004", Level.WARNING)
def ssh_open(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """SSH is not open to the world.

    Every address on the internet is tried by password guessers within minutes. Session Manager needs no open port.
    """
    for index, cidr in enumerate(cluster.network.ssh_from):
        if cidr.prefixlen < OPEN_PREFIX:
            yield Problem(
                path=("network", "ssh_from", index),
                value=str(cidr),
                reason=f"SSH is open to {cidr.num_addresses:,} addresses",
                remedy="name your site's ranges, e.g. 203.0.113.0/24, or use Session Manager and leave ssh_from out",
            )


@rule("HPC-NET-005", Level.WARNING)
def ssh_to_nothing(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Public ranges in `ssh_from` have something public to reach.

    Private nodes are reached from private ranges only: over a VPN, Direct Connect or peering.
    """
    if cluster.head_node.public or (cluster.login_nodes and cluster.login_nodes.public):
        return
    for index, cidr in enumerate(cluster.network.ssh_from):
        if not any(cidr.subnet_of(private) for private in PRIVATE_RANGES):
            yield Problem(
                path=("network", "ssh_from", index),
                value=str(cidr),
                reason=f"{cidr} is on the internet, and neither the head node nor the login nodes are public",
                remedy="add public: true to login_nodes or head_node, or name the private ranges behind your VPN",
            )


@rule("HPC-NET-006", Level.WARNING)
def public_unreachable(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Who may reach a public head node is told.

    A public address is paid for by the hour; without `ssh_from` its firewall lets nobody in. For public login nodes,
    which are for nothing else, this is an error, HPC-LOG-003. Source: Amazon VPC pricing, public IPv4 addresses.
    """
    if cluster.head_node.public and not cluster.network.ssh_from:
        yield Problem(
            path=("head_node", "public"),
            value=True,
            reason="head_node is public, but network.ssh_from lets nobody in",
            remedy="add your site's range to network.ssh_from, or remove public: true and use Session Manager",
        )
