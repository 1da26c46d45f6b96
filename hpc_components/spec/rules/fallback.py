"""All machine types in a queue must look the same to Slurm."""

from collections.abc import Iterator

from hpc_components.catalog import Machine, real_memory_mib
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on, purchase_kind
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region, nearest, queue_machines
from hpc_components.wording import any_of

MAX_SPARE_MIB, MAX_SPARE_SHARE = 4096, 0.2
"""Maximum memory difference between a queue's machines, in MiB and as a share of the largest machine's memory.

Only a difference that exceeds both limits causes a warning. Source: ParallelCluster 3.16,
InstancesMemorySchedulingValidator.
"""


def _pairs(cluster: ClusterSpec) -> Iterator[tuple[Path, Queue, Machine, Machine]]:
    for index, queue in enumerate(cluster.queues):
        main = facts(cluster, queue.machine)
        for path, other in queue_machines(index, queue) if main else ():
            if main and other.name != main.name:
                yield path, queue, main, other


def _like(cluster: ClusterSpec, queue: Queue, main: Machine) -> str:
    found = nearest(main, [m for m in in_region(cluster) if _interchangeable(queue, main, m)])
    return (
        f"use {any_of(found)}"
        if found
        else f"create a separate queue for this machine: no other machine type matches {main.name}"
    )


def _interchangeable(queue: Queue, main: Machine, other: Machine) -> bool:
    return (
        other.arch == main.arch
        and other.bare_metal == main.bare_metal
        and other.slurm_cpus(smt=queue.smt) == main.slurm_cpus(smt=queue.smt)
        and (other.threads_per_core == main.threads_per_core or not queue.smt)
        and _accelerator(other) == _accelerator(main)
        and (other.fabric is not None or not fabric_on(queue))
        and (other.spot or purchase_kind(queue) != "spot")
    )


