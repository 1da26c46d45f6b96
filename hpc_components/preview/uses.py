"""What a plan uses, in the units in which it is billed or limited, in terms of every cloud.

Each use is counted twice: idle, when the queues run nothing but their least nodes, and full, when every queue and
every scaling group is at its most.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hpc_components.catalog import Quota

__all__ = ["Group", "MachineUse", "QuotaNeed", "ServiceUse"]

Group = Literal["compute", "access", "storage", "network", "other"]
"""What a cost is for: nodes of queues, the head node and the way to it, file systems, ways in and out, the rest."""


@dataclass(frozen=True, kw_only=True)
class MachineUse:
    """A group of like machines, or a single one."""

    what: str
    """What it is to a reader: `queue gpu`, `head node`."""
    resource: str
    """URN."""
    machines: tuple[str, ...]
    """Machine types; the first is what the group is made of, the others stand in for it. Empty if not known yet."""
    purchase: str
    """`on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    idle: int
    full: int
    queue: str | None = None
    """The queue that the machines are nodes of."""

    @property
    def group(self) -> Group:
        """What its cost is for."""
        return "compute" if self.queue else "access"


@dataclass(frozen=True, kw_only=True)
class ServiceUse:
    """A quantity of something other than machines: disks, addresses, gateways, file systems, keys."""

    what: str
    """What it is to a reader: `NAT gateway cfd-nat`."""
    resource: str
    """URN."""
    item: str
    """Its name in the cloud's price list, `CloudCatalog.service_price`, in whose unit the quantities are."""
    idle: int
    full: int
    group: Group


@dataclass(frozen=True, kw_only=True)
class QuotaNeed:
    """What one resource, or group of machines, counts against a quota when all queues are full."""

    quota: "Quota"
    what: str
    """What it is to a reader: `queue gpu: 8 × p5.48xlarge`."""
    need: float
    """In the unit of the quota."""
