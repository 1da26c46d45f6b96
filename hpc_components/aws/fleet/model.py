from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from hpc_components.aws.disks.model import AwsDisk
from hpc_components.spec import queues
from hpc_components.spec.queues import Reserved, SpotPricedQueue, purchase_by

Placement = Literal["cluster", "partition", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "reservation", "capacity_block"]


class CapacityBlock(Reserved):
    """GPU machines bought for a fixed period (EC2 Capacity Blocks for ML)."""

    kind = "capacity_block"
    market = None
    capacity_block: str
    """Id of the capacity block's reservation, such as `cr-0123456789abcdef0`."""

    @property
    def id(self) -> str:
        return self.capacity_block


class Reservation(queues.Reservation):
    """Machines from an on-demand capacity reservation."""

    reservation: str
    """Id of the reservation, such as `cr-0123456789abcdef0`."""


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")]
    | Annotated[CapacityBlock, Tag("by capacity_block")]
    | Annotated[Reservation, Tag("by reservation")],
    Discriminator(purchase_by("capacity_block", "reservation")),
]


class AwsQueue(SpotPricedQueue):
    """A Slurm partition with the nodes `<name>-[1-max]`."""

    cloud = "aws"
    renamed = {"efa": "fabric"}
    purchase: Purchase = "on_demand"
    """How the machines are purchased: `on_demand`, `spot`, `{reservation: cr-...}` or `{capacity_block: cr-...}`."""
    placement: Placement | None = None
    """Placement strategy. Default: `none` for reserved machines and for machines without a fast fabric, otherwise
    `cluster`."""
    root: AwsDisk | None = None
    """Root disk; default: 64 GiB, or 128 GiB for machines with GPUs, because their images contain drivers."""
    image: str | None = None
    """Machine image id. Default: a fixed image for the cluster's `os`; for machines with GPUs, AWS's newest image,
    because AWS offers no fixed GPU image."""
    instance_profile: str | None = None
    """Name of an existing instance profile. Jobs can also use the profile's role, through the metadata service."""
    instance_role: str | None = None
    """ARN of the role in `instance_profile`. The head node passes this role to nodes. Default: the role with the same
    name as the profile."""
