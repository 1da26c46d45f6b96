"""A thousand schedules of bad luck; `HPC_SIMULATION_SEED=123 pytest -s tests/elastic/simulation` tells one."""

import os

import pytest

from elastic.simulation.doors import WrongError
from elastic.simulation.world import World

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


@pytest.mark.parametrize(
    ("how", "seed"),
    [("clock steps", 0), ("clock steps", 16), ("forgetful lists", 1), ("forgetful lists", 5)],
)
def test_a_seed_launching_twice_once_ends_well_now(how, seed):
    """A node had two machines, or a queue more than its maximum, in these."""
    World(seed).run_with(how)


@pytest.mark.parametrize("seed", [395, 661])
def test_a_launch_is_not_doubled_beside_a_machine_that_may_be_ending(seed):
    """The launch's machine was not listed yet, the one before it still was, and its end had not been answered."""
    World(seed).run()


@pytest.mark.parametrize("how", ["clock steps", "forgetful lists", "slow calls"])
def test_nothing_but_one_thing_is_wrong(how):
    for seed in range(50):
        try:
            World(seed).run_with(how)
        except WrongError as error:
            pytest.fail(f"seed {seed}: {error}")


def test_jobs_over_the_quota_are_tried_rarely():
    for seed in range(20):
        try:
            World(seed).run_over_quota()
        except WrongError as error:
            pytest.fail(f"seed {seed}: {error}")


def test_a_spent_budget_costs_only_what_was_running_until_its_jobs_end():
    for seed in range(60):
        try:
            World(seed).run_on_budget()
        except WrongError as error:
            pytest.fail(f"seed {seed}: {error}")


@pytest.mark.parametrize("how", ["silent", "broken", "quota", "failing"])
def test_jobs_that_can_run_elsewhere_do(how):
    for seed in range(20):
        try:
            World(seed).run_beside(how)
        except WrongError as error:
            pytest.fail(f"seed {seed}: {error}")


@pytest.mark.skipif(SEED is None, reason="HPC_SIMULATION_SEED names no seed")
def test_a_simulation_of_one_seed_ends_well():
    World(int(SEED or 0), tell=print).run()
