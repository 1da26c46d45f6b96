"""What follows from a queue's description where it is silent: said once, for the rules and for the components."""

from typing import Literal

from hpc_components.catalog import Accelerator, machine
from hpc_components.spec.nodes import Disk
from hpc_components.spec.queues import CapacityBlock, Queue, Reservation, Shards
from hpc_components.spec.values import Size

__all__ = [
    "RESERVED", "Placement", "PurchaseKind", "efa_on", "gpu_shares", "gres_type", "is_accelerated", "placement",
    "purchase_kind", "reservation_id", "root_of",
]  # fmt: skip

Placement = Literal["cluster", "partition", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "reservation", "capacity_block"]
RESERVED = frozenset({"reservation", "capacity_block"})
"""Purchases that are paid whether machines run or not."""


def efa_on(queue: Queue) -> bool:
    """Whether nodes of a queue are launched with EFA: wherever the machine has it, unless switched off."""
    main = machine("aws", queue.machine)
    return queue.efa is not False and main is not None and main.is_efa


def placement(queue: Queue) -> Placement:
    """The placement group of a queue: `cluster` with EFA, else none, unless the description says otherwise.

    None where machines are reserved: they were placed when they were, and a group of ours would not get them.
    """
    if queue.placement is not None:
        return queue.placement
    return "cluster" if efa_on(queue) and purchase_kind(queue) not in RESERVED else "none"


def purchase_kind(queue: Queue) -> PurchaseKind:
    """How a queue's machines are bought."""
    if isinstance(queue.purchase, CapacityBlock):
        return "capacity_block"
    return "reservation" if isinstance(queue.purchase, Reservation) else queue.purchase


def reservation_id(queue: Queue) -> str | None:
    """Id of the capacity reservation that a queue is launched into; capacity blocks are reservations too."""
    if isinstance(queue.purchase, CapacityBlock):
        return queue.purchase.capacity_block
    return queue.purchase.reservation if isinstance(queue.purchase, Reservation) else None


def root_of(queue: Queue) -> Disk:
    """The root disk of a queue's nodes: larger where the image holds drivers (rule HPC-EBS-007)."""
    if queue.root is not None:
        return queue.root
    return Disk(size=Size.gib(128 if any(map(is_accelerated, queue.machines)) else 64))


def is_accelerated(name: str) -> bool:
    """Whether nodes of this EC2 type need the drivers of GPUs or other accelerators."""
    found = machine("aws", name)
    return found is not None and found.accelerator is not None


def gres_type(gpu: Accelerator) -> str:
    """A GPU's model as jobs ask Slurm for it: `h100`, `rtx_pro_server_6000`."""
    return gpu.model.lower().replace(" ", "_").replace("-", "_")


def gpu_shares(queue: Queue) -> tuple[Literal["shard", "mps"], int] | None:
    """Slurm's word for a part of a GPU, and how many a GPU of the queue has; None where a GPU is one job's."""
    if queue.gpu_sharing is None:
        return None
    if isinstance(queue.gpu_sharing, Shards):
        return "shard", queue.gpu_sharing.shards
    return "mps", queue.gpu_sharing.mps
