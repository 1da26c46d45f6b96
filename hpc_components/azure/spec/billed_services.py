from collections.abc import Iterator
from typing import TYPE_CHECKING

from hpc_components.azure.disks.model import root_of
from hpc_components.azure.home.model import Nfs
from hpc_components.spec.billed_services import AddressNeed, PaidService

if TYPE_CHECKING:
    from hpc_components.azure.fleet.model import AzureQueue
    from hpc_components.azure.spec.cluster import AzureClusterSpec


def paid_services(cluster: "AzureClusterSpec") -> Iterator[PaidService]:
    if cluster.login_nodes:
        yield PaidService("login nodes", "load_balancer.hour", 1)
    if cluster.network.cidr is not None:
        yield PaidService("NAT", "nat_gateway.hour", 1 if cluster.network.nat == "one" else 0)
        yield PaidService("Bastion", "bastion.standard.hour", 1 if cluster.network.bastion else 0)
    yield PaidService("private endpoints", "private_endpoint.hour", private_endpoints(cluster))
    for disk in (cluster.head_node.root, cluster.head_node.state):
        yield disk.paid_service()
    for name, system in cluster.storage.items():
        if system.existing is None and system.size is not None:
            yield system.paid_service(name)


def node_services(queue: "AzureQueue", machine: str) -> Iterator[PaidService]:
    """Yield the root disk, unless it is on the machine's own disks. The machine makes no difference."""
    if not queue.ephemeral_root:
        yield root_of(queue).paid_service()


def private_endpoints(cluster: "AzureClusterSpec") -> int:
    made = {
        "blob": 1 + len(cluster.buckets),
        "vault": 1,
        "file": sum(
            isinstance(system, Nfs) and system.service == "files" and system.existing is None
            for system in cluster.storage.values()
        ),
    }
    return sum(made[service] for service in dict.fromkeys(cluster.network.endpoints))


def other_addresses(cluster: "AzureClusterSpec") -> Iterator[AddressNeed]:
    """Yield the private endpoints and internal load balancer that share the nodes' subnet in an existing network.

    In a new network, the nodes' subnet isn't shared.
    """
    existing = cluster.network.existing
    if existing is None:
        return
    here, places = frozenset({cluster.region}), existing.places
    if "endpoints" not in places and cluster.network.endpoints:
        endpoints = private_endpoints(cluster)
        yield AddressNeed(f"private endpoints {endpoints}", here, endpoints)
    if "login" not in places and cluster.login_nodes and not cluster.login_nodes.public:
        yield AddressNeed("login balancer 1", here, 1)
