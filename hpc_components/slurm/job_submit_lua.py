"""Writes job_submit.lua, which applies two settings that slurm.conf can't express:

- A queue's `requeue: false`. Slurm's JobRequeue applies to the whole cluster, and any job may override it.
- A limit on GPU shares. All of a job's shares must come from a single GPU, but Slurm compares the request with the
  shares of the whole node. Without the limit, a job that requests more shares than one GPU has would wait
  indefinitely, ahead of other jobs.

Source: run on Slurm 22.05 and 24.11.
"""

from collections.abc import Sequence
from importlib.resources import files

from hpc_components.slurm.queue_nodes import QueueNodes
from hpc_components.spec.cluster import ClusterSpec


def needs_job_submit(cluster: ClusterSpec) -> bool:
    return any(not queue.requeue or queue.gpu_sharing for queue in cluster.queues)


def job_submit_lua(cluster: ClusterSpec, nodes: Sequence[QueueNodes]) -> str:
    stay_down = [f'["{queue.name}"] = true' for queue in cluster.queues if not queue.requeue]
    shares = [
        f'["{one.queue}"] = {{ {one.gpus.shares[0]} = {one.gpus.shares[1]} }}'
        for one in nodes
        if one.gpus and one.gpus.shares
    ]
    tables = (
        f'local default_queue = "{cluster.queues[0].name}"\n'
        f"local stays_down = {{ {', '.join(stay_down)} }}\n"
        f"local shares_of_a_gpu = {{ {', '.join(shares)} }}\n"
    )
    return tables + files("hpc_components.slurm").joinpath("job_submit.lua").read_text(encoding="utf-8")
