"""Computes a cluster's fixed addresses from its description alone."""

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec

HEAD_NODE_OFFSET = 20

FIXED_ADDRESSES = 16
"""Number of addresses reserved for fixed assignment in each subnet."""

MAX_PREFIX_LENGTH = 27
"""Maximum prefix length of a subnet. A smaller subnet would have no room for the block of fixed addresses."""


def fixed_block(subnet: IPv4Network) -> IPv4Network:
    """Return the second /28 of `subnet`, which is reserved for fixed addresses and never used for elastic nodes."""
    return list(islice(subnet.subnets(new_prefix=28), 2))[1]


def usable_addresses(cloud: str, subnet: IPv4Network) -> int:
    """Return the number of addresses available to elastic nodes in `subnet`.

    Addresses reserved by the cloud and the block of fixed addresses are not counted.
    """
    return subnet.num_addresses - sum(cloud_named(cloud).kept_addresses) - FIXED_ADDRESSES


def head_node_address(subnet: IPv4Network) -> IPv4Address:
    return subnet[HEAD_NODE_OFFSET]


def network_range(cluster: ClusterSpec) -> IPv4Network:
    """Return the address range of the cluster's network, new or existing."""
    network = cluster.network.existing or cluster.network
    return IPv4Network(str(network.cidr))


def head_address(cluster: ClusterSpec) -> IPv4Address:
    return cluster.head_node.address or head_node_address(cluster.head_subnet)
