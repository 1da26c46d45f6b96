from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.spec.address_ranges import PRIVATE_RANGES, is_public, unroutable
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.network import Network
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of
from hpc_components.wording import any_of

DOCKER = IPv4Network("172.17.0.0/16")
"""Default address range of Docker's bridge network."""

OPEN_PREFIX = 8
"""Prefix length of the largest range that a single site could own. Larger ranges are considered open to the world."""


@rule("HPC-NET-001", Level.ERROR)
def one_network(cluster: ClusterSpec) -> Iterator[Problem]:
    """The network must be either new (`cidr`) or existing (`existing`).

    With both keys, it is unclear which network to use; with neither, the cluster has no network.
    """
    network = cluster.network
    if (network.cidr is None) == (network.existing is None):
        both = network.cidr is not None
        yield Problem(
            path=("network", "existing" if both else "cidr"),
            reason="network specifies both cidr and existing"
            if both
            else "network specifies neither cidr nor existing",
            remedy="remove network.cidr or network.existing"
            if both
            else "add cidr: 10.20.0.0/16 for a new network, or existing: {...}",
        )


@rule("HPC-NET-002", Level.ERROR)
def private_range(cluster: ClusterSpec) -> Iterator[Problem]:
    """A new network's range must be private.

    Nodes in a network that uses someone else's public addresses can't reach the real hosts at those addresses.
    Source: RFC 1918, RFC 6598; Amazon VPC user guide, "VPC CIDR blocks".
    """
    cidr = cluster.network.cidr
    if cidr is not None and not any(cidr.subnet_of(private) for private in PRIVATE_RANGES):
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=f"{cidr} is not within a private range",
            remedy=f"use a part of {', '.join(map(str, PRIVATE_RANGES))}, e.g. 10.20.0.0/16",
        )


@rule("HPC-NET-004", Level.WARNING)
def ssh_open(cluster: ClusterSpec) -> Iterator[Problem]:
    """SSH should not be open to the world.

    Every SSH server that is open to the internet is attacked within minutes. Session Manager on AWS and its
    counterparts on other clouds need no open port.
    """
    for index, cidr in enumerate(cluster.network.ssh_from):
        if cidr.prefixlen < OPEN_PREFIX:
            yield Problem(
                path=("network", "ssh_from", index),
                value=str(cidr),
                reason=f"SSH is open to {cidr.num_addresses:,} addresses",
                remedy="list only your site's ranges, e.g. 203.0.113.0/24, or remove ssh_from and use "
                f"{words_of(cluster).shell}",
            )


@rule("HPC-NET-005", Level.WARNING)
def ssh_to_nothing(cluster: ClusterSpec) -> Iterator[Problem]:
    """If `ssh_from` contains public ranges, the head node or the login nodes should be public.

    Private nodes can be reached only from private ranges, over a VPN, Direct Connect or peering.
    """
    if cluster.head_node.public or (cluster.login_nodes and cluster.login_nodes.public):
        return
    for index, cidr in enumerate(cluster.network.ssh_from):
        if is_public(cidr):
            yield Problem(
                path=("network", "ssh_from", index),
                value=str(cidr),
                reason=f"{cidr} is on the internet, but neither the head node nor the login nodes are public",
                remedy="add public: true to login_nodes or head_node, or list the private ranges behind your VPN",
            )


@rule("HPC-NET-006", Level.WARNING)
def public_unreachable(cluster: ClusterSpec) -> Iterator[Problem]:
    """If the head node is public, `ssh_from` should contain a public range.

    A public address is billed by the hour, but without a public range in `ssh_from`, the security group blocks all
    clients on the internet. For public login nodes, this is an error (HPC-LOG-003). Source: Amazon VPC pricing,
    public IPv4 addresses.
    """
    allowed = cluster.network.ssh_from
    if cluster.head_node.public and not any(map(is_public, allowed)):
        yield Problem(
            path=("head_node", "public"),
            value=True,
            reason="head_node is public, but network.ssh_from admits only private addresses: "
            f"{any_of(map(str, allowed))}"
            if allowed
            else "head_node is public, but network.ssh_from is empty",
            remedy="add your site's public range to network.ssh_from, or remove public: true and use "
            + ("your VPN or peering" if allowed else words_of(cluster).shell),
        )


@rule("HPC-NET-024", Level.ERROR)
def ssh_from_possible(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each range in `ssh_from` must be a possible source of connections, and must be listed only once.

    `0.0.0.0` without a prefix is a single address that no host has; `0.0.0.0/0` is the whole internet. No connection
    can come from a loopback (127/8), link-local (169.254/16) or multicast address. A security group can't contain the
    same rule twice. Source: RFC 6890; EC2 API reference, AuthorizeSecurityGroupIngress.
    """
    seen = set()
    for index, cidr in enumerate(cluster.network.ssh_from):
        if (what := unroutable(cidr)) is not None:
            reason = f"no connection can come from {cidr}: {what}"
            remedy = "name your site's addresses, e.g. 198.51.100.0/24; the whole internet is 0.0.0.0/0"
        elif cidr in seen:
            reason, remedy = f"{cidr} is listed twice", "remove the duplicate"
        else:
            seen.add(cidr)
            continue
        yield Problem(path=("network", "ssh_from", index), value=str(cidr), reason=reason, remedy=remedy)


@rule("HPC-NET-025", Level.WARNING)
def range_of_others(cluster: ClusterSpec) -> Iterator[Problem]:
    """The network should not overlap 172.17.0.0/16.

    On each node, Docker uses this range for containers. SageMaker and Cloud9 use the range as well. Unless Docker is
    configured with a different range, a node with Docker can't reach hosts in the network that have addresses in this
    range. Source: Amazon VPC user guide, "VPC CIDR blocks"; Docker's documentation, bridge network.
    """
    for path, cidr in _used(cluster.network):
        if cidr.overlaps(DOCKER):
            yield Problem(
                path=path,
                value=str(cidr),
                reason=f"{cidr} overlaps {DOCKER}, which Docker uses for containers: nodes with Docker can't reach "
                "hosts in the network that have addresses in both ranges",
                remedy="use another range, e.g. 10.20.0.0/16"
                if path == ("network", "cidr")
                else "use subnets outside this range, or configure a different `bip` for Docker in your images",
            )


def _used(network: Network) -> Iterator[tuple[Path, IPv4Network]]:
    if network.cidr is not None:
        yield ("network", "cidr"), network.cidr
    for path, subnet in network.existing.subnets() if network.existing else ():
        yield ("network", "existing", *path, "cidr"), subnet.cidr
