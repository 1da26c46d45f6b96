"""Queues on the toy cloud: how their machines are bought and placed."""

from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from clouds.toy.spec.nodes import ToyDisk
from hpc_components.spec.queues import Reserved, SpotPricedQueue, purchase_by


class Lease(Reserved):
    """Machines that are leased for a year."""

    kind = "lease"
    lease: str
    """Its number."""

    @property
    def id(self) -> str:
        """The number."""
        return self.lease


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")] | Annotated[Lease, Tag("by lease")],
    Discriminator(purchase_by("lease")),
]


class ToyQueue(SpotPricedQueue):
    """One Slurm partition, `<name>-[1-max]` its nodes."""

    cloud = "toy"
    purchase: Purchase = "on_demand"
    """How the machines are bought: `on_demand`, `spot` or `{lease: ...}`."""
    placement: Literal["cluster", "none"] | None = None
    """A raft, or none; default: a raft with a fast fabric."""
    root: ToyDisk | None = None
    """Root disk; default: 64 GiB."""
