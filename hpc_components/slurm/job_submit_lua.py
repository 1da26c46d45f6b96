"""Writes job_submit.lua, which applies settings that slurm.conf can't express:

- A queue's `requeue: false`. Slurm's JobRequeue applies to the whole cluster, and any job may override it.
- A limit on GPU shares. All of a job's shares must come from a single GPU, but Slurm compares the request with the
  shares of the whole node. Without the limit, a job that requests more shares than one GPU has would wait
  indefinitely, ahead of other jobs.
- `cost_estimates`. At submission, Slurm prints what a job costs at most.

Source: run on Slurm 22.05 and 24.11.
"""

import math
from collections.abc import Sequence
from importlib.resources import files

from hpc_components.slurm.queue_nodes import QueueNodes
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.node_rates import queue_rate
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm.settings import max_time, queue_value
from hpc_components.spec.slurm.times import minutes


def needs_job_submit(cluster: ClusterSpec) -> bool:
    return tells_costs(cluster) or any(not queue.requeue or queue.gpu_sharing for queue in cluster.queues)


def tells_costs(cluster: ClusterSpec) -> bool:
    accounting = cluster.slurm.accounting
    return accounting is not None and accounting.cost_estimates


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
    text = tables + _script("job_submit.lua")
    if not tells_costs(cluster):
        return text
    costs = ",\n".join(_costs(cluster, queue, one) for queue, one in zip(cluster.queues, nodes, strict=True))
    return f"{text}\nlocal nodes_of = {{\n{costs}\n}}\n" + _script("job_cost.lua")


def _script(name: str) -> str:
    return files("hpc_components.slurm").joinpath(name).read_text(encoding="utf-8")


def _costs(cluster: ClusterSpec, queue: Queue, nodes: QueueNodes) -> str:
    """Return what one needs to know to foresee the cost of a job. Raise ValueError if the price is unknown."""
    rate = queue_rate(cluster, queue)
    if rate is None:
        raise ValueError(f"queue {queue.name}: cost_estimates need the price of a node; set it in billing.rates")
    default = queue_value(queue, "DefaultTime")
    time = minutes(default) if default is not None else max_time(queue)
    limit = "" if time is None or math.isinf(time) else f", minutes = {math.ceil(time)}"
    gpus = nodes.gpus.count if nodes.gpus else 0
    whole = ", whole = true" if (queue_value(queue, "OverSubscribe") or "").upper() == "EXCLUSIVE" else ""
    return (
        f'  ["{queue.name}"] = {{ usd = {rate.usd_per_hour}, basis = "{rate.basis}", cpus = {nodes.cpus}, '
        f"threads = {nodes.threads_per_core}, memory = {nodes.memory_mib}, gpus = {gpus}{limit}{whole} }}"
    )
