"""The model against five queues with 200 jobs each, as real Slurm and the real daemon ran them (`record.py`)."""

from functools import cache

import pytest

from tests.forecast.against_real import Compared, compared
from tests.forecast.record import BOOT_SECONDS, MOST_LATE_SECONDS, RECORDED, read_recording
from tests.forecast.replay import lab_cluster, lab_files
from tests.forecast.traces import JOBS, QUEUES

RELEASES = sorted(file.name.removesuffix(".machines.json") for file in RECORDED.glob("*.machines.json"))

BOTH = [(release, queue) for release in RELEASES for queue in QUEUES]


@cache
def figures(release: str) -> dict[str, Compared]:
    """What real Slurm did, and the forecast, by queue."""
    cluster = lab_cluster(QUEUES)
    found = compared(cluster, lab_files(cluster, release), read_recording(release))
    for queue, each in found.items():
        print(f"{release} {queue}: {each}")
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_recorded_machines_took_the_same_time_to_boot(release: str) -> None:
    """Otherwise, the machine that recorded them was busy with something else."""
    boots = read_recording(release).boots
    assert min(boots) >= BOOT_SECONDS - 0.2
    assert max(boots) <= BOOT_SECONDS + MOST_LATE_SECONDS


@pytest.mark.parametrize(("release", "queue"), BOTH)
def test_machines_run_as_long_as_forecast(release: str, queue: str) -> None:
    found = figures(release)[queue]
    assert found.jobs == JOBS
    assert abs(found.seconds_off) <= 0.05, found


@pytest.mark.parametrize(("release", "queue"), BOTH)
def test_jobs_wait_as_long_as_forecast(release: str, queue: str) -> None:
    found = figures(release)[queue]
    assert found.real_wait >= 20, "times are whole seconds, so a tenth of less than this is rounding"
    assert abs(found.wait_off) <= 0.1 * found.real_wait, found
