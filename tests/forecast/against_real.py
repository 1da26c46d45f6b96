"""The model beside what real Slurm did with the same jobs."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from hpc_components.elastic.names import queue_of
from hpc_components.forecast.fleet import fleet_of
from hpc_components.forecast.jobs import in_order
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun, run
from hpc_components.forecast.sacct import sacct_jobs
from hpc_components.spec.cluster import ClusterSpec
from tests.forecast.replay import Replayed

REGISTRATION_SECONDS = 1
"""Time from the start of slurmd to the start of the first job on the node."""


@dataclass(frozen=True)
class Compared:
    """Seconds of machines, and median waits of jobs, of one queue."""

    jobs: int
    real_seconds: float
    model_seconds: int
    real_wait: float
    model_wait: float

    @property
    def seconds_off(self) -> float:
        return self.model_seconds / self.real_seconds - 1

    @property
    def wait_off(self) -> float:
        return self.model_wait - self.real_wait

    def __str__(self) -> str:
        return (
            f"{self.jobs} jobs: {self.real_seconds:.0f} s of machines, forecast {self.model_seconds} "
            f"({self.seconds_off:+.1%}); median wait {self.real_wait:.1f} s, forecast {self.model_wait:.1f}"
        )


def compared(cluster: ClusterSpec, files: dict[str, str], real: Replayed) -> dict[str, Compared]:
    """Each queue's figures. The model is given the mean time that the machines took to boot."""
    jobs = list(sacct_jobs(real.sacct.splitlines(), Counter()))
    boot = mean(real.boots) + REGISTRATION_SECONDS
    whole = FleetRun(fleet_of(cluster, files), Assumptions(boot_seconds=round(boot)))
    run(in_order(jobs), [whole])
    seconds: defaultdict[str, float] = defaultdict(float)
    for node, launched, _, ended in real.machines:
        seconds[queue_of(node)] += ended - launched
    return {
        name: Compared(
            jobs=len(waits := _waits(jobs, name)),
            real_seconds=seconds[name],
            model_seconds=each.tally.machine_seconds.total(),
            real_wait=median(waits),
            model_wait=median(each.tally.waits),
        )
        for name, each in whole.queues.items()
    }


def _waits(jobs: Sequence, queue: str) -> list[int]:
    return [job.waited for job in jobs if job.queue == queue]
