"""What a plan uses, in the units in which it is billed or limited, in cloud-neutral terms.

Each use is counted twice: idle, with all queues at their minimum of nodes, and full, with every queue and scaling
group at its maximum.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hpc_components.catalog import Quota

Group = Literal["compute", "access", "storage", "network", "other"]
"""Purpose of a cost: nodes of queues, access (head and login nodes), file systems, network, the rest."""


@dataclass(frozen=True, kw_only=True)
class MachineUse:
    """A group of identical machines, or a single one."""

    what: str
    """Label for a reader: `queue gpu`, `head node`."""
    resource: str
    """URN."""
    machines: tuple[str, ...]
    """Machine types: the first is the usual one, the others are alternatives. Empty if not known yet."""
    purchase: str
    """`on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    idle: int
    full: int
    queue: str | None = None
    """The queue whose nodes the machines are, if any."""

    @property
    def group(self) -> Group:
        """Purpose of its cost."""
        return "compute" if self.queue else "access"


@dataclass(frozen=True, kw_only=True)
class ServiceUse:
    """A quantity of anything but machines: disks, addresses, gateways, file systems, keys."""

    what: str
    """Label for a reader: `NAT gateway cfd-nat`."""
    resource: str
    """URN."""
    item: str
    """Its name in the cloud's price list, `CloudCatalog.service_price`, whose unit the quantities have."""
    idle: int
    full: int
    group: Group


@dataclass(frozen=True, kw_only=True)
class QuotaNeed:
    """The amount of a quota that one resource, or group of machines, needs if all queues are full."""

    quota: "Quota"
    what: str
    """Label for a reader: `queue gpu: 8 × p5.48xlarge`."""
    need: float
    """Amount in the unit of the quota."""
