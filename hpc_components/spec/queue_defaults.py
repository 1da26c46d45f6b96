"""Defaults of a queue that depend on its machine, for rules and components."""

from typing import Literal

from hpc_components.catalog import Fabric, machine
from hpc_components.spec.queues import Queue, Reserved
from hpc_components.spec.values import Size


def fabric_of(queue: Queue) -> Fabric | None:
    """Return the fast fabric that nodes of a queue use: the machine's, unless switched off."""
    main = machine(queue.cloud, queue.machine)
    return main.fabric if main is not None and queue.fabric is not False else None


def fabric_on(queue: Queue) -> bool:
    """Return whether nodes of a queue use a fast fabric."""
    return fabric_of(queue) is not None


def placement(queue: Queue) -> str:
    """Return the placement of a queue: the described one, else `cluster` with a fast fabric, else `none`.

    Reserved machines have `none`: they were placed when they were reserved, and can't be launched into another group.
    """
    if queue.placement is not None:
        return queue.placement
    return "cluster" if fabric_on(queue) and not is_reserved(queue) else "none"


def purchase_kind(queue: Queue) -> str:
    """Return how a queue's machines are bought: `on_demand`, `spot`, `reservation`, or one of the cloud's own
    words."""
    return queue.purchase.kind if isinstance(queue.purchase, Reserved) else queue.purchase


def market_of(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """Return the market by which a queue's machines are billed; None if they are paid in advance."""
    if isinstance(queue.purchase, Reserved):
        return queue.purchase.market
    return "spot" if queue.purchase == "spot" else "on_demand"


def quota_market(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """Return the market whose quotas count a queue's machines; None if no quota does."""
    return "spot" if queue.purchase in queue.counted_as_spot else market_of(queue)


def is_reserved(queue: Queue) -> bool:
    """Return whether a queue's machines are billed even if they don't run."""
    return isinstance(queue.purchase, Reserved)


def reservation_id(queue: Queue) -> str | None:
    """Return the id of the reservation that a queue is launched into; None without one."""
    return queue.purchase.id if isinstance(queue.purchase, Reserved) else None


def is_accelerated(cloud: str, name: str) -> bool:
    """Return whether nodes of this machine type need drivers of GPUs or other accelerators."""
    found = machine(cloud, name)
    return found is not None and found.accelerator is not None


def root_size(queue: Queue) -> Size:
    """Return the size of the root disk of a queue's nodes: larger for images with drivers (rule HPC-EBS-007)."""
    if queue.root is not None:
        return queue.root.size
    return Size.gib(128 if any(is_accelerated(queue.cloud, name) for name in queue.machines) else 64)
