"""What a cluster on Google Cloud needs beside its nodes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hpc_components.gcp.spec.storage import Lustre
from hpc_components.spec.needs import AddressNeed, PaidService

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec

__all__ = ["other_addresses", "paid_services"]


def paid_services(cluster: "GcpClusterSpec") -> Iterator[PaidService]:
    """Load balancer, NAT, disks of the head node, file systems."""
    if cluster.login_nodes:
        yield PaidService("login nodes", "load_balancer.hour", 1)
    if cluster.network.cidr is not None:
        yield PaidService("NAT", "nat.hour", 1 if cluster.network.nat == "one" else 0)
    for disk in (cluster.head_node.root, cluster.head_node.state):
        yield PaidService("disks", f"disk.{disk.type or 'pd-balanced'}.storage", float(disk.size.in_gib))
    for name, system in cluster.storage.items():
        if system.existing is None and system.size is not None:
            kind = f"lustre.{system.throughput}" if isinstance(system, Lustre) else f"filestore.{system.tier}"
            yield PaidService(name, kind, float(system.size.in_gib))


def other_addresses(cluster: "GcpClusterSpec") -> Iterator[AddressNeed]:
    """An internal load balancer, where an existing network has no subnet for login nodes.

    In a network of the cluster's own, nodes share their subnet with nothing; Google's managed services have a range
    of their own.
    """
    existing, login = cluster.network.existing, cluster.login_nodes
    if existing is not None and login and not login.public and "login" not in existing.places:
        yield AddressNeed("login balancer 1", frozenset({cluster.region}), 1)
