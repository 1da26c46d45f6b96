from collections.abc import Iterator
from typing import TYPE_CHECKING

from hpc_components.aws.catalog.network_limits import endpoint_kind
from hpc_components.aws.disks.model import root_of
from hpc_components.aws.home.model import Efs, Nfs
from hpc_components.aws.lustre.model import Lustre
from hpc_components.spec.billed_services import AddressNeed, PaidService

if TYPE_CHECKING:
    from hpc_components.aws.fleet.model import AwsQueue
    from hpc_components.aws.spec.cluster import AwsClusterSpec


def paid_services(cluster: "AwsClusterSpec") -> Iterator[PaidService]:
    """Yield the load balancer, the NAT gateways, the head node's disks, and all file systems except EFS."""
    if cluster.login_nodes:
        yield PaidService("login nodes", "nlb.hour", 1)
    if cluster.network.cidr is not None:
        gateways = {"one": 1, "per_zone": len(cluster.zones), "none": 0}[cluster.network.nat]
        yield PaidService("NAT", "nat_gateway.hour", gateways)
    for disk in (cluster.head_node.root, cluster.head_node.state):
        yield PaidService("disks", f"ebs.{disk.type}.storage", disk.size.in_gib)
    for name, system in cluster.storage.items():
        if isinstance(system, Lustre) and system.existing is None:
            yield from system.paid_services(name)
    for name, system in cluster.storage.items():
        if isinstance(system, Nfs) and system.existing is None:
            yield from system.paid_services(name)


def node_services(queue: "AwsQueue", machine: str) -> Iterator[PaidService]:
    """Yield the root volume. The machine makes no difference."""
    root = root_of(queue)
    yield PaidService("disks", f"ebs.{root.type}.storage", root.size.in_gib)


def other_addresses(cluster: "AwsClusterSpec") -> Iterator[AddressNeed]:
    """Yield the addresses of the load balancer, file systems and interface endpoints.

    A Lustre file system is assumed to need one address, because AWS does not document how many addresses each size
    needs.
    """
    login = cluster.login_nodes
    for zone in dict.fromkeys(login.zones or (cluster.zone,)) if login and not login.public else ():
        yield AddressNeed("login balancer 1", frozenset({zone}), 1)
    for name, system in cluster.storage.items():
        if isinstance(system, Efs):
            for zone in cluster.zones:
                yield AddressNeed(f"storage {name} 1", frozenset({zone}), 1)
        elif isinstance(system, Lustre | Nfs) and system.existing is None:
            yield AddressNeed(f"storage {name} 1", frozenset({cluster.zone}), 1)
    paid = [service for service in cluster.network.endpoints if endpoint_kind(service) == "interface"]
    for zone in cluster.zones if cluster.network.cidr is not None and paid else ():
        yield AddressNeed(f"endpoints {len(paid)}", frozenset({zone}), len(paid))
