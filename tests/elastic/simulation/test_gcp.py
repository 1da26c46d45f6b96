"""The simulation's schedules on Google Cloud: its driver, over the emulated Compute Engine. Some of the thousand; all
with `HPC_ALL_SEEDS=1`. `HPC_SIMULATION_SEED=123 pytest -s` tells one.
"""

import os

import pytest

from elastic.simulation.doors import WrongError
from elastic.simulation.gcp_world import GcpWorld

SEEDS = 1000 if os.environ.get("HPC_ALL_SEEDS") else 60
AT_ONCE = 20
SEED = os.environ.get("HPC_SIMULATION_SEED")


@pytest.mark.skipif(SEED is not None, reason="only one seed is wanted")
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_all_is_well_in_the_end(first):
    for seed in range(first, first + AT_ONCE):
        try:
            GcpWorld(seed).run()
        except (WrongError, Exception) as error:
            pytest.fail(f"seed {seed}: {error!r}; HPC_SIMULATION_SEED={seed} pytest -s {__file__} tells how")


def test_a_machine_whose_end_was_not_answered_gets_no_job():
    """It registered before it ended, and took a job with it."""
    GcpWorld(175).run()


@pytest.mark.parametrize("how", ["clock steps", "forgetful lists"])
def test_nothing_but_one_thing_is_wrong(how):
    for seed in range(5):
        GcpWorld(seed).run_with(how)


def test_jobs_over_the_quota_are_tried_rarely():
    for seed in range(5):
        GcpWorld(seed).run_over_quota()


@pytest.mark.parametrize("how", ["silent", "broken", "quota", "failing"])
def test_jobs_that_can_run_elsewhere_do(how):
    for seed in range(5):
        GcpWorld(seed).run_beside(how)


@pytest.mark.skipif(SEED is None, reason="HPC_SIMULATION_SEED names no seed")
def test_a_simulation_of_one_seed_ends_well():
    GcpWorld(int(SEED or 0), tell=print).run()
