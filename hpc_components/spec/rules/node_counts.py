from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-CAP-010", Level.ERROR)
def node_counts(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue must have at least one node, and `min` must not exceed `max`.

    A queue without nodes can't run jobs. Source: ParallelCluster 3.16, where a queue's maximum must be at least 1 and
    not less than its minimum.
    """
    for index, queue in enumerate(cluster.queues):
        if queue.max < 1:
            yield Problem(
                path=("queues", index, "max"),
                value=queue.max,
                reason=f"queue {queue.name} has no nodes",
                remedy="use max: 1 or more, or remove the queue",
            )
        elif not 0 <= queue.min <= queue.max:
            yield Problem(
                path=("queues", index, "min"),
                value=queue.min,
                reason=f"min must be between 0 and max ({queue.max})",
                remedy=f"use min: 0 to {queue.max}, or raise max",
            )
