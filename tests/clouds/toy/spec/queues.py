"""Queues on the toy cloud: how their machines are bought and placed."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from clouds.toy.spec.nodes import ToyDisk
from hpc_components.spec.queues import Queue, Reserved, first_key_of

__all__ = ["Lease", "ToyQueue"]


class Lease(Reserved):
    """Machines that are leased for a year."""

    kind = "lease"
    lease: str
    """Its number."""

    @property
    def id(self) -> str:
        """The number."""
        return self.lease


def _purchase_kind(value: Any) -> str | None:
    return "by name" if isinstance(value, str) else first_key_of(value, "lease")


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")] | Annotated[Lease, Tag("by lease")],
    Discriminator(_purchase_kind),
]


class ToyQueue(Queue):
    """One Slurm partition, `<name>-[1-max]` its nodes."""

    cloud = "toy"
    purchase: Purchase = "on_demand"
    """How the machines are bought: `on_demand`, `spot` or `{lease: ...}`."""
    placement: Literal["cluster", "none"] | None = None
    """A raft, or none; default: a raft with a fast fabric."""
    root: ToyDisk | None = None
    """Root disk; default: 64 GiB."""
