"""Rules on a queue's demands on processors, memory and disks."""

from collections.abc import Iterator

from hpc_components.catalog import real_memory_mib
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Problem
from hpc_components.spec.node_capacity import node_capacity
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region, nearest, queue_machines
from hpc_components.wording import any_of, plural

__all__: list[str] = []


@rule("HPC-MCH-013", Level.INFO)
def nothing_to_switch_off(cluster: ClusterSpec) -> Iterator[Problem]:
    """`smt: false` is for machines with two hardware threads per core.

    Source: EC2 DescribeInstanceTypes, VCpuInfo.
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        if not queue.smt and machine and machine.threads_per_core == 1:
            yield Problem(
                path=("queues", index, "smt"),
                value=False,
                reason=f"{machine.name} has one thread per core: its {machine.vcpus} vCPUs are {machine.cores} cores",
                remedy="nothing to do: it is the same with and without",
            )


@rule("HPC-MCH-015", Level.INFO)
def not_a_gpu(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm counts GPUs as `gres/gpu`; a cloud's own accelerators are none.

    Jobs that ask for `gpu` never get Trainium or Inferentia, and jobs that share such a node are not kept from each
    other's devices. Source: gres.conf(5): a generic resource is scheduled by the name it is configured with.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue):
            if machine.accelerator and machine.gpu is None:
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"{machine.accelerator.count} {machine.accelerator.model} are no gres/gpu: "
                    "jobs can't ask for some of them",
                    remedy="let jobs ask for whole nodes of this queue (--exclusive)",
                )


@rule("HPC-MCH-016", Level.ERROR)
def local_disks(cluster: ClusterSpec) -> Iterator[Problem]:
    """`local_scratch` is for machines with NVMe disks of their own.

    Fallback machines must have them too: otherwise some nodes of the queue lack the directory. Source: EC2
    DescribeInstanceTypes, InstanceStorageInfo.
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
                    reason=f"{machine.name} has no local disks for local_scratch {queue.local_scratch}",
                    remedy=f"use {any_of(with_disks)}, or leave local_scratch out"
                    if with_disks
                    else "remove local_scratch",
                )


@rule("HPC-MCH-017", Level.ERROR)
def memory_there(cluster: ClusterSpec) -> Iterator[Problem]:
    """`memory` is no more than the node has.

    Slurm drains a node that reports less than 90 % of its configured memory; with less missing, it gives jobs memory
    that does not exist. Source: slurm.conf(5), RealMemory, node_reg_mem_percent; the memory that the operating system
    sees, as measured.
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
                reason=f"the system of {least} sees {seen[least]:,} MiB, {queue.memory} is more",
                remedy=f"use at most {seen[least] // 1024}GiB, or leave it out for all that is there",
            )


@rule("HPC-MCH-023", Level.WARNING)
def memory_is_used(cluster: ClusterSpec) -> Iterator[Problem]:
    """`memory` is at least half of what the node has.

    The rest is paid for, and no job can ask for it: `1GiB` of a node of 384 GiB is probably a slip. Source:
    slurm.conf(5), RealMemory; the memory that the operating system sees, as measured; the share is ours.
    """
    for index, queue in enumerate(cluster.queues):
        seen = [real_memory_mib(machine) for _, machine in queue_machines(index, queue)]
        if queue.memory is not None and seen and queue.memory.bytes / 2**20 < min(seen) / 2:
            path = ("queues", index, "memory")
            yield Problem(
                path=path,
                value=str(queue.memory),
                reason=f"jobs can ask for {queue.memory} of the {min(seen) // 1024:,} GiB that each node of queue"
                f" {queue.name} has and that are paid for",
                remedy="leave it out for all that is there",
                fix=(Change(path),),
            )


@rule("HPC-MCH-022", Level.ERROR)
def memory_for_each_cpu(cluster: ClusterSpec) -> Iterator[Problem]:
    """`memory` is at least 1 MiB for each CPU of the node.

    A job that names no memory gets its CPUs' share of it, in whole MiB, and where that is 0, Slurm gives the job all
    of the node. Source: slurm.conf(5), DefMemPerCPU, 0 is unlimited.
    """
    for index, queue in enumerate(cluster.queues):
        node = node_capacity(queue)
        if queue.memory is None or node is None or node.memory_mib >= node.cpus:
            continue
        yield Problem(
            path=("queues", index, "memory"),
            value=str(queue.memory),
            reason=f"{queue.memory} is less than 1 MiB for each of the node's {plural(node.cpus, 'CPU')}",
            remedy="write it with its unit, as 64GiB, or leave it out for all that is there",
        )
