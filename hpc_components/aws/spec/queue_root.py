"""The default root disk of a queue's nodes."""

from hpc_components.aws.spec.nodes import AwsDisk
from hpc_components.aws.spec.queues import AwsQueue
from hpc_components.spec.queue_defaults import root_size


def root_of(queue: AwsQueue) -> AwsDisk:
    """Return the root disk of a queue's nodes: as described, or the default."""
    return queue.root if queue.root is not None else AwsDisk(size=root_size(queue))
