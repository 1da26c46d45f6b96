"""The root disk of a queue's nodes, and its default."""

from hpc_components.azure.spec.nodes import AzureDisk
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.catalog import machine
from hpc_components.spec.values import Size


def root_of(queue: AzureQueue) -> AzureDisk:
    """Return the root disk of a queue's nodes. The default is larger for images with GPU or InfiniBand drivers."""
    if queue.root is not None:
        return queue.root
    found = [each for name in queue.machines if (each := machine(queue.cloud, name))]
    is_larger = any(each.accelerator is not None or each.has_fabric for each in found)
    return AzureDisk(size=Size.gib(128 if is_larger else 64))
