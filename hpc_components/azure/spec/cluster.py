from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Literal, cast

from hpc_components.azure.budget.model import AzureBudget
from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.fleet.model import AzureQueue
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.metrics.model import AzureMonitoring
from hpc_components.azure.network.addresses import Place, plan_subnets
from hpc_components.azure.network.model import AzureNetwork
from hpc_components.azure.spec import billed_services
from hpc_components.azure.spec.storage import AnyBucket, AnyFileSystem, Lustre
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.identities import NodeIdentity, node_places
from hpc_components.spec.queues import Queue


class AzureClusterSpec(ClusterSpec):
    """A cluster on Azure."""

    cloud: Literal["azure"]
    """Name of the cloud."""
    zone: str
    """Zone of the head node, the storage and, by default, the compute nodes: region and number, such as `eastus-1`,
    or the region alone (`eastus`) if it has no zones."""
    resource_group: str | None = None
    """Id of an existing resource group in the cluster's region, `/subscriptions/.../resourceGroups/<name>`;
    default: a new group called `<name>`. Compute nodes always have a separate group, `<name>-nodes`."""
    admin_user: str = "azureuser"
    """Name of the administrator account that Azure creates on each node."""
    network: AzureNetwork
    """The cluster's network."""
    head_node: AzureHeadNode
    """Node that runs Slurm's controller."""
    login_nodes: AzureLoginNodes | None = None
    """Nodes that users log in to."""
    queues: tuple[AzureQueue, ...]
    """Slurm partitions; the first is the default."""
    storage: dict[str, AnyFileSystem] = {}
    """File systems, keyed by name."""
    buckets: dict[str, AnyBucket] = {}
    """Buckets, keyed by name."""
    monitoring: AzureMonitoring | None = None
    """Metrics of the cluster, and alerts. Default: none are kept."""
    budget: AzureBudget | None = None
    """Monthly budget with alerts."""

    @property
    def head_subnet(self) -> IPv4Network:
        """Address range of the head node's subnet. In an existing network, the head node is in the nodes' subnet
        unless another subnet is specified.
        """
        return self.subnet("head")

    def node_subnet(self, zone: str) -> IPv4Network:
        """Return the address range of the nodes' subnet, which is the same in all zones."""
        return self.subnet("nodes")

    def subnet(self, place: Place) -> IPv4Network:
        """Return the address range of the subnet for `place`. Raise KeyError or ValueError if the description has no
        such subnet.
        """
        existing = self.network.existing
        if existing is not None:
            places = existing.places
            return places.get(place, places["nodes"]).cidr
        if self.network.cidr is None:
            raise ValueError("the description has no network")
        return getattr(plan_subnets(self.network.cidr), place)

    def wider_network(self, place: Place, prefix: int) -> IPv4Network:
        """Return the smallest network range that contains the new network and has a subnet of size /`prefix` or
        larger for `place`.
        """
        assert self.network.cidr is not None, "only a new network can be widened"
        lengths = range(self.network.cidr.prefixlen, 15, -1)
        ranges = (self.network.cidr.supernet(new_prefix=length) for length in lengths)
        return next(each for each in ranges if getattr(plan_subnets(each), place).prefixlen <= prefix)

    def mentioned_zones(self) -> Iterator[tuple[Path, str]]:
        yield from super().mentioned_zones()
        for name, storage in self.storage.items():
            if isinstance(storage, Lustre) and storage.zone is not None:
                yield ("storage", name, "zone"), storage.zone

    def node_identities(self) -> Iterator[NodeIdentity]:
        """Yield the user-assigned identities. `known_as` contains their ids in lower case, because Azure ignores
        case.
        """
        for path, node in node_places(self):
            identity = getattr(node, "identity", None)
            if identity is not None:
                known_as = frozenset({str(arm_id(identity) or identity).lower()})
                yield NodeIdentity(path=(*path, "identity"), written=identity, known_as=known_as)

    def paid_services(self) -> Iterator[PaidService]:
        return billed_services.paid_services(self)

    def node_services(self, queue: Queue, machine: str) -> Iterator[PaidService]:
        return billed_services.node_services(cast(AzureQueue, queue), machine)

    def other_addresses(self) -> Iterator[AddressNeed]:
        return billed_services.other_addresses(self)
