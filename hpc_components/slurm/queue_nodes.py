"""Describes a queue's nodes for slurm.conf, before each node's machine type is known."""

from dataclasses import dataclass

from hpc_components.catalog import Machine, machine, price
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.node_capacity import capacity_of
from hpc_components.spec.queue_defaults import fabric_on, is_reserved, purchase_kind
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm.tres import Gpus, gpus_of, gres_type


@dataclass(frozen=True, kw_only=True)
class QueueNodes:
    """The nodes of one queue, all configured like the queue's smallest machine type.

    Slurm drains a node that registers with fewer CPUs or GPUs than configured, or with less than 90 % of the
    configured memory. Source: slurm.conf(5) 22.05 to 25.11, node_reg_mem_percent; Slurm source code,
    src/slurmctld/node_mgr.c.
    """

    queue: str
    count: int
    cpus: int
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    memory_mib: int
    features: tuple[str, ...]
    """Features that every node has, for use with `--constraint`."""
    weight: int
    """Node price in cents per hour. Within a partition, Slurm prefers nodes with a lower weight. All nodes of a queue
    have the same weight."""
    gpus: Gpus | None

    @property
    def names(self) -> str:
        """All nodes as a host list, e.g. `gpu-[1-3]`."""
        return host_range(self.queue, self.count)


def host_range(queue: str, count: int) -> str:
    return f"{queue}-1" if count == 1 else f"{queue}-[1-{count}]"


def queue_nodes(cluster: ClusterSpec, queue: Queue) -> QueueNodes:
    """Return the nodes of `queue`. Raise ValueError if the catalogue lacks one of its machine types."""
    machines = [_facts(queue, name) for name in queue.machines]
    main = machines[0]
    has = capacity_of(queue, machines)
    sockets = min(one.sockets or 1 for one in machines)
    return QueueNodes(
        queue=queue.name,
        count=queue.max,
        cpus=has.cpus,
        sockets=sockets if has.cores % sockets == 0 else 1,
        cores_per_socket=has.cores // sockets if has.cores % sockets == 0 else has.cores,
        threads_per_core=has.cpus // has.cores,
        memory_mib=has.memory_mib,
        features=_features(queue, machines),
        weight=_weight(main, cluster.region, queue),
        gpus=gpus_of(queue, main),
    )


def _facts(queue: Queue, name: str) -> Machine:
    found = machine(queue.cloud, name)
    if found is None:
        raise ValueError(
            f"queue {queue.name}: slurm.conf needs the number of cores and the memory of {name}, but the "
            "catalogue does not list this machine type; use one that `hpc machines` lists"
        )
    return found


def _features(queue: Queue, machines: list[Machine]) -> tuple[str, ...]:
    """Return the features common to all nodes.

    The machine type is left out if the queue has fallbacks, because nodes may then have different types.
    """
    main = machines[0]
    found = [main.name] if len(machines) == 1 else []
    found += [main.arch, purchase_kind(queue)]
    found += [main.fabric.kind] if main.fabric and fabric_on(queue) else []
    found += ["gpu", gres_type(main.gpu)] if main.gpu else []
    return tuple(found)


def _weight(machine: Machine, region: str, queue: Queue) -> int:
    """Return the weight of a queue's nodes, which is based on their price. Reserved machines have the lowest weight,
    1, because they are paid for even when idle.
    """
    if is_reserved(queue):
        return 1
    spot = price(machine, region, "spot") if purchase_kind(queue) == "spot" else None
    listed = spot or price(machine, region, "on_demand")
    return max(1, round(listed.usd * 100)) if listed else 1