@rule("HPC-FLX-001", Level.ERROR)
def fallback_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue must not list the same machine type twice.

    A second attempt would draw on the same capacity, which has just turned out to be exhausted, and EC2 refuses a
    request that lists a type twice. Source: EC2 API, CreateFleet, "The fleet configuration contains duplicate
    instance pools".
    """
    for index, queue in enumerate(cluster.queues):
        for number, name in enumerate(queue.fallback):
            if name in queue.machines[: number + 1]:
                yield Problem(
                    path=("queues", index, "fallback", number),
                    value=name,
                    reason=f"{name} is a duplicate: the queue already lists this machine type",
                    remedy="remove it",
                )


@rule("HPC-FLX-002", Level.ERROR)
def fallback_architecture(cluster: ClusterSpec) -> Iterator[Problem]:
    """Fallback machines must have the same architecture as the queue's first machine.

    Source: ParallelCluster 3.16, InstancesArchitectureValidator.
    """
    for path, queue, main, other in _pairs(cluster):
        if other.arch != main.arch:
            yield Problem(
                path=path,
                value=other.name,
                reason=f"{other.name} is {other.arch}, but {main.name} is {main.arch}",
                remedy=_like(cluster, queue, main),
            )


@rule("HPC-FLX-003", Level.WARNING)
def fallback_cpus(cluster: ClusterSpec) -> Iterator[Problem]:
    """Fallback machines should have as many CPUs (or cores, with `smt: false`) as the queue's first machine.

    Slurm's configuration lists a queue's nodes before their machine types are known, and Slurm drains a node that
    reports fewer CPUs than configured. So every node is configured like the queue's smallest machine, and the
    additional CPUs of larger machines are billed but never used. Source: slurm.conf(5), CPUs; ParallelCluster 3.16,
    InstancesCPUValidator, where a difference is an error.
    """
    for path, queue, main, other in _pairs(cluster):
        has, wanted = other.slurm_cpus(smt=queue.smt), main.slurm_cpus(smt=queue.smt)
        if has == wanted:
            continue
        unit = "vCPUs" if queue.smt else "cores"
        larger = main if has < wanted else other
        so = (
            f"on {larger.name}, {abs(has - wanted)} would never be used, because all nodes are configured "
            "like the smallest"
        )
        yield Problem(
            path=path,
            value=other.name,
            reason=f"{other.name} has {has} {unit}, but {main.name} has {wanted}: {so}",
            remedy=_like(cluster, queue, main),
        )


@rule("HPC-FLX-004", Level.ERROR)
def fallback_gpus(cluster: ClusterSpec) -> Iterator[Problem]:
    """Fallback machines must have the same number and model of GPUs as the queue's first machine.

    A queue has only one line in gres.conf, and a job that requests a particular model must run on that model. Source:
    gres.conf(5); ParallelCluster 3.16, InstancesAcceleratorsValidator.
    """
    for path, queue, main, other in _pairs(cluster):
        if _accelerator(other) != _accelerator(main):
            yield Problem(
                path=path,
                value=other.name,
                reason=f"{other.name} has {_accelerator(other)}, but {main.name} has {_accelerator(main)}",
                remedy=_like(cluster, queue, main),
            )


@rule("HPC-FLX-005", Level.WARNING)
def fallback_memory(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's machines should have about the same amount of memory.

    Jobs can use only as much memory as the smallest machine has; the rest is billed but never used. Source:
    ParallelCluster 3.16, InstancesMemorySchedulingValidator, which warns if the difference is more than 4 GiB and
    more than a fifth.
    """
    for index, queue in enumerate(cluster.queues):
        memory = {machine.name: real_memory_mib(machine) for _, machine in queue_machines(index, queue)}
        if len(memory) < 2:
            continue
        least, most = min(memory, key=lambda name: memory[name]), max(memory, key=lambda name: memory[name])
        spare = memory[most] - memory[least]
        if spare > MAX_SPARE_MIB and spare > MAX_SPARE_SHARE * memory[most]:
            yield Problem(
                path=("queues", index, "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{most} has {memory[most] // 1024} GiB, but {least} has only {memory[least] // 1024} GiB: "
                "jobs can use only the smaller amount on either machine",
                remedy="use machines with the same amount of memory, or create a separate queue for each machine "
                "type",
            )


@rule("HPC-FLX-006", Level.WARNING)
def fallback_cards(cluster: ClusterSpec) -> Iterator[Problem]:
    """In a queue with a fast fabric, all machines should have the same number of network cards.

    The node with the slowest network slows down the whole job. Source: ParallelCluster 3.16,
    InstancesNetworkingValidator.
    """
    for path, queue, main, other in _pairs(cluster):
        if fabric_on(queue) and main.fabric and other.fabric and main.fabric.interfaces != other.fabric.interfaces:
            yield Problem(
                path=path,
                value=other.name,
                reason=f"{other.name} has {other.fabric.name} on {other.fabric.interfaces} cards "
                f"({other.fabric.gbps:g} Gbit/s), but {main.name} has it on {main.fabric.interfaces} "
                f"({main.fabric.gbps:g} Gbit/s)",
                remedy="create a separate queue for this machine",
            )


@rule("HPC-FLX-007", Level.ERROR)
def fallback_fabric(cluster: ClusterSpec) -> Iterator[Problem]:
    """In a queue with a fast fabric, every machine must have one.

    A job can't start if only some of its nodes have a fabric. Source: ParallelCluster 3.16, InstancesEFAValidator.
    """
    for path, queue, main, other in _pairs(cluster):
        if fabric_on(queue) and main.fabric and not other.fabric:
            yield Problem(
                path=path,
                value=other.name,
                reason=f"{other.name} has no {main.fabric.name}, but {main.name} uses it",
                remedy=_like(cluster, queue, main) + ", or set fabric: false",
            )


@rule("HPC-FLX-008", Level.WARNING)
def fallback_threads(cluster: ClusterSpec) -> Iterator[Problem]:
    """With `smt: true`, a queue's machines should have the same number of threads per core.

    With this setting, each hardware thread is a CPU. The same number of CPUs can therefore mean twice as many cores
    on some machines, where a job runs twice as fast. Source: EC2 DescribeInstanceTypes, VCpuInfo.
    """
    for path, queue, main, other in _pairs(cluster):
        same_cpus = other.slurm_cpus(smt=queue.smt) == main.slurm_cpus(smt=queue.smt)
        if queue.smt and same_cpus and other.threads_per_core != main.threads_per_core:
            yield Problem(
                path=path,
                value=other.name,
                reason=f"{other.name} has {other.cores} cores and {main.name} has {main.cores}, but Slurm counts "
                f"{main.vcpus} CPUs on both",
                remedy=_like(cluster, queue, main),
            )


def _accelerator(machine: Machine) -> str:
    found = machine.accelerator
    return f"{found.count} {found.manufacturer} {found.model}" if found else "no GPU"
