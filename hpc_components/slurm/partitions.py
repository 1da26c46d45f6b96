"""Writes a queue's lines in slurm.conf: its nodes, and its partition."""

from collections.abc import Mapping

from hpc_components.slurm.queue_nodes import QueueNodes
from hpc_components.slurm.releases import at_least
from hpc_components.slurm.settings import merged
from hpc_components.spec.queue_defaults import is_reserved
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm.values import Value, number

MEMORY_DEFAULTS = ("defmempercpu", "defmempernode", "defmempergpu")
"""Keys that set a memory default. Slurm accepts only one of them."""

NOWHERE = "127.0.0.1"
"""Address of a node until it registers with its own. On the head node, nothing listens at this address.

Without an address, Slurm would look up the node's name, ten times at intervals of a second, whenever it had to end a
job on a node that did not start; in the meantime, `scontrol reconfigure` would time out. After its first power-down,
a node's address is its name; see `UNREACHABLE` in `elastic.slurm.name_table`. Source: run on Slurm 22.05 and 24.11.
"""


def node_line(nodes: QueueNodes, version: str) -> str:
    """Return the line `NodeName=...` of a queue.

    Slurm 25.11 uses `Topology` to place a node that is powered down in the topology. Without it, the node would
    belong to no switch, and no job would get it until slurmctld restarted. Source: run on Slurm 25.11.2.
    """
    keys: dict[str, str | int] = {
        "NodeName": nodes.names,
        "NodeAddr": NOWHERE,
        "State": "CLOUD",
        "CPUs": nodes.cpus,
        "Sockets": nodes.sockets,
        "CoresPerSocket": nodes.cores_per_socket,
        "ThreadsPerCore": nodes.threads_per_core,
        "RealMemory": nodes.memory_mib,
        "Weight": nodes.weight,
        "Feature": ",".join(nodes.features),
    }
    if gpus := nodes.gpus:
        keys["Gres"] = ",".join(f"{kind}:{count}" for kind, count in gpus.gres.items())
    if at_least(version, "25.11"):
        keys["Topology"] = f"default:{nodes.queue}"
    return " ".join(f"{key}={value}" for key, value in keys.items())


def partition_line(queue: Queue, nodes: QueueNodes, settings: Mapping[str, Value], *, default: bool) -> str:
    """Return the line `PartitionName=...` of a queue. `settings` are the user's own settings for the whole cluster.

    Reserved machines are paid for anyway, so their partitions have a higher `PriorityTier` than the others (1). If a
    job names several partitions, Slurm therefore tries these first. A job without a memory request gets its CPUs'
    share of the node's memory, unless the user sets another default. When memory is scheduled, Slurm's own default
    would give the job all of it.
    """
    ours: dict[str, Value] = {"PartitionName": queue.name, "Nodes": nodes.names}
    if default:
        ours["Default"] = True
    if queue.qos is not None:
        ours["QOS"] = queue.qos
    if queue.idle_time is not None:
        ours["SuspendTime"] = queue.idle_time.seconds
    if is_reserved(queue):
        ours["PriorityTier"] = 2
    if not any(key.lower() in MEMORY_DEFAULTS for key in (*queue.slurm, *settings)):
        ours["DefMemPerCPU"] = _memory_per_cpu(nodes, queue.slurm, settings)
    return " ".join(f"{key}={value}" for key, value in merged(ours, queue.slurm).items())


def _memory_per_cpu(nodes: QueueNodes, *settings: Mapping[str, Value]) -> int:
    """Return a CPU's share of the node's memory in MiB, limited by the first of `settings` that sets a limit.

    Above `MaxMemPerCPU`, Slurm would silently double each job's CPUs. Above `MaxMemPerNode`, it would refuse jobs
    that need all of a node. Source: Slurm source code, src/slurmctld/job_mgr.c.
    """
    share = nodes.memory_mib // nodes.cpus
    for given in settings:
        most = {key.lower(): number(value) for key, value in given.items()}
        if "maxmempernode" in most:  # if this limit is set, Slurm ignores the other one
            return max(1, min(share, (most["maxmempernode"] or nodes.memory_mib) // nodes.cpus))
        if "maxmempercpu" in most:
            return min(share, most["maxmempercpu"] or share)
    return share
