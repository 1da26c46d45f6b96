"""Queues of an Azure cluster: how their machines are bought and placed."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from hpc_components.azure.spec.nodes import AzureDisk
from hpc_components.spec.model import Flag, Int, Number
from hpc_components.spec.queues import Queue, Reserved, first_key_of

__all__ = ["AzureQueue", "Placement", "Purchase", "PurchaseKind", "Reservation"]

Placement = Literal["cluster", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "reservation"]


class Reservation(Reserved):
    """Machines of an on-demand capacity reservation."""

    kind = "reservation"
    reservation: str
    """Id of the capacity reservation group."""

    @property
    def id(self) -> str:
        """Of the capacity reservation group."""
        return self.reservation


def _purchase_kind(value: Any) -> str | None:
    return "by name" if isinstance(value, str) else first_key_of(value, "reservation")


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")] | Annotated[Reservation, Tag("by reservation")],
    Discriminator(_purchase_kind),
]


class AzureQueue(Queue):
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
    max_spot_price: Number | None = None
    """Most to pay per node and hour on spot, in USD; default: the on-demand price."""
    root: AzureDisk | None = None
    """Root disk; default: 64 GiB, or 128 GiB where the image has drivers of GPUs or InfiniBand."""
    image: str | None = None
    """Machine image: `publisher:offer:sku:version`, or the id of an image of a gallery; default: that of the
    cluster's `os`, Azure's HPC image where the machine has InfiniBand or GPUs."""
    identity: str | None = None
    """Id of an existing user-assigned identity. It is for jobs too: the metadata service answers them."""
