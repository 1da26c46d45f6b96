from collections.abc import Iterator
from typing import TYPE_CHECKING

from hpc_components.catalog import machine
from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.queue_defaults import root_size

if TYPE_CHECKING:
    from hpc_components.gcp.fleet.model import GcpQueue
    from hpc_components.gcp.spec.cluster import GcpClusterSpec

_NAT_MACHINES = 32
"""Number of machines beyond which a NAT gateway's hourly charge no longer increases. Source: Cloud NAT pricing."""


def paid_services(cluster: "GcpClusterSpec") -> Iterator[PaidService]:
    """Yield the load balancer, NAT, the head node's disks, and the file systems.

    NAT is billed by the number of machines that use it. Only machines that always run are counted here.
    """
    if cluster.login_nodes:
        yield PaidService("login nodes", "load_balancer.hour", 1)
    if cluster.network.cidr is not None:
        yield PaidService("NAT", "nat.hour", _nat_machines(cluster) if cluster.network.nat == "one" else 0)
    for disk in (cluster.head_node.root, cluster.head_node.state):
        yield from disk.paid_services(machine("gcp", cluster.head_node.machine))
    for name, system in cluster.storage.items():
        if system.existing is None and system.size is not None:
            yield system.paid_service(name)


def node_services(queue: "GcpQueue", name: str) -> Iterator[PaidService]:
    root = queue.root or GcpDisk(size=root_size(queue))
    yield from root.paid_services(machine("gcp", name))


def _nat_machines(cluster: "GcpClusterSpec") -> int:
    login = cluster.login_nodes.min if cluster.login_nodes else 0
    return min(1 + login + sum(queue.min for queue in cluster.queues), _NAT_MACHINES)


def other_addresses(cluster: "GcpClusterSpec") -> Iterator[AddressNeed]:
    """Yield the address of an internal load balancer if it is taken from the nodes' subnet.

    That is only the case in an existing network without a separate subnet for login nodes. In a network that the
    cluster creates, nodes have a subnet to themselves, and Google's managed services have a separate range.
    """
    existing, login = cluster.network.existing, cluster.login_nodes
    if existing is not None and login and not login.public and "login" not in existing.places:
        yield AddressNeed("login balancer 1", frozenset({cluster.region}), 1)
