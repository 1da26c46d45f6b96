"""Checks spot machines with a fast fabric, on clouds that offer them."""

from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.queue_defaults import fabric_on, purchase_kind
from hpc_components.spec.queues import Queue
from hpc_components.spec.rules._values import Wrong


def spot_fabrics(cluster: ClusterSpec) -> Iterator[tuple[Path, str, Queue]]:
    """Yield (path, `spot`, queue) for each spot queue with a fast fabric whose jobs can span several nodes."""
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "spot" and fabric_on(queue) and queue.max > 1:
            yield ("queues", index, "purchase"), "spot", queue


def jobs_start_again(queue: Queue, notice: str) -> Wrong:
    """Return (reason, remedy) for a queue from `spot_fabrics`. `notice` is a possessive, e.g. `30 seconds'`."""
    return (
        f"a multi-node job in queue {queue.name} restarts whenever one of its nodes is reclaimed, with only "
        f"{notice} notice",
        "have jobs write checkpoints often, or use purchase: on_demand for long jobs",
    )
