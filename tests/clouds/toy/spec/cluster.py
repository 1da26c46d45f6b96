"""`ToyClusterSpec`: a cluster on the toy cloud. Its one subnet is of the region."""

from ipaddress import IPv4Network
from typing import Literal

from clouds.toy.spec.network import ToyNetwork
from clouds.toy.spec.nodes import ToyHeadNode, ToyLoginNodes
from clouds.toy.spec.queues import ToyQueue
from clouds.toy.spec.storage import Bucket, ToyNfs
from hpc_components.spec.cluster import ClusterSpec

__all__ = ["ToyClusterSpec"]


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
    storage: dict[str, ToyNfs] = {}
    """File systems by name."""
    buckets: dict[str, Bucket] = {}
    """Buckets by name."""

    @property
    def head_subnet(self) -> IPv4Network:
        """The same for all nodes, whether they have public addresses or not."""
        return self.node_subnet(self.zone)

    def node_subnet(self, zone: str) -> IPv4Network:
        """The same in all zones; where the network is there already, the one that it names."""
        if self.network.existing is not None:
            return self.network.existing.subnet.cidr
        if self.network.cidr is None:
            raise ValueError("there is no network")
        return self.network.cidr
