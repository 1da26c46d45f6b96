"""The simulation's schedules on Azure: its driver, over the emulated Resource Manager. Some of the thousand; all with
`HPC_ALL_SEEDS=1`. `HPC_SIMULATION_SEED=123 pytest -s` tells one.
"""

import os

import pytest

from elastic.simulation.azure_world import AzureWorld, NamedWorld
from elastic.simulation.doors import WrongError

SEEDS = 1000 if os.environ.get("HPC_ALL_SEEDS") else 60
AT_ONCE = 20
SEED = os.environ.get("HPC_SIMULATION_SEED")


@pytest.mark.skipif(SEED is not None, reason="only one seed is wanted")
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_all_is_well_in_the_end(first):
    for seed in range(first, first + AT_ONCE):
        try:
            AzureWorld(seed).run()
        except (WrongError, Exception) as error:
            pytest.fail(f"seed {seed}: {error!r}; HPC_SIMULATION_SEED={seed} pytest -s {__file__} tells how")


@pytest.mark.skipif(SEED is not None, reason="only one seed is wanted")
def test_all_is_well_with_availability_sets():
    for seed in range(AT_ONCE if SEEDS < 1000 else SEEDS):
        try:
            NamedWorld(seed).run()
        except (WrongError, Exception) as error:
            pytest.fail(f"seed {seed} of NamedWorld: {error!r}")


@pytest.mark.parametrize("seed", [56, 66, 94, 165])
def test_a_seed_failing_once_ends_well_now(seed):
    """A node had two machines, or lost one that worked, in these."""
    AzureWorld(seed).run()


def test_a_listed_machine_that_is_unknown_by_its_name_for_a_moment_is_not_doubled():
    """Neither the look-up nor the deletion found it, and its node got a second machine."""
    NamedWorld(752).run()


@pytest.mark.parametrize("how", ["clock steps", "forgetful lists"])
def test_nothing_but_one_thing_is_wrong(how):
    for seed in range(5):
        AzureWorld(seed).run_with(how)


def test_jobs_over_the_quota_are_tried_rarely():
    for seed in range(5):
        AzureWorld(seed).run_over_quota()


@pytest.mark.parametrize("how", ["silent", "broken", "quota", "failing"])
def test_jobs_that_can_run_elsewhere_do(how):
    for seed in range(5):
        AzureWorld(seed).run_beside(how)


@pytest.mark.skipif(SEED is None, reason="HPC_SIMULATION_SEED names no seed")
@pytest.mark.parametrize("world", [AzureWorld, NamedWorld])
def test_a_simulation_of_one_seed_ends_well(world):
    world(int(SEED or 0), tell=print).run()
