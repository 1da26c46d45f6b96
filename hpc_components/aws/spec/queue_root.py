"""The root disk of a queue's nodes where its description is silent."""

from hpc_components.aws.spec.nodes import AwsDisk
from hpc_components.aws.spec.queues import AwsQueue
from hpc_components.spec.queue_defaults import is_accelerated
from hpc_components.spec.values import Size

__all__ = ["root_of"]


def root_of(queue: AwsQueue) -> AwsDisk:
    """The root disk of a queue's nodes: larger where the image holds drivers (rule HPC-EBS-007)."""
    if queue.root is not None:
        return queue.root
    is_larger = any(is_accelerated(queue.cloud, name) for name in queue.machines)
    return AwsDisk(size=Size.gib(128 if is_larger else 64))
