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
"""Address of a node that has not yet registered its own address. On the head node, nothing listens at this address.

Without an address, Slurm would look up the node's name ten times, at one-second intervals, whenever it had to end a
job on a node that did not start. During these lookups, `scontrol reconfigure` would time out. After a node is first
powered down, Slurm uses the node's name as its address; see `UNREACHABLE` in `elastic.slurm.name_table`. Source: run
on Slurm 22.05 and 24.11.
"""


def node_line(nodes: QueueNodes, version: str) -> str:
    """Return a queue's `NodeName=...` line.

    Slurm 25.11 uses `Topology` to assign a powered-down node to a switch. Without this key, the node would not belong
    to any switch, and no job could use it until slurmctld restarted. Source: run on Slurm 25.11.2.
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


def partition_line(
    queue: Queue,
    nodes: QueueNodes,
    settings: Mapping[str, Value],
    *,
    default: bool,
    group: str | None = None,
    weights: str | None = None,
) -> str:
    """Return a queue's `PartitionName=...` line. `settings` are the user's own settings for the whole cluster.

    If the queue belongs to a `group`, only its members may use it. Unlike a list of accounts, a group follows changes
    of its members without a new slurm.conf.

    Partitions of reserved machines have a `PriorityTier` of 2 instead of the default 1. Slurm therefore tries them
    first for jobs that name several partitions. Reserved machines should be used first because they are paid for even
    when idle.

    A job without a memory request gets its CPUs' share of the node's memory, unless the user sets another default.
    Slurm's own default would give the job all of the node's memory.

    `weights` are the billing weights of a cluster with budgets.
    """
    ours: dict[str, Value] = {"PartitionName": queue.name, "Nodes": nodes.names}
    if default:
        ours["Default"] = True
    if group is not None:
        ours["AllowGroups"] = group
    if queue.qos is not None:
        ours["QOS"] = queue.qos
    if queue.idle_time is not None:
        ours["SuspendTime"] = queue.idle_time.seconds
    if is_reserved(queue):
        ours["PriorityTier"] = 2
    if not any(key.lower() in MEMORY_DEFAULTS for key in (*queue.slurm, *settings)):
        ours["DefMemPerCPU"] = _memory_per_cpu(nodes, queue.slurm, settings)
    if weights is not None:
        ours["TRESBillingWeights"] = weights
    return " ".join(f"{key}={value}" for key, value in merged(ours, queue.slurm).items())


def _memory_per_cpu(nodes: QueueNodes, *settings: Mapping[str, Value]) -> int:
    """Return one CPU's share of the node's memory in MiB, capped by the first of `settings` that sets a limit.

    Above `MaxMemPerCPU`, Slurm would silently double each job's CPUs. Above `MaxMemPerNode`, Slurm would refuse jobs
    that need a whole node. Source: Slurm source code, src/slurmctld/job_mgr.c.
    """
    share = nodes.memory_mib // nodes.cpus
    for given in settings:
        most = {key.lower(): number(value) for key, value in given.items()}
        if "maxmempernode" in most:  # if this limit is set, Slurm ignores the other one
            return max(1, min(share, (most["maxmempernode"] or nodes.memory_mib) // nodes.cpus))
        if "maxmempercpu" in most:
            return min(share, most["maxmempercpu"] or share)
    return share
