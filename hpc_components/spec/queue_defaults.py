from typing import Literal

from hpc_components.catalog import Fabric, machine
from hpc_components.spec.queues import Queue, Reserved
from hpc_components.spec.values import Size


def fabric_of(queue: Queue) -> Fabric | None:
    """Return the fast fabric of a queue's nodes, or None if the machine type has none or the queue disables it."""
    main = machine(queue.cloud, queue.machine)
    return main.fabric if main is not None and queue.fabric is not False else None


def fabric_on(queue: Queue) -> bool:
    return fabric_of(queue) is not None


def placement(queue: Queue) -> str:
    """Return the queue's placement. The default is `cluster` if the queue has a fast fabric, and `none` otherwise.

    For reserved machines, the default is always `none`: they were placed when they were reserved, and can't be
    launched into another group.
    """
    if queue.placement is not None:
        return queue.placement
    return "cluster" if fabric_on(queue) and not is_reserved(queue) else "none"


def purchase_kind(queue: Queue) -> str:
    """Return how a queue's machines are bought: `on_demand`, `spot`, `reservation`, or a cloud-specific word."""
    return queue.purchase.kind if isinstance(queue.purchase, Reserved) else queue.purchase


def market_of(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """Return the market whose prices apply to a queue's machines, or None if the machines are paid for in advance."""
    if isinstance(queue.purchase, Reserved):
        return queue.purchase.market
    return "spot" if queue.purchase == "spot" else "on_demand"


def quota_market(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """Return the market whose quotas apply to a queue's machines, or None if no quota applies."""
    return "spot" if queue.purchase in queue.counted_as_spot else market_of(queue)


def is_reserved(queue: Queue) -> bool:
    """Return whether a queue's machines are billed even when they aren't running."""
    return isinstance(queue.purchase, Reserved)


def reservation_id(queue: Queue) -> str | None:
    return queue.purchase.id if isinstance(queue.purchase, Reserved) else None


def is_accelerated(cloud: str, name: str) -> bool:
    """Return whether a machine type needs drivers for GPUs or other accelerators."""
    found = machine(cloud, name)
    return found is not None and found.accelerator is not None


def root_size(queue: Queue) -> Size:
    """Return the root disk size of a queue's nodes. The default is larger for images with drivers (rule
    HPC-EBS-007).
    """
    if queue.root is not None:
        return queue.root.size
    return Size.gib(128 if any(is_accelerated(queue.cloud, name) for name in queue.machines) else 64)
