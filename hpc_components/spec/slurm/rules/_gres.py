from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.spec.slurm.tres import counted_gres, gpus_of


def counted(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return the generic resources of all queue machines in the catalogue, e.g. `gres/gpu`, `gres/gpu:h100` and
    `gres/shard`.
    """
    return counted_gres(
        gpus_of(queue, machine)
        for index, queue in enumerate(cluster.queues)
        for _, machine in queue_machines(index, queue)
    )
