"""Queues of an AWS cluster: how their machines are bought and placed."""

from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from hpc_components.aws.spec.nodes import AwsDisk
from hpc_components.spec import queues
from hpc_components.spec.queues import Reserved, SpotPricedQueue, purchase_by

Placement = Literal["cluster", "partition", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "reservation", "capacity_block"]


class CapacityBlock(Reserved):
    """GPU machines bought for a fixed span of time (EC2 Capacity Blocks for ML)."""

    kind = "capacity_block"
    market = None
    capacity_block: str
    """Id of its capacity reservation, `cr-0123456789abcdef0`."""

    @property
    def id(self) -> str:
        """Capacity blocks are reservations too."""
        return self.capacity_block


class Reservation(queues.Reservation):
    """Machines of an on-demand capacity reservation."""

    reservation: str
    """Its id, `cr-0123456789abcdef0`."""


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")]
    | Annotated[CapacityBlock, Tag("by capacity_block")]
    | Annotated[Reservation, Tag("by reservation")],
    Discriminator(purchase_by("capacity_block", "reservation")),
]


class AwsQueue(SpotPricedQueue):
    """One Slurm partition, `<name>-[1-max]` its nodes."""

    cloud = "aws"
    renamed = {"efa": "fabric"}
    purchase: Purchase = "on_demand"
    """How the machines are bought: `on_demand`, `spot`, `{reservation: cr-...}` or `{capacity_block: cr-...}`."""
    placement: Placement | None = None
    """Placement group; default: `cluster` with a fast fabric, else none; none where the machines are reserved."""
    root: AwsDisk | None = None
    """Root disk; default: 64 GiB, or 128 GiB where the machine has GPUs, whose drivers are in the image."""
    image: str | None = None
    """Machine image id; default: that of the cluster's `os`, pinned; AWS's newest where it pins none (GPUs)."""
    instance_profile: str | None = None
    """An existing instance profile. Its role is for jobs too: the metadata service answers them."""
    instance_role: str | None = None
    """ARN of the role in `instance_profile`, which the head node gives to nodes; default: that of the same name."""
