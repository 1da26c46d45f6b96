"""The tests. Those on compute nodes are parts of one job for each queue, so that nodes are launched only once."""

from collections.abc import Callable, Sequence

from hpc_components.accept.checks import buckets, fabric, files, gpus, local_disks, nodes
from hpc_components.accept.checks.part import Part, QueueRun

PARTS: Sequence[Callable[[QueueRun], Part | None]] = (
    nodes.ranks, nodes.names, files.home, files.shared, fabric.devices, gpus.count, fabric.mpi, gpus.nccl,
    files.throughput, local_disks.local_scratch, buckets.buckets,
    nodes.boot_steps,
)  # fmt: skip
"""Each returns its part of a queue's job, or None if it does not apply to the queue."""
