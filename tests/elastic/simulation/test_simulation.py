"""A thousand schedules of bad luck; `HPC_SIMULATION_SEED=123 pytest -s tests/elastic/simulation` tells one."""

import os

import pytest

from elastic.simulation.world import World, WrongError

SEEDS = 1000
AT_ONCE = 50
SEED = os.environ.get("HPC_SIMULATION_SEED")


@pytest.mark.skipif(SEED is not None, reason="only one seed is wanted")
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_all_is_well_in_the_end(first):
    for seed in range(first, first + AT_ONCE):
        try:
            World(seed).run()
        except (WrongError, Exception) as error:
            pytest.fail(f"seed {seed}: {error!r}; HPC_SIMULATION_SEED={seed} pytest -s {__file__} tells how")


@pytest.mark.parametrize("how", ["silent", "broken", "quota"])
def test_jobs_that_can_run_elsewhere_do(how):
    for seed in range(20):
        try:
            World(seed).run_beside(how)
        except WrongError as error:
            pytest.fail(f"seed {seed}: {error}")


@pytest.mark.skipif(SEED is None, reason="HPC_SIMULATION_SEED names no seed")
def test_one_seed():
    World(int(SEED or 0), tell=print).run()
