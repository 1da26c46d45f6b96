"""Computes a cluster's fixed addresses from its description, without asking the cloud."""

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec

HEAD_NODE_OFFSET = 20
"""Offset of the head node's address from the start of its subnet."""

FIXED_ADDRESSES = 16
"""Number of addresses in each subnet that are reserved for fixed assignment."""

MAX_PREFIX_LENGTH = 27
"""Maximum prefix length of a subnet; longer prefixes leave no room for the block of fixed addresses."""


def fixed_block(subnet: IPv4Network) -> IPv4Network:
    """Return the second /28 of `subnet`, which is reserved for fixed addresses and never used for elastic nodes."""
    return list(islice(subnet.subnets(new_prefix=28), 2))[1]


def usable_addresses(cloud: str, subnet: IPv4Network) -> int:
    """Return the number of addresses available to elastic nodes in `subnet`.

    Addresses that the cloud keeps for itself and the block of fixed addresses are not counted.
    """
    return subnet.num_addresses - sum(cloud_named(cloud).kept_addresses) - FIXED_ADDRESSES


def head_node_address(subnet: IPv4Network) -> IPv4Address:
    """Return the fixed address that a head node in `subnet` gets by default."""
    return subnet[HEAD_NODE_OFFSET]


def head_address(cluster: ClusterSpec) -> IPv4Address:
    """Return the head node's fixed private address, as described or by default."""
    return cluster.head_node.address or head_node_address(cluster.head_subnet)
