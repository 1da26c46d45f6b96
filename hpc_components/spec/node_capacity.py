from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.catalog import Machine, machine, real_memory_mib
from hpc_components.spec.queues import Queue


@dataclass(frozen=True, kw_only=True)
class NodeCapacity:
    """Resources that a node is guaranteed to have, whichever of the queue's machine types is launched."""

    cores: int
    cpus: int
    """Number of hardware threads, or of cores if the queue has `smt: false`."""
    memory_mib: int
    """Slurm's `RealMemory`."""
    gpus: int


def capacity_of(queue: Queue, machines: Sequence[Machine]) -> NodeCapacity:
    cores = min(one.cores for one in machines)
    cpus = min(one.slurm_cpus(smt=queue.smt) for one in machines)
    return NodeCapacity(
        cores=cores,
        cpus=cores * (cpus // cores),
        memory_mib=queue.memory.bytes // 2**20 if queue.memory else min(map(real_memory_mib, machines)),
        gpus=min(one.gpu.count if one.gpu else 0 for one in machines),
    )


def node_capacity(queue: Queue) -> NodeCapacity | None:
    """Return the capacity of a queue's nodes, or None if a machine type is missing from the catalogue."""
    found = [one for name in queue.machines if (one := machine(queue.cloud, name))]
    return capacity_of(queue, found) if len(found) == len(queue.machines) else None
