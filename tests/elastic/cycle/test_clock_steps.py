"""The head node's clock is set while machines are on their way."""

import pytest

from elastic.cycle.stubs import LIST_LAG, LOST, M1, UP, Site, kinds, names
from hpc_components.elastic.drivers.contract import CapacityError
from hpc_components.elastic.model import InstanceState
from hpc_components.elastic.report.events import EventKind

STEPS = pytest.mark.parametrize("step", [1320.0, -1320.0])
"""Seconds."""


@STEPS
@pytest.mark.parametrize("restarted", [False, True])
def test_a_machine_that_is_not_listed_yet_is_not_launched_again(site, step, restarted):
    site.slurm.want(1, 1)
    site.run()
    site.cloud.hidden = set(site.cloud.machines)
    site.ahead += step
    if restarted:
        site.start()
    report = site.run()
    assert site.cloud.launches == []
    assert (EventKind.CLOCK in kinds(report)) is True
    assert EventKind.CLOCK not in kinds(site.run())
    assert site.cloud.alive() == {"q-1": "m1"}


def test_it_is_told_what_was_done_about_it(site):
    site.ahead = 1320.0
    (event,) = site.run().events
    assert event.words == "the head node's clock jumped by +1320 s; all stored times were shifted to match"


@STEPS
def test_an_error_after_a_lost_answer_is_not_believed_sooner(site, step):
    site.cloud.fails["launch"] = [LOST, CapacityError("InsufficientInstanceCapacity")]
    site.slurm.want(1, 1)
    site.run()
    site.run()
    site.ahead += step
    site.run()
    assert site.cloud.launches == []
    site.run(after=2 * LIST_LAG)
    assert [launch.pool.machine for launch in site.cloud.launches] == ["m2"]


@STEPS
def test_a_machine_that_boots_keeps_its_time(site, step):
    site.slurm.want(1, 1)
    site.run()
    site.run(after=300)
    site.ahead += step
    site.run()
    site.run(after=LIST_LAG)
    assert site.cloud.ended == []
    site.run(after=300)
    assert site.cloud.ended == ["i-1"]


def test_a_clock_that_is_always_ahead_costs_no_machine_its_time(tmp_path):
    """The cloud's clock says when it was launched."""
    site = Site(tmp_path)
    site.ahead = 86400.0
    site.start()
    site.slurm.want(1, 1)
    site.run()
    for _ in range(9):
        site.run(after=60)
        assert site.cloud.ended == []


@STEPS
def test_a_pool_that_is_left_alone_opens_at_its_time(site, step):
    site.cloud.free = {M1: 0}
    site.slurm.want(1, 1)
    site.run()
    site.ahead += step
    site.run()
    site.slurm.want(2, 2)
    site.run()
    assert [launch.pool.machine for launch in site.cloud.launches] == ["m2"]
    site.cloud.free.clear()
    site.run(after=site.config.cooldown)
    site.slurm.want(3, 3)
    site.run()
    assert [launch.pool.machine for launch in site.cloud.launches] == ["m1"]


@STEPS
def test_a_machine_that_is_gone_for_two_minutes_is_believed_to_be(site, step):
    site.cloud.add("q-1", M1, state=InstanceState.RUNNING)
    site.slurm.set(UP, 1)
    site.run()
    site.slurm.set("ALLOCATED+CLOUD+NOT_RESPONDING", 1)
    site.cloud.hidden = {"i-1"}
    site.run()
    site.ahead += step
    site.run(after=100)
    assert site.slurm.told == []
    site.run(after=25)
    assert site.told("down").keys() == set(names(1))
