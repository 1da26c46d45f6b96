"""Fleets for tests, from described clusters."""

from collections.abc import Iterable, Mapping
from typing import Any

from hpc_components.forecast.fleet import Fleet, fleet_of
from hpc_components.forecast.jobs import Job
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.queue_run import QueueRun
from hpc_components.forecast.run import FleetRun, run
from hpc_components.slurm import slurm_files
from tests.rehearse.setups import changed

BOOT_SECONDS = 45
NODE = {"machine": "c7i.large", "placement": "none"}
"""Nodes with one core of two threads."""
BIG_NODE = {"machine": "c7i.2xlarge", "placement": "none"}
"""Nodes with four cores of two threads, and 15.3 GiB."""


def fleet(*queues: Mapping[str, Any], **parts: Any) -> Fleet:
    """The fleet of a cluster with these queues, named `q`, `q2` and so on."""
    named = [{"name": "q" if index == 1 else f"q{index}", **queue} for index, queue in enumerate(queues, 1)]
    cluster = changed("aws-dev", queues=named, **parts)
    return fleet_of(cluster, slurm_files(cluster))


def job(submit: int = 0, seconds: int = 60, nodes: int = 1, **more: Any) -> Job:
    """A job of whole nodes with two CPUs, unless told otherwise."""
    values = {
        "limit": 600, "cpus": 2 * nodes, "memory_mib": 0, "gpus": 0, "queue": "q", "account": "a", "user": "u",
        "waited": -1,
    } | more  # fmt: skip
    return Job(submit=submit, seconds=seconds, nodes=nodes, **{"name": f"{submit}-{seconds}", **values})


def ran(fleet: Fleet, jobs: Iterable[Job], **assumed: Any) -> QueueRun:
    """What happened to the jobs in the first queue."""
    whole = FleetRun(fleet, Assumptions(**{"boot_seconds": BOOT_SECONDS, **assumed}))
    run(jobs, [whole])
    return next(iter(whole.queues.values()))
