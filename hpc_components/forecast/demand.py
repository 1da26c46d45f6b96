"""What a job needs of a queue's nodes."""

import math
from dataclasses import dataclass
from functools import lru_cache

from hpc_components.forecast.fleet import QueueModel
from hpc_components.forecast.jobs import Job


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """What each of a job's nodes must have free, and the size of the whole job. Compared by identity, for speed."""

    nodes: int
    cpus: int
    memory_mib: int
    gpus: int
    units: int
    """The job's share of the queue in CPUs: that of its scarcest resource, on all nodes."""
    limit: int
    """Time limit in seconds."""


def demand_of(job: Job, queue: QueueModel) -> Demand | str:
    """Return what the job needs in this queue, or why Slurm would refuse it there.

    The job keeps its number of nodes, unless the queue's nodes have fewer CPUs or GPUs than it used on each: then it
    gets as many nodes as it needs. A job without a number of nodes gets as few as possible.
    """
    return _demand(job.nodes, job.cpus, job.memory_mib, job.gpus, job.limit, queue)


@lru_cache(maxsize=65536)
def _demand(nodes: int, cpus: int, memory: int, gpus: int, limit: int, queue: QueueModel) -> Demand | str:
    if gpus and not queue.gpus:
        return "it needs GPUs, but the nodes have none"
    if limit > queue.max_seconds:
        return f"its time limit is longer than the queue's ({round(queue.max_seconds / 60)} min)"
    asked = nodes
    nodes = max(nodes, -(-cpus // queue.cpus), -(-gpus // queue.gpus) if gpus else 1, 1)
    if not asked and memory:
        nodes = max(nodes, -(-memory // queue.memory_mib))
    if nodes > queue.max_nodes:
        return f"it needs more than {queue.max_nodes} nodes"
    each = -(-cpus // nodes) if cpus and not queue.whole_nodes else queue.cpus
    each = min(-(-each // queue.threads_per_core) * queue.threads_per_core, queue.cpus)
    mib = -(-memory // nodes) if memory else _default_memory(each, queue)
    if mib > queue.memory_mib:
        return f"it needs {math.ceil(mib / 1024)} GiB of memory on a node that has {queue.memory_mib // 1024} GiB"
    cards = -(-gpus // nodes)
    share = max(each, -(-mib * queue.cpus // queue.memory_mib), -(-cards * queue.cpus // queue.gpus) if cards else 0)
    return Demand(nodes, each, mib, cards, nodes * min(share, queue.cpus), limit or queue.default_seconds)


def _default_memory(cpus: int, queue: QueueModel) -> int:
    return min(cpus * queue.memory_per_cpu, queue.memory_mib) if queue.memory_per_cpu else queue.memory_mib
