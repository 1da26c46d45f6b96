"""Defaults of a queue that depend on its machine; rules and components both ask here."""

from typing import Literal

from hpc_components.catalog import Fabric, machine
from hpc_components.spec.queues import Queue, Reserved
from hpc_components.spec.values import Size

__all__ = [
    "fabric_of", "fabric_on", "is_accelerated", "is_reserved", "market_of", "placement", "purchase_kind",
    "quota_market", "reservation_id", "root_size",
]  # fmt: skip


def fabric_of(queue: Queue) -> Fabric | None:
    """The fast fabric that nodes of a queue use: that of the machine, unless switched off."""
    main = machine(queue.cloud, queue.machine)
    return main.fabric if main is not None and queue.fabric is not False else None


def fabric_on(queue: Queue) -> bool:
    """Whether nodes of a queue use a fast fabric."""
    return fabric_of(queue) is not None


def placement(queue: Queue) -> str:
    """The placement of a queue: `cluster` with a fast fabric, else none, unless the description says otherwise.

    None where machines are reserved: they were placed when they were reserved, and can't be launched into another
    group.
    """
    if queue.placement is not None:
        return queue.placement
    return "cluster" if fabric_on(queue) and not is_reserved(queue) else "none"


def purchase_kind(queue: Queue) -> str:
    """How a queue's machines are bought: `on_demand`, `spot`, `reservation`, or another word of the cloud's."""
    return queue.purchase.kind if isinstance(queue.purchase, Reserved) else queue.purchase


def market_of(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """The market by which a queue's machines are billed; None if they were paid when they were bought."""
    if isinstance(queue.purchase, Reserved):
        return queue.purchase.market
    return "spot" if queue.purchase == "spot" else "on_demand"


def quota_market(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """The market by whose quotas a queue's machines are counted; None if they count against none."""
    return "spot" if queue.purchase in queue.counted_as_spot else market_of(queue)


def is_reserved(queue: Queue) -> bool:
    """Whether a queue's machines are paid whether they run or not."""
    return isinstance(queue.purchase, Reserved)


def reservation_id(queue: Queue) -> str | None:
    """Id of the reservation that a queue is launched into."""
    return queue.purchase.id if isinstance(queue.purchase, Reserved) else None


def is_accelerated(cloud: str, name: str) -> bool:
    """Whether nodes of this machine type need the drivers of GPUs or other accelerators."""
    found = machine(cloud, name)
    return found is not None and found.accelerator is not None


def root_size(queue: Queue) -> Size:
    """The size of the root disk of a queue's nodes: larger where the image holds drivers (rule HPC-EBS-007)."""
    if queue.root is not None:
        return queue.root.size
    return Size.gib(128 if any(is_accelerated(queue.cloud, name) for name in queue.machines) else 64)
