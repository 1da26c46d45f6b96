"""Queues of an Azure cluster: how their machines are bought and placed."""

from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from hpc_components.azure.spec.nodes import AzureDisk, ImagePlan
from hpc_components.spec.model import Flag, Int
from hpc_components.spec.queues import Reservation, SpotPricedQueue, purchase_by

Placement = Literal["cluster", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "reservation"]


class ReservationGroup(Reservation):
    """Machines of a capacity reservation group, which may have several sizes and zones."""

    one_pool = False
    has_fabric = False
    reservation: str
    """Id of the capacity reservation group."""


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")] | Annotated[ReservationGroup, Tag("by reservation")],
    Discriminator(purchase_by("reservation")),
]


class AzureQueue(SpotPricedQueue):
    """One Slurm partition, `<name>-[1-max]` its nodes."""

    cloud = "azure"
    purchase: Purchase = "on_demand"
    """How the machines are bought: `on_demand`, `spot`, or `{reservation: <id of a capacity reservation group>}`."""
    placement: Placement | None = None
    """`cluster`: close together. With InfiniBand that is one scale set with a single placement group, and the
    default; without it a proximity placement group. `spread`: on as many racks as there are."""
    scale_set_limit: Int = 100
    """Most nodes of one scale set with InfiniBand; 300 after a support request."""
    availability_set: Flag = False
    """Machines of an availability set, with the nodes' own names, in place of a scale set: at most 200, no spot."""
    root: AzureDisk | None = None
    """Root disk; default: 64 GiB, or 128 GiB where the image has drivers of GPUs or InfiniBand."""
    ephemeral_root: Flag = False
    """The root disk is on the machine's own disks (an ephemeral OS disk): it costs nothing, and is faster. Not every
    size has room for one. `root` says its size then, and not its type."""
    image: str | None = None
    """Machine image: `publisher:offer:sku:version`, or the id of an image of a gallery; default: that of the
    cluster's `os`, Azure's HPC image where the machine has InfiniBand or GPUs."""
    image_plan: ImagePlan | None = None
    """The purchase plan of `image`, where it is sold with one: `{name: cis-ubuntulinux2404-l1-gen2}`."""
    identity: str | None = None
    """Id of an existing user-assigned identity for jobs. Nodes boot with one of their own, and lend this one."""
