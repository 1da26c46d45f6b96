"""Defines the machines, services and quotas that a plan uses, in cloud-neutral terms.

Each use of a machine or service has two quantities: idle, with all queues at their minimum number of nodes, and full,
with all queues and scaling groups at their maximum.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hpc_components.catalog import Quota

Group = Literal["compute", "access", "storage", "network", "other"]
"""Purpose of a cost: compute nodes (`compute`), head and login nodes (`access`), file systems (`storage`), `network`
or `other`."""


@dataclass(frozen=True, kw_only=True)
class MachineUse:
    """A group of identical machines, or a single machine."""

    what: str
    """Displayed name, e.g. `queue gpu` or `head node`."""
    resource: str
    """URN."""
    machines: tuple[str, ...]
    """Preferred machine type, followed by alternatives. Empty if not known yet."""
    purchase: str
    """Purchase option: `on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    idle: int
    full: int
    queue: str | None = None
    """The machines' queue, or None for machines outside queues."""

    @property
    def group(self) -> Group:
        return "compute" if self.queue else "access"


@dataclass(frozen=True, kw_only=True)
class ServiceUse:
    """A billed quantity of something other than machines, e.g. disks, addresses, gateways, file systems or keys."""

    what: str
    """Displayed name, e.g. `NAT gateway cfd-nat`."""
    resource: str
    """URN."""
    item: str
    """Item name in the cloud's price list (`CloudCatalog.service_price`). `idle` and `full` are in the unit of the
    item's price."""
    idle: int
    full: int
    group: Group
    note: str = ""
    """Why the quantity is an estimate, if it is one."""


@dataclass(frozen=True, kw_only=True)
class QuotaNeed:
    """The amount of a quota that a resource or group of machines needs when all queues are full."""

    quota: "Quota"
    what: str
    """Displayed name, e.g. `queue gpu: 8 × p5.48xlarge`."""
    need: float
    """Amount, in the quota's unit."""
