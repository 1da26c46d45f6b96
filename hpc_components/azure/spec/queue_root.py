"""The root disk of a queue's nodes where its description is silent."""

from hpc_components.azure.spec.nodes import AzureDisk
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.catalog import machine
from hpc_components.spec.values import Size


def root_of(queue: AzureQueue) -> AzureDisk:
    """The root disk of a queue's nodes: larger where the image holds drivers of GPUs or InfiniBand."""
    if queue.root is not None:
        return queue.root
    found = [each for name in queue.machines if (each := machine(queue.cloud, name))]
    is_larger = any(each.accelerator is not None or each.has_fabric for each in found)
    return AzureDisk(size=Size.gib(128 if is_larger else 64))
