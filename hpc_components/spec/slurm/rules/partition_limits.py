from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_capacity import NodeCapacity, node_capacity
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import Setting, partition_settings
from hpc_components.spec.slurm.values import number

GIB_MEANT_RATIO = 100
"""If the available memory is more than this many times a memory setting, the setting was probably meant in GiB
instead of MiB."""


@dataclass(frozen=True, kw_only=True)
class _Amount:
    """An amount of memory or CPUs that is set per node, CPU or GPU, and the amount that a node has."""

    setting: Setting
    wanted: int
    each: str
    """What the amount applies to: `node`, `CPU` or `GPU`."""
    count: int
    """Number of CPUs or GPUs in a node, or 1 if the amount is per node."""
    has: int
    """The node's total memory or number of CPUs."""
    unit: str

    @property
    def share(self) -> int:
        return self.has // self.count


@rule("HPC-SLM-018", Level.ERROR)
def partition_nodes(cluster: ClusterSpec) -> Iterator[Problem]:
    """`MinNodes` must not exceed the partition's number of nodes or its `MaxNodes`.

    Source: slurm.conf(5), MinNodes, MaxNodes.
    """
    for index, queue in enumerate(cluster.queues):
        settings = partition_settings(cluster, index)
        least, most = settings.get("minnodes"), settings.get("maxnodes")
        wanted = number(least.text) if least else None
        allowed = number(most.text) if most else None
        if least is None or wanted is None:
            continue
        if wanted > queue.max:
            reason, remedy = f"the queue has only {queue.max}", f"use at most {queue.max}"
        elif allowed is not None and wanted > allowed > 0:
            reason, remedy = f"MaxNodes allows {allowed}", f"use at most {allowed}, or raise MaxNodes"
        else:
            continue
        yield Problem(
            path=least.path,
            value=least.value,
            reason=f"each job must have at least {wanted} nodes, but {reason}",
            remedy=remedy,
        )


@rule("HPC-SLM-019", Level.ERROR)
def partition_defaults(cluster: ClusterSpec) -> Iterator[Problem]:
    """A node must have at least the memory and CPUs that a job gets by default.

    Otherwise Slurm refuses jobs that request no memory, or that request GPUs but no CPUs. If only jobs that use all
    of a node's CPUs or GPUs are affected, the finding is a warning. A node's memory is what its operating system
    reports. Source: slurm.conf(5), DefMemPerNode, DefMemPerCPU, DefMemPerGPU, DefCpuPerGPU.
    """
    for queue, amount in _first_of_each(cluster, "Def"):
        whole = amount.wanted * amount.count
        if whole <= amount.has:
            continue
        got = f"gets {amount.wanted:,} {amount.unit}" + (f" for each {amount.each}" if amount.each != "node" else "")
        named = "memory" if amount.unit == "MiB" else "CPUs"
        if amount.wanted > amount.has:
            reason = f"a job that requests no {named} {got}, but a node in queue {queue.name} has only {amount.has:,}"
        else:
            reason = (
                f"a job that requests no {named} and uses all {amount.count} {amount.each}s of a node needs "
                f"{whole:,} {amount.unit}, but a node in queue {queue.name} has only {amount.has:,}"
            )
        yield Problem(
            path=amount.setting.path,
            value=amount.setting.value,
            reason=reason,
            remedy=f"use at most {amount.share}" + ("; the unit is MiB" if amount.unit == "MiB" else ""),
            level=None if amount.wanted > amount.has else Level.WARNING,
        )


@rule("HPC-SLM-030", Level.ERROR)
def defaults_allowed(cluster: ClusterSpec) -> Iterator[Problem]:
    """A job's default memory must not exceed the maximum.

    If the default exceeds MaxMemPerNode, Slurm refuses jobs that request no memory. If the default exceeds
    MaxMemPerCPU, Slurm silently allocates several times as many CPUs as such a job requests. Source: Slurm source
    code, src/slurmctld/job_mgr.c.
    """
    reported: set[tuple[Path, Path]] = set()
    for index, queue in enumerate(cluster.queues):
        settings = _settings(cluster, index)
        default = settings.get("defmempernode") or settings.get("defmempercpu")
        limit = settings.get("maxmempernode") or settings.get("maxmempercpu")
        got, most = (number(one.text) if one else None for one in (default, limit))
        if default is None or limit is None or not got or not most or got <= most:
            continue
        each = default.key.lower()[-3:], limit.key.lower()[-3:]
        if each == ("ode", "cpu") or (default.path, limit.path) in reported:
            continue
        reported.add((default.path, limit.path))
        doubled = each == ("cpu", "cpu")
        yield Problem(
            path=default.path,
            value=default.value,
            reason=f"a job that requests no memory gets {got:,} MiB, but {limit.key} allows only {most:,}: "
            + (
                f"Slurm allocates {-(-got // most)} CPUs for each one requested"
                if doubled
                else f"queue {queue.name} refuses the job"
            ),
            remedy=f"use at most {most}, or raise {limit.key}",
            level=Level.WARNING if doubled else None,
        )


