"""Queues in an Azure description."""

from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from hpc_components.azure.disks.model import AzureDisk
from hpc_components.azure.images.model import ImagePlan
from hpc_components.spec.model import Flag, Int
from hpc_components.spec.queues import Reservation, SpotPricedQueue, purchase_by

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
    """`cluster`: close together, either in one scale set with a single placement group (with InfiniBand, where this
    is the default) or in a proximity placement group. `spread`: on as many racks as possible."""
    scale_set_limit: Int = 100
    """Maximum number of nodes in a scale set with InfiniBand; up to 300 after a support request."""
    availability_set: Flag = False
    """Use an availability set instead of a scale set. Its machines have the nodes' names. It can have at most 200
    machines, and no spot machines."""
    root: AzureDisk | None = None
    """Root disk; default: 64 GiB, or 128 GiB if the image has GPU or InfiniBand drivers."""
    ephemeral_root: Flag = False
    """Put the root disk on the machine's local disks (an ephemeral OS disk), which is faster and free of charge. Not
    every machine size has room for it. `root` can then have a size, but no type."""
    image: str | None = None
    """Machine image: `publisher:offer:sku:version`, or the id of an image in a gallery; default: the image of the
    cluster's `os`, which is Azure's HPC image if the machine has InfiniBand or GPUs."""
    image_plan: ImagePlan | None = None
    """Purchase plan of `image`, if it has one, e.g. `{name: cis-ubuntulinux2404-l1-gen2}`."""
    identity: str | None = None
    """Id of an existing user-assigned identity for jobs. Nodes boot with a separate identity."""
