"""The model against five queues with 200 jobs each, as real Slurm and the real daemon ran them (`record.py`)."""

import json

import pytest

from tests.forecast.against_real import Compared, compared
from tests.forecast.record import RECORDED
from tests.forecast.replay import Replayed, lab_cluster, lab_files
from tests.forecast.traces import JOBS, QUEUES

RELEASES = ("22.05", "24.11")

CASES = [(release, queue) for release in RELEASES for queue in QUEUES]


@pytest.fixture(scope="module")
def figures() -> dict[tuple[str, str], Compared]:
    """What real Slurm did, and the forecast, by release and queue."""
    cluster, found = lab_cluster(QUEUES), {}
    for release in RELEASES:
        machines = json.loads((RECORDED / f"{release}.machines.json").read_text())
        real = Replayed((RECORDED / f"{release}.sacct").read_text(), tuple(map(tuple, machines)))
        for queue, each in compared(cluster, lab_files(cluster, release), real).items():
            found[release, queue] = each
            print(f"Slurm {release}, {queue}: {each}")
    return found


@pytest.mark.parametrize(("release", "queue"), CASES)
def test_machines_run_as_long_as_forecast(release: str, queue: str, figures) -> None:
    found = figures[release, queue]
    assert found.jobs == JOBS
    assert abs(found.seconds_off) <= 0.05, found


@pytest.mark.parametrize(("release", "queue"), CASES)
def test_jobs_wait_as_long_as_forecast(release: str, queue: str, figures) -> None:
    """Waits below 20 s differ by seconds, because machines of the lab don't all take the same time to boot."""
    found = figures[release, queue]
    assert abs(found.wait_off) <= max(0.1 * found.real_wait, 2), found
