"""The model against five queues with 200 jobs each, as real Slurm and the real daemon ran them (`record.py`)."""

import json
from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import Any

import pytest

from hpc_components.forecast.fleet import fleet_of
from hpc_components.forecast.jobs import in_order
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.nodes import Node
from hpc_components.forecast.queue_run import RESUME_SECONDS, QueueRun
from hpc_components.forecast.sacct import sacct_jobs
from hpc_components.forecast.waiting import Waiting
from tests.forecast.against_real import Compared, compared
from tests.forecast.record import BOOT_SECONDS, RECORDED
from tests.forecast.replay import Replayed, lab_cluster, lab_files
from tests.forecast.traces import JOBS, QUEUES

RELEASE = "22.05"

CROWDED = "wide"
"""A queue with more jobs than its nodes can do at first, so that a late start of its first nodes delays most jobs."""


@pytest.fixture(scope="module")
def figures() -> dict[str, Compared]:
    """What real Slurm did, and the forecast, by queue."""
    cluster = lab_cluster(QUEUES)
    machines = json.loads((RECORDED / f"{RELEASE}.machines.json").read_text())
    real = Replayed((RECORDED / f"{RELEASE}.sacct").read_text(), tuple(map(tuple, machines)))
    found = compared(cluster, lab_files(cluster, RELEASE), real)
    for queue, each in found.items():
        print(f"{queue}: {each}")
    return found


@pytest.mark.parametrize("queue", QUEUES)
def test_machines_run_as_long_as_forecast(queue: str, figures) -> None:
    found = figures[queue]
    assert found.jobs == JOBS
    assert abs(found.seconds_off) <= 0.05, found


@pytest.mark.parametrize("queue", [queue for queue in QUEUES if queue != CROWDED])
def test_jobs_wait_as_long_as_forecast(queue: str, figures) -> None:
    """A median of less than 20 s may be 2 s off, because times are whole seconds."""
    found = figures[queue]
    assert abs(found.wait_off) <= max(0.1 * found.real_wait, 2), found


def test_backfilled_jobs_start_when_forecast_if_the_first_nodes_do() -> None:
    """Twenty-two machines booted at once, so the first jobs waited 27 s for nodes rather than the 18 s of the mean,
    and the jobs behind them inherited that. With the first nodes as late as they were, starts agree.
    """
    cluster = lab_cluster(QUEUES)
    fleet = fleet_of(cluster, lab_files(cluster, RELEASE))
    lines = (RECORDED / f"{RELEASE}.sacct").read_text().splitlines()
    jobs = [job for job in in_order(sacct_jobs(lines, Counter())) if job.queue == CROWDED]
    first = jobs[: fleet.queues[CROWDED].count]
    assert all(job.nodes == 1 for job in first), "each of them got a machine of its own"
    queue = _LateNodes(fleet.queues[CROWDED], fleet, Assumptions(boot_seconds=BOOT_SECONDS))
    queue.late = [job.waited - RESUME_SECONDS for job in first]
    for job in jobs:
        queue.submit(job)
    queue.finish()
    off = [queue.starts[job.name] - (job.submit + job.waited) for job in jobs]
    print(f"median error {median(map(abs, off))} s, {sum(abs(each) <= 1 for each in off)} within a second")
    assert median(map(abs, off)) <= 1
    assert abs(median(queue.tally.waits) - median(job.waited for job in jobs)) <= 3


class _LateNodes(QueueRun):
    """A queue whose first machines take `late` seconds to boot. Remembers when each job started."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.late: list[int] = []
        self.starts: dict[str, int] = {}

    def _launch(self, nodes: Iterable[Node], now: int) -> bool:
        usual = self._boot
        self._boot = self.late.pop(0) if self.late else usual
        launched = super()._launch(nodes, now)
        self._boot = usual
        return launched

    def _start(self, waiting: Waiting, now: int) -> bool:
        before = len(self.tally.waits)
        started = super()._start(waiting, now)
        if len(self.tally.waits) > before:
            self.starts[waiting.job.name] = waiting.job.submit + self.tally.waits[-1]
        return started
