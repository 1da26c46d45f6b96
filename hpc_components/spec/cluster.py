"""`ClusterSpec`: one complete cluster, as written under `hpc:cluster` in a stack file."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network

from hpc_components.cloud import cloud_named
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.findings import Path
from hpc_components.spec.identities import NodeIdentity
from hpc_components.spec.model import Flag, Int, Model, Number
from hpc_components.spec.network import Network
from hpc_components.spec.nodes import HeadNode, LoginNodes
from hpc_components.spec.queue_defaults import is_reserved
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm import Slurm
from hpc_components.spec.storage import FileSystem, SharedBucket
from hpc_components.spec.values import Duration


class Budget(Model):
    """A monthly budget over everything tagged with the cluster's name."""

    monthly: Number
    """Budget in USD per month."""
    alert_at: tuple[Int, ...] = (80, 100)
    """Percentages of the budget at which mail is sent; mail is also sent when the forecast exceeds the last one."""
    notify: tuple[str, ...]
    """Mail addresses of the recipients."""


class ClusterSpec(Model):
    """The description of a cluster, on any cloud. Plain values only."""

    cloud: str
    """Name of the cloud."""
    name: str
    """Name of the cluster; also its `ClusterName` tag and Slurm's ClusterName."""
    region: str
    """Region of the cluster."""
    zone: str
    """Zone id of the head node, the storage and, unless a queue names its own, the compute nodes."""
    os: str = "ubuntu-24.04"
    """Operating system of all nodes: `ubuntu-24.04`, `ubuntu-22.04`, `debian-13` or `debian-12`."""
    network: Network
    """The cluster's network: a new one, or an existing one."""
    storage: Mapping[str, FileSystem] = {}
    """File systems by name."""
    buckets: Mapping[str, SharedBucket] = {}
    """Buckets by name."""
    head_node: HeadNode
    """The node that runs Slurm's controller."""
    login_nodes: LoginNodes | None = None
    """Nodes that users log in to."""
    queues: tuple[Queue, ...]
    """Slurm partitions; the first is the default."""
    slurm: Slurm = Slurm()
    """Slurm, the workload manager."""
    budget: Budget | None = None
    """Monthly budget with alerts."""
    tags: dict[str, str] = {}
    """Tags for every resource, in addition to `ClusterName`."""
    log_retention: Duration = Duration.parse("180d")
    """Keep the logs of failed boots, which nodes send to the cloud's log service, for this long."""
    throw_away: Flag = False
    """`true`: destroying the stack deletes file systems, buckets and state with all data in them. For experiments."""
    silence: dict[str, str] = {}
    """Findings not to report, by id, each with the reason why (`HPC-NET-010: reached over VPN only`)."""

    @property
    def zones(self) -> tuple[str, ...]:
        """All zones in which this cluster has nodes, without duplicates, its own zone first."""
        named = [self.zone, *(self.login_nodes.zones if self.login_nodes else ())]
        named += [zone for queue in self.queues for zone in queue.zones]
        return tuple(dict.fromkeys(named))

    def mentioned_zones(self) -> Iterator[tuple[Path, str]]:
        """Yield (path, zone) for every zone in the description. A cloud adds the zones of its own keys."""
        yield ("zone",), self.zone
        for index, zone in enumerate(self.login_nodes.zones if self.login_nodes else ()):
            yield ("login_nodes", "zones", index), zone
        for number, queue in enumerate(self.queues):
            for index, zone in enumerate(queue.zones):
                yield ("queues", number, "zones", index), zone

    def queue_zones(self, queue: Queue) -> tuple[str, ...]:
        """Return the zones of `queue`, in the order in which they are tried."""
        return queue.zones or (self.zone,)

    def holds_quota(self, queue: Queue) -> bool:
        """Return whether the machines of `queue` use their quota already: a reservation does as soon as it exists."""
        return is_reserved(queue)

    def queue(self, name: str) -> Queue:
        """Return the queue called `name`."""
        return next(queue for queue in self.queues if queue.name == name)

    @property
    def max_nodes(self) -> int:
        """Number of compute nodes when every queue is full."""
        return sum(queue.max for queue in self.queues)

    def subnet_place(self, zone: str) -> str:
        """Return the key of the subnet of nodes in `zone`: the zone, or the region where subnets are regional."""
        return zone if cloud_named(self.cloud).zonal_subnets else self.region

    @property
    def subnet_places(self) -> tuple[str, ...]:
        """Keys of the subnets in which this cluster has nodes, without duplicates, its own first."""
        return tuple(dict.fromkeys(map(self.subnet_place, self.zones)))

    def paid_services(self) -> Iterator[PaidService]:
        """Yield the services billed while the cluster exists: disks of the head node, file systems, gateways.

        Machines and the disks of elastic nodes are left out.
        """
        raise NotImplementedError

    def other_addresses(self) -> Iterator[AddressNeed]:
        """Yield address needs in the nodes' subnets other than compute and login nodes: file systems, load
        balancers."""
        return iter(())

    def node_identities(self) -> Iterator[NodeIdentity]:
        """Yield the nodes' identities that the description names, or whose names derive from it."""
        return iter(())

    @property
    def head_subnet(self) -> IPv4Network:
        """The address range of the head node's subnet, by the cloud's address plan.

        KeyError or ValueError if the description has no such subnet, which a rule reports.
        """
        raise NotImplementedError

    def node_subnet(self, zone: str) -> IPv4Network:
        """Return the address range of the subnet for elastic nodes in `zone`, by the cloud's address plan.

        KeyError or ValueError if the description has no such subnet, which a rule reports.
        """
        raise NotImplementedError
