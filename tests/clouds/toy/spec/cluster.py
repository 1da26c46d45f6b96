"""`ToyClusterSpec`: a cluster on the toy cloud. Its one subnet is of the region."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Literal

from clouds.toy.spec.network import ToyNetwork
from clouds.toy.spec.nodes import ToyHeadNode, ToyLoginNodes
from clouds.toy.spec.queues import ToyQueue
from clouds.toy.spec.storage import AnyFileSystem, Bucket
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.cluster import ClusterSpec


class ToyClusterSpec(ClusterSpec):
    """A cluster on the toy cloud."""

    cloud: Literal["toy"]
    """The cloud."""
    network: ToyNetwork
    """Network."""
    head_node: ToyHeadNode
    """Slurm's controller."""
    login_nodes: ToyLoginNodes | None = None
    """Nodes for users."""
    queues: tuple[ToyQueue, ...]
    """Slurm partitions; the first is the default."""
    storage: dict[str, AnyFileSystem] = {}
    """File systems by name."""
    buckets: dict[str, Bucket] = {}
    """Buckets by name."""

    def paid_services(self) -> Iterator[PaidService]:
        """The head node's own disk; a node's root disk comes with it."""
        disk = self.head_node.state
        yield PaidService("disks", f"disk.{disk.type}", disk.size.in_gib)

    def other_addresses(self) -> Iterator[AddressNeed]:
        """A spring has one."""
        if self.network.cidr is not None and self.network.nat == "one":
            yield AddressNeed("spring 1", frozenset({self.region}), 1)

    @property
    def head_subnet(self) -> IPv4Network:
        """The same for all nodes, whether they have public addresses or not."""
        return self.node_subnet(self.zone)

    def node_subnet(self, zone: str) -> IPv4Network:
        """The same in all zones; where the network is there already, the subnet that is listed by the region."""
        if self.network.existing is not None:
            return self.network.existing.private[self.region].cidr
        if self.network.cidr is None:
            raise ValueError("there is no network")
        return self.network.cidr