@rule("HPC-SLM-031", Level.WARNING)
def meant_in_gib(cluster: ClusterSpec) -> Iterator[Problem]:
    """Memory in Slurm settings must be written in MiB.

    `DefMemPerNode: 64` gives a job 64 MiB, which is too little to run anything. An amount is reported if it is less
    than a hundredth of the memory available, and the same number of GiB would fit on the node. Source: slurm.conf(5),
    DefMemPerNode, "in megabytes".
    """
    for queue, amount in (*_first_of_each(cluster, "Def"), *_first_of_each(cluster, "Max")):
        if (
            amount.unit == "MiB"
            and amount.wanted * GIB_MEANT_RATIO < amount.share
            and amount.wanted * 1000 <= amount.has
        ):
            does = "gets" if amount.setting.key.lower().startswith("def") else "may have"
            each = f" for each {amount.each}"
            yield Problem(
                path=amount.setting.path,
                value=amount.setting.value,
                reason=f"the unit is MiB: a job {does} {amount.wanted} MiB{each}, but queue {queue.name} has "
                f"{amount.share:,} MiB",
                remedy=f"write {min(amount.wanted * 1024, amount.share)} if you meant GiB",
            )


@rule("HPC-SLM-032", Level.INFO)
def limits_limit(cluster: ClusterSpec) -> Iterator[Problem]:
    """A partition's limits should not exceed its actual resources.

    Higher limits have no effect. Source: slurm.conf(5), MaxNodes, MaxCPUsPerNode, MaxMemPerNode.
    """
    for index, queue in enumerate(cluster.queues):
        has = node_capacity(queue)
        there: dict[str, tuple[int, str]] = {"MaxNodes": (queue.max, "nodes")}
        if has is not None:
            there |= {"MaxCPUsPerNode": (has.cpus, "CPUs a node"), "MaxMemPerNode": (has.memory_mib, "MiB a node")}
        settings = partition_settings(cluster, index)
        for key, (count, what) in there.items():
            setting = settings.get(key.lower())
            value = number(setting.text) if setting and setting.scope == "partition" else None
            if setting and value is not None and value > count:
                yield Problem(
                    path=setting.path,
                    value=setting.value,
                    reason=f"this limit has no effect, because queue {queue.name} has only {count:,} {what}",
                    remedy="remove this limit, or use a smaller number",
                )


def _first_of_each(cluster: ClusterSpec, kind: str) -> Iterator[tuple[Queue, _Amount]]:
    """Yield (queue, amount) once for each default (if `kind` is `Def`) or once for each limit (if `kind` is `Max`).

    A cluster-wide setting is yielded with the queue that has the least memory or CPUs per node, CPU or GPU.
    """
    found: dict[Path, tuple[Queue, _Amount]] = {}
    for index, queue in enumerate(cluster.queues):
        has = node_capacity(queue)
        for amount in _amounts(_settings(cluster, index), has, kind) if has else ():
            known = found.get(amount.setting.path)
            if known is None or amount.share < known[1].share:
                found[amount.setting.path] = queue, amount
    yield from found.values()


def _settings(cluster: ClusterSpec, index: int) -> dict[str, Setting]:
    """Return the settings that apply to a queue, keyed by lower-case name.

    If memory is set both per node and per CPU, only the setting that Slurm uses is kept. Slurm uses the per-node
    setting, unless that setting is cluster-wide and the queue has its own per-CPU setting.
    """
    settings = partition_settings(cluster, index)
    for start in ("defmemper", "maxmemper"):
        node, cpu = settings.get(f"{start}node"), settings.get(f"{start}cpu")
        if node and cpu:
            ignored = node if (node.scope, cpu.scope) == ("global", "partition") else cpu
            del settings[ignored.key.lower()]
    return settings


def _amounts(settings: dict[str, Setting], has: NodeCapacity, kind: str) -> Iterator[_Amount]:
    memory, cpus = (has.memory_mib, "MiB"), (has.cpus, "CPUs")
    for key, each, count, (total, unit) in (
        ("MemPerNode", "node", 1, memory),
        ("MemPerCPU", "CPU", has.cpus, memory),
        ("MemPerGPU", "GPU", has.gpus, memory),
        ("CpuPerGPU", "GPU", has.gpus, cpus),
    ):
        setting = settings.get(f"{kind}{key}".lower())
        wanted = number(setting.text) if setting else None
        if setting and wanted and count and total >= count:
            yield _Amount(setting=setting, wanted=wanted, each=each, count=count, has=total, unit=unit)
