from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Literal, cast

from hpc_components.gcp.budget.model import GcpBudget
from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.catalog.projects import differ
from hpc_components.gcp.catalog.resource_ids import id_parts
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.head.model import GcpHeadNode
from hpc_components.gcp.login.model import GcpLoginNodes
from hpc_components.gcp.network.addresses import Place, plan_subnets
from hpc_components.gcp.network.model import GcpNetwork
from hpc_components.gcp.spec import billed_services
from hpc_components.gcp.spec.storage import AnyBucket, AnyFileSystem
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.identities import NodeIdentity, node_places
from hpc_components.spec.model import Flag
from hpc_components.spec.queue_defaults import reservation_id
from hpc_components.spec.queues import Queue


class GcpClusterSpec(ClusterSpec):
    """A cluster on Google Cloud."""

    cloud: Literal["gcp"]
    """Cloud that the cluster runs on."""
    project: str
    """Id of the project that contains the cluster."""
    zone: str
    """Zone of the head node, the storage and, by default, the compute nodes, e.g. `us-central1-a`."""
    admin_user: str = "hpcadmin"
    """Name of the administrator's account on each node. The account's SSH key is set with `ssh_key`."""
    os_login: Flag = False
    """Whether IAM decides who may log in (OS Login). If so, `ssh_key` is ignored."""
    billing_account: str | None = None
    """Id of the billing account that pays for the project, e.g. `012345-6789AB-CDEF01`. Required for a budget."""
    network: GcpNetwork
    """Network of the cluster."""
    head_node: GcpHeadNode
    """Node that runs Slurm's controller."""
    login_nodes: GcpLoginNodes | None = None
    """Nodes that users log in to."""
    queues: tuple[GcpQueue, ...]
    """Slurm partitions; the first is the default."""
    storage: dict[str, AnyFileSystem] = {}
    """File systems, keyed by name."""
    buckets: dict[str, AnyBucket] = {}
    """Buckets, keyed by name."""
    budget: GcpBudget | None = None
    """Monthly budget with alerts."""

    @property
    def head_subnet(self) -> IPv4Network:
        return self.subnet("head")

    def node_subnet(self, zone: str) -> IPv4Network:
        """Return the nodes' subnet. It is the same in all zones, because subnets are regional."""
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

    def mentioned_zones(self) -> Iterator[tuple[Path, str]]:
        yield from super().mentioned_zones()
        for name, storage in self.storage.items():
            if storage.zone is not None:
                yield ("storage", name, "zone"), storage.zone
        if existing := self.network.existing:
            for zone in existing.cards:
                yield ("network", "existing", "cards", zone), zone

    def holds_quota(self, queue: Queue) -> bool:
        """Return whether a reservation in the cluster's own project already covers the queue's quota.

        Machines from a shared reservation count against the quotas of both projects. Source: Compute Engine
        documentation, "Create a shared reservation".
        """
        found = id_parts("reservation", reservation_id(queue) or "")
        return super().holds_quota(queue) and (found is None or not differ(found["project"], self.project))

    def node_identities(self) -> Iterator[NodeIdentity]:
        """Yield the nodes' service accounts that are known from the description.

        If the cluster creates the head node's account, the account's email is also known.
        """
        if self.head_node.service_account is None:
            made = f"{account_id(f'{self.name}-head')}@{self.project}.iam.gserviceaccount.com"
            yield NodeIdentity(path=("head_node",), written=made, known_as=frozenset({made}))
        for path, node in node_places(self):
            email = getattr(node, "service_account", None)
            if email is not None:
                known_as = frozenset({email.removeprefix("serviceAccount:").lower()})
                yield NodeIdentity(
                    path=(*path, "service_account"),
                    written=email,
                    known_as=known_as,
                    for_jobs=path[0] == "queues",
                )

    def paid_services(self) -> Iterator[PaidService]:
        return billed_services.paid_services(self)

    def node_services(self, queue: Queue, machine: str) -> Iterator[PaidService]:
        return billed_services.node_services(cast(GcpQueue, queue), machine)

    def other_addresses(self) -> Iterator[AddressNeed]:
        return billed_services.other_addresses(self)
