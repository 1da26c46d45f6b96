"""Defines what a plan uses, in cloud-neutral terms and in the units in which it is billed or limited.

Each use has two quantities: idle, with all queues at their minimum number of nodes, and full, with every queue and
scaling group at its maximum.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hpc_components.catalog import Quota

Group = Literal["compute", "access", "storage", "network", "other"]
"""Purpose of a cost: queues' nodes (`compute`), head and login nodes (`access`), file systems (`storage`), `network`,
or `other`."""


@dataclass(frozen=True, kw_only=True)
class MachineUse:
    """A group of identical machines, or a single machine."""

    what: str
    """Label for readers, e.g. `queue gpu` or `head node`."""
    resource: str
    """URN of the resource."""
    machines: tuple[str, ...]
    """Machine types: the usual one, followed by alternatives. Empty if not known yet."""
    purchase: str
    """How the machines are bought: `on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    idle: int
    full: int
    queue: str | None = None
    """Name of the queue that the machines belong to, if any."""

    @property
    def group(self) -> Group:
        """Purpose of the cost."""
        return "compute" if self.queue else "access"


@dataclass(frozen=True, kw_only=True)
class ServiceUse:
    """A quantity of something other than machines, e.g. disks, addresses, gateways, file systems or keys."""

    what: str
    """Label for readers, e.g. `NAT gateway cfd-nat`."""
    resource: str
    """URN of the resource."""
    item: str
    """The item's name in the cloud's price list (`CloudCatalog.service_price`). Quantities are in the price's
    unit."""
    idle: int
    full: int
    group: Group


@dataclass(frozen=True, kw_only=True)
class QuotaNeed:
    """How much of a quota a resource or group of machines needs if all queues are full."""

    quota: "Quota"
    what: str
    """Label for readers, e.g. `queue gpu: 8 × p5.48xlarge`."""
    need: float
    """Amount in the quota's unit."""
