"""The fixed addresses of a cluster: computed, never discovered."""

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec

HEAD_NODE_OFFSET = 20
"""Offset of the head node's address from the start of its subnet."""

FIXED_ADDRESSES = 16
"""Number of addresses in each subnet that are reserved for fixed assignment."""

MAX_PREFIX_LENGTH = 27
"""Prefix length of the smallest subnet that has room for the block of fixed addresses."""


def fixed_block(subnet: IPv4Network) -> IPv4Network:
    """Return the block of `subnet` that is reserved for fixed addresses, never for elastic nodes: its second /28."""
    return list(islice(subnet.subnets(new_prefix=28), 2))[1]


def usable_addresses(cloud: str, subnet: IPv4Network) -> int:
    """Return the number of addresses for elastic nodes in `subnet`: all but the cloud's own and the fixed block."""
    return subnet.num_addresses - sum(cloud_named(cloud).kept_addresses) - FIXED_ADDRESSES


def head_node_address(subnet: IPv4Network) -> IPv4Address:
    """Return the fixed address of the head node in `subnet`."""
    return subnet[HEAD_NODE_OFFSET]


def head_address(cluster: ClusterSpec) -> IPv4Address:
    """Return the head node's fixed private address."""
    return cluster.head_node.address or head_node_address(cluster.head_subnet)
