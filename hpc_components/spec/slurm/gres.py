"""The generic resources of the queues' nodes, as Slurm counts them."""

from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queue_defaults import gpu_shares, gres_type
from hpc_components.spec.rules._fleet import queue_machines

__all__ = ["counted"]


def counted(cluster: ClusterSpec) -> Iterator[str]:
    """Their kinds as accounts and limits name them: `gres/gpu`, `gres/gpu:h100`, `gres/shard`."""
    for index, queue in enumerate(cluster.queues):
        for _, machine in queue_machines(index, queue):
            if machine.gpu:
                yield from ("gres/gpu", f"gres/gpu:{gres_type(machine.gpu)}")
                if shares := gpu_shares(queue):
                    yield f"gres/{shares[0]}"
