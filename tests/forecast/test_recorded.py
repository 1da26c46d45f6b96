"""The model against five queues with 200 jobs each, as real Slurm and the real daemon ran them (`record.py`)."""

import json

import pytest

from tests.forecast.against_real import Compared, compared
from tests.forecast.record import RECORDED
from tests.forecast.replay import Replayed, lab_cluster, lab_files
from tests.forecast.traces import JOBS, QUEUES

RELEASE = "22.05"


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


@pytest.mark.parametrize("queue", QUEUES)
def test_jobs_wait_as_long_as_forecast(queue: str, figures) -> None:
    """Waits below 20 s differ by seconds, because machines of the lab don't all take the same time to boot."""
    found = figures[queue]
    assert abs(found.wait_off) <= max(0.1 * found.real_wait, 2), found
