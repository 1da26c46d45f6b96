"""Pools whose machines do not come up."""

import pytest

from elastic.cycle.stubs import LIST_LAG, M1, M2, OFF, UP, Site, names
from hpc_components.elastic.model import InstanceState


def test_after_three_machines_in_a_row_the_pool_is_left_alone(site):
    site.slurm.want(1, 1)
    for _ in range(3):
        site.run()
        assert [launch.pool for launch in site.cloud.launches] == [M1]
        for id in site.cloud.machines:
            site.cloud.change(id, state=InstanceState.GONE)
    report = site.run()
    assert [launch.pool for launch in site.cloud.launches] == [M2]
    assert [blocked.words for blocked in report.blocked] == [
        "3 machines ended before registering, or did not register in time"
    ]


def die(site, but=()):
    for machine in list(site.cloud.machines.values()):
        if machine.node not in but:
            site.cloud.change(machine.id, state=InstanceState.GONE)


def test_a_pool_in_which_younger_machines_work_is_not_to_blame(site):
    site.slurm.want(1, 1)
    others = (8, 7, 6)
    for number in others:
        site.run()
        die(site, but=names(*others))
        site.slurm.want(number, number)
        site.run()
        assert {launch.pool for launch in site.cloud.launches} == {M1}
        site.slurm.set(UP, number)
        site.run()
        die(site, but=names(*others))


def test_an_older_machine_that_works_does_not_speak_for_the_pool(site):
    site.cloud.add("q-8", M1)
    site.slurm.set(UP, 8)
    site.slurm.want(1, 1)
    for _ in range(4):
        site.run()
        die(site, but=("q-8",))
    assert [launch.pool for launch in site.cloud.launches] == [M2]


@pytest.mark.parametrize("restarted", [False, True])
def test_machines_that_ended_as_they_should_are_no_strikes_while_they_are_listed(site, restarted):
    site.slurm.want(1, 1, 2, 3)
    site.run()
    site.slurm.jobs_now.clear()
    site.slurm.set(UP, 1, 2, 3)
    site.run(after=60)
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1, 2, 3)
    site.run(after=60)
    assert len(site.cloud.ended) == 3
    site.slurm.set(OFF, 1, 2, 3)
    die(site)
    for _ in range(20):
        site.run(after=30)
    if restarted:
        site.start()
        site.run()
    site.slurm.want(2, 1, 2, 3)
    report = site.run()
    assert report.blocked == ()
    assert [launch.pool for launch in site.cloud.launches] == [M1]


def test_a_pool_whose_machines_never_come_up_is_left_alone_twice_as_long_each_time(tmp_path):
    site = Site(tmp_path, pools=(M1,))
    pauses = []
    while len(pauses) < 9:
        site.slurm.want(1, 1)
        for _ in range(3):
            site.run()
            die(site)
        (blocked,) = site.run().blocked
        pauses.append(blocked.until - site.now)
        assert site.told("down")["q-1"].startswith("hpc: machines do not come up: m1 in z, on_demand: 3 machines")
        assert blocked.told.startswith("machines do not come up: 3 machines")
        site.slurm.jobs_now.clear()
        site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 1, reason=site.told("down")["q-1"])
        site.start()
        assert site.run(after=pauses[-1] - 10).blocked
        site.run(after=10)
        assert "q-1" in site.told("resume")
    assert pauses == [300, 600, 1200, 2400, 4800, 9600, 14400, 14400, 14400]
    site.slurm.want(1, 1)
    site.run()
    site.slurm.set(UP, 1)
    site.run()
    assert not site.journal.failing


def test_three_machines_in_a_row_that_slurm_refuses_are_the_pool_s_fault(site):
    for number in (1, 2, 3):
        site.cloud.add(f"q-{number}")
    site.slurm.set("IDLE+CLOUD+DRAIN+INVALID_REG", 1, 2, 3, reason="Low RealMemory (reported:1 < 2)")
    site.run()
    (blocked,) = site.run(after=LIST_LAG).blocked
    assert blocked.pool == M1


@pytest.mark.parametrize("listed", [True, False])
def test_three_machines_of_a_large_fleet_speak_against_none_of_the_others(tmp_path, listed):
    site = Site(tmp_path, 400)
    site.slurm.want(1, *range(1, 401))
    site.run()
    if listed:
        site.run()
    else:
        site.cloud.hidden = {f"i-{number}" for number in range(4, 401)}
    for number in (1, 2, 3):
        site.cloud.change(f"i-{number}", state=InstanceState.GONE)
    report = site.run()
    assert report.blocked == ()
    assert site.cloud.ended == []
    assert [(launch.pool, launch.nodes) for launch in site.cloud.launches] == [(M1, names(1, 2, 3))]


@pytest.mark.parametrize("dead", [3, 79, 80, 400])
def test_a_quarter_of_the_machines_that_are_to_come_up_speaks_against_all(tmp_path, dead):
    """Of 400, when 80 have ended, 320 are still to come up."""
    site = Site(tmp_path, 400)
    site.slurm.want(1, *range(1, 401))
    site.run()
    site.run()
    for number in range(1, dead + 1):
        site.cloud.change(f"i-{number}", state=InstanceState.GONE)
    assert [blocked.pool for blocked in site.run().blocked] == [M1] * (dead >= 80)


def test_a_fleet_of_which_none_comes_up_is_launched_once(tmp_path):
    site = Site(tmp_path, 400, pools=(M1,))
    site.slurm.want(1, *range(1, 401))
    site.run()
    site.run()
    report = site.run(after=600)
    assert len(site.cloud.ended) == 400
    assert [blocked.pool for blocked in report.blocked] == [M1]
    assert site.cloud.launches == []


@pytest.mark.parametrize("taken", [True, False])
def test_machines_that_the_cloud_takes_back_while_they_boot_are_no_fault_of_the_pool(site, taken):
    site.slurm.want(1, *range(1, 7))
    site.run()
    site.run(after=60)
    for number in (1, 2, 3):
        site.cloud.change(f"i-{number}", state=InstanceState.GONE, taken=taken)
    report = site.run()
    assert [blocked.pool for blocked in report.blocked] == [M1] * (not taken)
    assert site.cloud.ended == ([] if taken else ["i-4", "i-5", "i-6"])
    wanted = (M1, names(1, 2, 3)) if taken else (M2, names(*range(1, 7)))
    assert [(launch.pool, launch.nodes) for launch in site.cloud.launches] == [wanted]


def test_one_that_the_cloud_takes_back_unseen_is_none_either(site):
    site.slurm.want(1, 1)
    for _ in range(6):
        site.run()
        (last, *_) = reversed(site.cloud.machines)
        site.cloud.change(last, state=InstanceState.GONE, taken=True)
    assert site.run().blocked == ()
