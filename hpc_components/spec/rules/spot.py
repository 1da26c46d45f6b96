import math
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Problem
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.spec.slurm.settings import max_time
from hpc_components.wording import any_of

LONG_JOB_MINUTES = 2 * 1440


@rule("HPC-CAP-001", Level.ERROR)
def sold_as_spot(cluster: ClusterSpec) -> Iterator[Problem]:
    """Spot queues must have machine types that are available as spot machines.

    On AWS, HPC types are not available as spot machines. Source: the cloud's own list, as recorded in the catalogue;
    on AWS, EC2 DescribeInstanceTypes, SupportedUsageClasses.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if purchase_kind(queue) == "spot" else ():
            if not machine.spot:
                sold = [m for m in in_region(cluster) if m.spot and m.arch == machine.arch]
                others = nearest(machine, [m for m in sold if m.has_fabric] if machine.has_fabric else sold)
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"{machine.name} is not available as a spot machine",
                    remedy=f"use purchase: on_demand, or {any_of(others)}" if others else "use purchase: on_demand",
                    level=Level.WARNING if "usage" in machine.unsure else None,
                )


@rule("HPC-CAP-014", Level.WARNING)
def spot_requeues(cluster: ClusterSpec) -> Iterator[Problem]:
    """Spot queues should requeue jobs whose node is reclaimed.

    Spot machines are reclaimed at short notice (two minutes on AWS). Without requeueing, their jobs are lost.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "spot" and not queue.requeue:
            yield Problem(
                path=("queues", index, "requeue"),
                value=False,
                reason=f"when a spot node in queue {queue.name} is reclaimed, its job fails permanently",
                remedy="remove requeue: false, and let jobs write checkpoints",
            )


@rule("HPC-CAP-015", Level.WARNING)
def spot_kept_running(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes that are kept running should not be spot machines.

    Spot machines can be reclaimed regardless of `min`, and must then be launched again.
    """
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "spot" and queue.min > 0:
            yield Problem(
                path=("queues", index, "min"),
                value=queue.min,
                reason=f"{queue.min} spot nodes would be kept running, but they can be reclaimed at any time",
                remedy="use min: 0, or use purchase: on_demand for a small queue that is always running",
            )


@rule("HPC-CAP-030", Level.WARNING)
def spot_for_short_jobs(cluster: ClusterSpec) -> Iterator[Problem]:
    """Jobs in a spot queue should run for at most two days.

    A requeued job restarts from the beginning unless it writes checkpoints. The longer a job runs and the more nodes
    it has, the less likely it is to finish. If your jobs write checkpoints, silence this rule. Source: EC2 user
    guide, "Spot Instance interruptions" and best practices; Azure documentation, "Use Azure Spot Virtual Machines";
    Compute Engine documentation, "Spot VMs"; the limit of two days is our own.
    """
    for index, queue in enumerate(cluster.queues):
        longest = max_time(queue)
        if purchase_kind(queue) == "spot" and longest is not None and LONG_JOB_MINUTES < longest < math.inf:
            key = next(key for key in queue.slurm if key.lower() == "maxtime")
            path = ("queues", index, "slurm", key)
            yield Problem(
                path=path,
                value=queue.slurm[key],
                reason=f"a job with a time limit of {queue.slurm[key]} loses its progress whenever one of its spot "
                "nodes is reclaimed" + ("" if queue.requeue else ", and fails because requeue is false"),
                remedy="use 2-0 (two days) or less, or let jobs write checkpoints and silence this rule",
                fix=(Change(path, "2-0"),),
            )
