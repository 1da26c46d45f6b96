from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import Discriminator, Tag

from hpc_components.azure.disks.model import AzureDisk
from hpc_components.azure.fleet.offer import CapacityOrder, GroupOrder, is_reservable
from hpc_components.azure.images.model import ImagePlan
from hpc_components.catalog.machine_type import Machine
from hpc_components.spec.model import Flag, Int
from hpc_components.spec.queue_defaults import fabric_on, placement, purchase_kind
from hpc_components.spec.queues import Reservation, SpotPricedQueue, purchase_by
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.spec.surfaces import Key, Keys, Surface, described

if TYPE_CHECKING:
    from hpc_components.azure.spec.cluster import AzureClusterSpec

Placement = Literal["cluster", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "reservation"]


class ReservationGroup(Reservation):
    """Machines from a capacity reservation group, which may contain several sizes and zones."""

    one_pool = False
    has_fabric = False
    reservation: str
    """Id of the capacity reservation group."""


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")] | Annotated[ReservationGroup, Tag("by reservation")],
    Discriminator(purchase_by("reservation")),
]


class AzureQueue(SpotPricedQueue):
    """A Slurm partition with the nodes `<name>-[1-max]`."""

    cloud = "azure"
    purchase: Purchase = "on_demand"
    """Purchase option: `on_demand`, `spot`, or `{reservation: <id of a capacity reservation group>}`."""
    placement: Placement | None = None
    """Placement of the machines. `cluster`: close together, either in one scale set with a single placement group
    (the default for InfiniBand machines) or in a proximity placement group. `spread`: on as many racks as possible.
    """
    scale_set_limit: Int = 100
    """Maximum number of nodes in a scale set with InfiniBand. Azure can raise the limit to 300 after a support
    request."""
    availability_set: Flag = False
    """Use an availability set instead of a scale set, so that machines are named after their nodes. An availability
    set is limited to 200 machines and doesn't support spot machines."""
    root: AzureDisk | None = None
    """Root disk. The default size is 64 GiB, or 128 GiB if the image has GPU or InfiniBand drivers."""
    ephemeral_root: Flag = False
    """Use an ephemeral OS disk: a root disk on the machine's local disks, which is faster than a managed disk and
    free of charge. Not every machine size has enough room. With this setting, `root` can specify a size but no type.
    """
    image: str | None = None
    """Machine image: `publisher:offer:sku:version`, or the id of an image in a gallery. The default image depends on
    the cluster's `os`. For machines with InfiniBand or GPUs, the default is Azure's HPC image."""
    image_plan: ImagePlan | None = None
    """Purchase plan of `image`, if it has one, e.g. `{name: cis-ubuntulinux2404-l1-gen2}`."""
    identity: str | None = None
    """Id of an existing user-assigned identity for jobs. Nodes boot with a separate identity."""


CAPACITY_KEYS: Keys = {
    "machine": Key(("machine",)),
    "purchase": Key(("purchase",)),
    "fabric": Key(("fabric",)),
    "availability_set": Key(("availability_set",)),
    "proximity_group": Key(("placement",), lambda _: "none"),
    "similar": None,
}

GROUP_KEYS: Keys = {
    "nodes": Key(("max",)),
    "fabric": Key(("fabric",)),
    "limit": Key(("scale_set_limit",)),
    "availability_set": Key(("availability_set",)),
    "region": None,
    "zones": Key(("zones",)),
}


def capacity_orders(cluster: "AzureClusterSpec") -> Iterator[tuple[CapacityOrder, Surface]]:
    """Yield (order, surface) for each machine type of each queue, including fallback machines."""
    for index, queue in enumerate(cluster.queues):
        kind = cast(PurchaseKind, purchase_kind(queue))
        for path, machine in queue_machines(index, queue):
            fabric = fabric_on(queue) and machine.has_fabric
            order = CapacityOrder(
                machine=machine,
                purchase=kind,
                fabric=fabric,
                availability_set=queue.availability_set,
                proximity_group=placement(queue) == "cluster" and not fabric,
                similar=tuple(_reservable_like(cluster, machine)) if kind == "reservation" else (),
            )
            keys = {**CAPACITY_KEYS, "machine": Key(path[2:])}
            yield order, described(queue, path[:2], keys, cluster)


def _reservable_like(cluster: "AzureClusterSpec", machine: Machine) -> list[str]:
    like = [each for each in in_region(cluster) if is_reservable(each) and each.arch == machine.arch]
    return nearest(machine, like)


def group_orders(cluster: "AzureClusterSpec") -> Iterator[tuple[GroupOrder, Surface]]:
    for index, queue in enumerate(cluster.queues):
        fabric = fabric_on(queue)
        limited = queue.given("scale_set_limit") or (fabric and not queue.availability_set)
        order = GroupOrder(
            nodes=queue.max,
            fabric=fabric,
            limit=queue.scale_set_limit if limited else None,
            availability_set=queue.availability_set,
            region=cluster.region,
            zones=tuple(cluster.queue_zones(queue)),
        )
        if any(queue_machines(index, queue)):
            yield order, described(queue, ("queues", index), GROUP_KEYS, cluster)
