"""What is tested on which queues, and what it may cost at most."""

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_UP, Decimal

from hpc_components.accept.checks import PARTS
from hpc_components.accept.checks.part import Part, QueueRun
from hpc_components.accept.cluster import AcceptanceError
from hpc_components.accept.result import Code, QueueJob
from hpc_components.catalog import machine
from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.node_rates import queue_rate
from hpc_components.spec.queues import Queue
from hpc_components.wording import did_you_mean

DEFAULT_NODES = 2

_CENT = Decimal("0.01")

_QUEUEING_SECONDS = 600
"""Time that a job may wait for other jobs, besides the launch of its nodes."""

_LAUNCHES = 2
"""Launches for which a job waits: the first may fail, and nodes of another pool are launched."""

_ASKING_SECONDS = 600
"""Time to read a job's output, and for the cloud's commands, before the wait for a notice begins."""

_SPOT = "spot"

_REHEARSED_RANKS_PER_CORE = 8
_REHEARSED_MIB = 64
_REHEARSED_PATIENCE_SECONDS = 180
_REHEARSED_NOTICE_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Plan:
    cluster: ClusterSpec
    runs: Sequence[QueueRun]
    jobs: Sequence[QueueJob]
    """The job of each run."""
    skip: Collection[Code]
    patience: int
    """Seconds after which a job that has not started is cancelled."""
    spot_runs: Sequence[QueueRun] = ()
    """Queues on which a spot machine is taken away, after all other jobs."""
    spot_jobs: Sequence[QueueJob] = ()
    """The job of each of these."""
    notice_within: int = 0
    """Seconds after which a spot machine must have its notice."""

    @property
    def minutes(self) -> int:
        """Time after which all jobs must have ended, because they run one after the other."""
        return sum(math.ceil(self.patience / 60) + job.minutes + 1 for job in self.jobs)

    @property
    def usd(self) -> Decimal:
        """Sum of the known maximum costs."""
        return sum((job.usd for job in self.all_jobs if job.usd is not None), Decimal(0))

    @property
    def unpriced(self) -> list[str]:
        return [job.queue for job in self.all_jobs if job.usd is None]

    @property
    def all_jobs(self) -> Sequence[QueueJob]:
        return [*self.jobs, *self.spot_jobs]


def plan_acceptance(
    cluster: ClusterSpec,
    *,
    queues: Collection[str] = (),
    nodes: int | None = None,
    skip: Collection[Code] = (),
    spot: bool = False,
    rehearsed_on_cores: int | None = None,
) -> Plan:
    """Plan the test of these queues, or of all, with `nodes` nodes each (default: 2, or the queue's maximum).

    With `spot`, a machine of each of them that buys spot machines is taken away. With `rehearsed_on_cores`, the
    cluster is a rehearsal on a machine with that many cores. Raise AcceptanceError if a queue does not exist or is
    smaller than `nodes`, or if none of the tested queues buys spot machines although `spot` is set.
    """
    by_name = {queue.name: queue for queue in cluster.queues}
    for name in queues:
        if name not in by_name:
            hint = did_you_mean(name, by_name, f"its queues are {', '.join(by_name)}")
            raise AcceptanceError(f"cluster {cluster.name} has no queue {name!r}; {hint}")
    chosen = [queue for queue in cluster.queues if not queues or queue.name in queues]
    runs = [_run(cluster, queue, nodes, rehearsed_on_cores) for queue in chosen]
    waits = cluster.slurm.boot_time.seconds * _LAUNCHES + _QUEUEING_SECONDS
    spot_runs, within = _spot_runs(cluster, runs) if spot and Code.SPOT not in skip else ([], 0)
    within = min(within, _REHEARSED_NOTICE_SECONDS) if rehearsed_on_cores else within
    return Plan(
        cluster=cluster,
        runs=runs,
        jobs=[_job(run, skip) for run in runs],
        skip=frozenset(skip),
        patience=_REHEARSED_PATIENCE_SECONDS if rehearsed_on_cores else waits,
        spot_runs=spot_runs,
        spot_jobs=[_spot_job(run, within) for run in spot_runs],
        notice_within=within,
    )


def _spot_runs(cluster: ClusterSpec, runs: Sequence[QueueRun]) -> tuple[list[QueueRun], int]:
    """Return the runs of queues that buy spot machines, and the seconds within which a notice must come."""
    found = [replace(run, nodes=1, ranks_per_node=1) for run in runs if run.queue.purchase == _SPOT]
    part = cloud_named(cluster.cloud).parts.spot
    if found and part:
        return found, part.NOTICE_WITHIN_SECONDS
    others = [queue.name for queue in cluster.queues if queue.purchase == _SPOT]
    remedy = f"add --queue {others[0]}, or leave out --spot" if part and others else "leave out --spot"
    names = ", ".join(run.queue.name for run in runs)
    raise AcceptanceError(
        f"--spot takes a spot machine away, but no queue has `purchase: {_SPOT}` (tested are {names}); {remedy}"
    )


def _spot_job(run: QueueRun, within: int) -> QueueJob:
    """Return the job whose machine is taken away: it waits for the notice, and runs again on another machine."""
    minutes = math.ceil((within + _ASKING_SECONDS) / 60)
    return QueueJob(
        queue=run.queue.name, machine=run.queue.machine, nodes=1, minutes=minutes, usd=_usd(run, minutes, launches=2)
    )


def parts_of(run: QueueRun, skip: Collection[Code]) -> list[Part]:
    """Return the parts of a queue's job."""
    made = (part(run) for part in PARTS)
    return [part for part in made if part and part.code not in skip]


def description_hash(plan: Plan) -> str:
    """Return the SHA-256 of the description, whatever its order of keys and its comments."""
    document = plan.cluster.model_dump(mode="json", exclude_unset=True)
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _run(cluster: ClusterSpec, queue: Queue, nodes: int | None, cores: int | None) -> QueueRun:
    if nodes and nodes > queue.max:
        raise AcceptanceError(f"queue {queue.name} has at most {queue.max} nodes, fewer than --nodes {nodes}")
    number = nodes or min(DEFAULT_NODES, queue.max)
    facts = machine(queue.cloud, queue.machine)
    ranks = facts.slurm_cpus(smt=queue.smt) if facts else 1
    run = QueueRun(cluster=cluster, queue=queue, nodes=number, ranks_per_node=ranks, user="")
    if cores is None:
        return run
    most = max(1, _REHEARSED_RANKS_PER_CORE * cores // number)
    return replace(run, ranks_per_node=min(ranks, most), mib=_REHEARSED_MIB, speeds_count=False)


def _job(run: QueueRun, skip: Collection[Code]) -> QueueJob:
    # before the job's folders are known, count all file systems
    folders = {store.mount: "/" for store in run.cluster.storage.values()}
    seconds = sum(part.seconds for part in parts_of(replace(run, folder="/", folders=folders), skip))
    minutes = math.ceil(seconds / 60) + 1
    return QueueJob(
        queue=run.queue.name,
        machine=run.queue.machine,
        nodes=run.nodes,
        minutes=minutes,
        usd=_usd(run, minutes),
    )


def _usd(run: QueueRun, minutes: int, *, launches: int = 1) -> Decimal | None:
    rate = queue_rate(run.cluster, run.queue)
    if rate is None:
        return None
    idle = run.queue.idle_time or run.cluster.slurm.idle_time
    seconds = launches * (run.cluster.slurm.boot_time.seconds + idle.seconds) + minutes * 60
    return (rate.usd_per_hour * run.nodes * seconds / 3600).quantize(_CENT, rounding=ROUND_UP)
