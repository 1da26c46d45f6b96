"""The generic resources that a cluster counts, for rules that compare names with them."""

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.spec.slurm.tres import counted_gres, gpus_of


def counted(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return the resources of all machines with facts: `gres/gpu`, `gres/gpu:h100`, `gres/shard`."""
    return counted_gres(
        gpus_of(queue, machine)
        for index, queue in enumerate(cluster.queues)
        for _, machine in queue_machines(index, queue)
    )
