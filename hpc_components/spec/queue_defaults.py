"""Defaults of a queue that depend on its machine; rules and components both ask here."""

from hpc_components.catalog import machine
from hpc_components.spec.queues import Queue, Reserved

__all__ = ["fabric_on", "is_accelerated", "is_reserved", "placement", "purchase_kind", "reservation_id"]


def fabric_on(queue: Queue) -> bool:
    """Whether nodes of a queue use the fast fabric: wherever the machine has it, unless switched off."""
    main = machine(queue.cloud, queue.machine)
    return queue.fabric is not False and main is not None and main.fabric is not None


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
