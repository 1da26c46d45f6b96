"""The model beside real Slurm and the real daemon, on the same few jobs, now."""

import pytest

from hpc_components.rehearse.cluster.adapt import Times
from tests.forecast.against_real import compared
from tests.forecast.replay import lab_cluster, lab_setup, replay
from tests.forecast.traces import Asked
from tests.rehearse.performing import ROOTS, lacks

BOOT_SECONDS, IDLE_SECONDS = 45, 70

JOBS = [Asked(0, seconds, nodes, 2 * nodes, 1) for nodes, seconds in [(1, 1)] * 9 + [(2, 14), (3, 1), (1, 1)]]
"""Nine short jobs, and wider ones behind them for which nodes must become free together."""


@pytest.mark.slow
@pytest.mark.slurm
def test_machines_run_as_long_as_forecast_for_short_jobs_and_wide_ones() -> None:
    """A node's idle time counts from the end of its last job, and a wide job leaves nodes idle until the last of its
    nodes is free. So what machines cost depends on the order in which jobs start.

    The limits are wider than for the recorded queues, because other tests make machines boot more slowly.
    """
    if lacking := lacks("22.05"):
        pytest.skip(lacking)
    cluster = lab_cluster({"q": {"machine": "c7i.large", "max": 4}})
    setup = lab_setup(cluster, ROOTS["22.05"], Times(idle=IDLE_SECONDS, stop=5, boot=200))
    real = replay(setup, {"q": JOBS}, BOOT_SECONDS)
    found = compared(cluster, dict(setup.files), real)["q"]
    print(found)
    assert found.jobs == len(JOBS)
    assert abs(found.seconds_off) <= 0.1, found
    assert abs(found.wait_off) <= 0.1 * found.real_wait, found
