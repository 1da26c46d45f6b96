from collections.abc import Iterator

from hpc_components.gcp.catalog.boot_times import boot_seconds
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.spec.slurm.rules.nodes import MIN_BOOT_SECONDS


@rule("HPC-SLM-039", Level.WARNING)
def boot_time_of_family(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`boot_time` must be long enough for the machine family: 15 minutes for H4D, 20 for A3 Ultra and A4.

    Otherwise, machines that are still booting are terminated and replaced. Source: Cluster Toolkit, examples of H4D,
    A3 Ultra and A4, ResumeTimeout.
    """
    given = cluster.slurm.boot_time
    if given.seconds < MIN_BOOT_SECONDS:
        return
    machines = [machine for index, queue in enumerate(cluster.queues) for _, machine in queue_machines(index, queue)]
    seconds, name = max(((boot_seconds(machine) or 0, machine.name) for machine in machines), default=(0, ""))
    if given.seconds < seconds:
        yield Problem(
            path=("slurm", "boot_time"),
            value=str(given),
            reason=f"{name} may need {seconds // 60} minutes to boot",
            remedy=f"use {seconds // 60}m",
        )
