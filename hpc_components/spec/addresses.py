"""The fixed addresses of a cluster: computed, never discovered."""

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec

__all__ = [
    "FIXED_ADDRESSES", "HEAD_NODE_OFFSET", "LONGEST_PREFIX", "fixed_block", "head_address", "head_node_address",
    "usable_addresses",
]  # fmt: skip

HEAD_NODE_OFFSET = 20
"""The head node's address, counted from the start of its subnet."""

FIXED_ADDRESSES = 16
"""Addresses of a subnet that are kept for fixed ones."""

LONGEST_PREFIX = 27
"""Prefix length of the smallest subnet: in a smaller one there is no block for fixed addresses."""


def fixed_block(subnet: IPv4Network) -> IPv4Network:
    """The block of `subnet` kept for fixed addresses, so that no elastic node is given one: its second /28."""
    return list(islice(subnet.subnets(new_prefix=28), 2))[1]


def usable_addresses(cloud: str, subnet: IPv4Network) -> int:
    """Addresses of `subnet` that elastic nodes can have: all but the cloud's own and the block for fixed ones."""
    return subnet.num_addresses - sum(cloud_named(cloud).kept_addresses) - FIXED_ADDRESSES


def head_node_address(subnet: IPv4Network) -> IPv4Address:
    """The fixed address of the head node in `subnet`."""
    return subnet[HEAD_NODE_OFFSET]


def head_address(cluster: ClusterSpec) -> IPv4Address:
    """The head node's fixed private address."""
    return cluster.head_node.address or head_node_address(cluster.head_subnet)
