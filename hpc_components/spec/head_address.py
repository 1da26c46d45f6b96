"""Where the head node is: its subnet's range and its fixed address, as the description has them."""

from ipaddress import IPv4Address, IPv4Network

from hpc_components.spec.addresses import head_node_address, plan_subnets
from hpc_components.spec.cluster import ClusterSpec

__all__ = ["head_address", "head_subnet"]


def head_subnet(cluster: ClusterSpec) -> IPv4Network:
    """The address range of the head node's subnet."""
    public = cluster.head_node.public
    if cluster.network.existing is not None:
        existing = cluster.network.existing
        return (existing.public if public else existing.private)[cluster.zone].cidr
    assert cluster.network.cidr is not None, "rule HPC-NET: a network is either ours or existing"
    subnets = plan_subnets(cluster.network.cidr, [cluster.zone])[cluster.zone]
    return subnets.public if public else subnets.private


def head_address(cluster: ClusterSpec) -> IPv4Address:
    """The head node's fixed private address."""
    return cluster.head_node.address or head_node_address(head_subnet(cluster))
