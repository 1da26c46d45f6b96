"""The model against five queues with 200 jobs each, as real Slurm and the real daemon ran them (`record.py`)."""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from tests.forecast.against_real import Compared, compared
from tests.forecast.record import BOOT_SECONDS, MOST_LATE_SECONDS, RECORDED, read_recording
from tests.forecast.replay import lab_cluster, lab_files
from tests.forecast.traces import JOBS, QUEUES

PAGE = Path(__file__).parents[2] / "docs/forecast.md"

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


TITLES = {
    "bursts": "bursts of short jobs",
    "wide": "one to four nodes, backfilled",
    "shared": "parts of nodes",
    "sparse": "groups, between which nodes stop",
    "full": "more than the nodes can do",
}


def test_the_page_shows_the_recorded_figures() -> None:
    """HPC_WRITE_GOLDENS=1 writes them."""
    rows = [
        f"| {TITLES[queue]} | {release} | {each.real_seconds:,.0f} | {each.model_seconds:,} "
        f"({_signed(each.seconds_off)}) | {each.real_wait:.1f} s | {each.model_wait:.1f} s "
        f"({_signed(each.wait_off / each.real_wait)}) |\n"
        for release, queue in BOTH
        for each in [figures(release)[queue]]
    ]
    text = PAGE.read_text()
    (head,) = re.findall(r"^\| queue \| Slurm \|.*\n\|[-| :]+\|\n", text, re.MULTILINE)
    before, _, rest = text.partition(head)
    shown = re.match(r"(\|.*\n)*", rest)
    assert shown
    if os.environ.get("HPC_WRITE_GOLDENS"):
        PAGE.write_text(f"{before}{head}{''.join(rows)}{rest[shown.end() :]}")
    else:
        assert shown[0] == "".join(rows)


def _signed(share: float) -> str:
    return f"{share:+.1%}".replace("-", "−").replace("%", " %")
