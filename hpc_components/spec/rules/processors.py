"""Rules for accelerators, memory and local disks."""

from collections.abc import Iterator

from hpc_components.catalog import real_memory_mib
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Problem
from hpc_components.spec.node_capacity import node_capacity
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.spec.slurm.settings import queue_value
from hpc_components.wording import any_of, plural


@rule("HPC-MCH-015", Level.INFO)
def not_a_gpu(cluster: ClusterSpec) -> Iterator[Problem]:
    """Jobs on accelerators other than GPUs should get whole nodes.

    In Slurm, `gres/gpu` covers only GPUs. Jobs that request `gpu` never get Trainium or Inferentia, and jobs that
    share a node with such accelerators are not isolated from each other's devices. Source: gres.conf(5): a generic
    resource is scheduled by the name it is configured with; slurm.conf(5), OverSubscribe=EXCLUSIVE.
    """
    for index, queue in enumerate(cluster.queues):
        if (queue_value(queue, "OverSubscribe") or "").upper() == "EXCLUSIVE":
            continue
        for path, machine in queue_machines(index, queue):
            if machine.accelerator and machine.gpu is None:
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"Slurm does not treat {machine.accelerator.count} {machine.accelerator.model} as GPUs "
                    "(gres/gpu): jobs can't request individual devices, and all jobs on a node share every "
                    "device",
                    fix=(Change(("queues", index, "slurm", "OverSubscribe"), "EXCLUSIVE"),),
                )


@rule("HPC-MCH-016", Level.ERROR)
def local_disks(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with `local_scratch` must have machines with local NVMe disks.

    Fallback machines must have local disks as well; otherwise, some of the queue's nodes would lack the scratch
    directory. Source: EC2 DescribeInstanceTypes, InstanceStorageInfo.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if queue.local_scratch else ():
            if machine.local_nvme_gb == 0:
                with_disks = nearest(
                    machine, [m for m in in_region(cluster) if m.local_nvme_gb and m.arch == machine.arch]
                )
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"{machine.name} has no local disks for local_scratch: {queue.local_scratch}",
                    remedy=f"use {any_of(with_disks)}, or remove local_scratch"
                    if with_disks
                    else "remove local_scratch",
                )


@rule("HPC-MCH-017", Level.ERROR)
def memory_there(cluster: ClusterSpec) -> Iterator[Problem]:
    """`memory` must not exceed the node's actual memory.

    Slurm drains a node that reports less than 90 % of its configured memory; between 90 and 100 %, Slurm allocates
    memory that does not exist. Source: slurm.conf(5), RealMemory, node_reg_mem_percent; memory visible to the
    operating system, as measured.
    """
    for index, queue in enumerate(cluster.queues):
        seen = {machine.name: real_memory_mib(machine) for _, machine in queue_machines(index, queue)}
        if queue.memory is None or not seen:
            continue
        least = min(seen, key=lambda name: seen[name])
        if queue.memory.bytes / 2**20 > seen[least]:
            yield Problem(
                path=("queues", index, "memory"),
                value=str(queue.memory),
                reason=f"the operating system on {least} sees only {seen[least]:,} MiB, which is less than "
                f"{queue.memory}",
                remedy=f"use at most {seen[least] // 1024}GiB, or remove this key to use all of the node's memory",
            )


@rule("HPC-MCH-023", Level.WARNING)
def memory_is_used(cluster: ClusterSpec) -> Iterator[Problem]:
    """`memory` should be at least half of the node's memory.

    Jobs can't request the rest of the memory, although it is billed. For example, `1GiB` on a node with 384 GiB is
    probably a mistake. Source: slurm.conf(5), RealMemory; memory visible to the operating system, as measured; the
    threshold is our own.
    """
    for index, queue in enumerate(cluster.queues):
        seen = [real_memory_mib(machine) for _, machine in queue_machines(index, queue)]
        if queue.memory is not None and seen and queue.memory.bytes / 2**20 < min(seen) / 2:
            path = ("queues", index, "memory")
            yield Problem(
                path=path,
                value=str(queue.memory),
                reason=f"jobs can request only {queue.memory} of the {min(seen) // 1024:,} GiB on each node in queue "
                f"{queue.name}",
                remedy="remove this key to use all of the node's memory",
                fix=(Change(path),),
            )


@rule("HPC-MCH-022", Level.ERROR)
def memory_for_each_cpu(cluster: ClusterSpec) -> Iterator[Problem]:
    """`memory` must be at least 1 MiB per CPU.

    A job that requests no memory gets a default amount for each of its CPUs, rounded down to whole MiB. If that
    amount is 0, Slurm gives the job all of the node's memory. Source: slurm.conf(5), DefMemPerCPU, where 0 means
    unlimited.
    """
    for index, queue in enumerate(cluster.queues):
        node = node_capacity(queue)
        if queue.memory is None or node is None or node.memory_mib >= node.cpus:
            continue
        yield Problem(
            path=("queues", index, "memory"),
            value=str(queue.memory),
            reason=f"{queue.memory} is less than 1 MiB for each of the node's {plural(node.cpus, 'CPU')}",
            remedy="specify the unit, e.g. 64GiB, or remove this key to use all of the node's memory",
        )
