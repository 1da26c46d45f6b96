"""Launches that the cloud answers late: nobody else waits for them."""

from dataclasses import replace

import pytest

from elastic.cycle.stubs import COMING, M1, M2, Site, kinds, names
from hpc_components.elastic.config import QueueConfig
from hpc_components.elastic.drivers.contract import CapacityError, ThrottledError
from hpc_components.elastic.model import InstanceState, Job, Pool
from hpc_components.elastic.report.events import EventKind

R1 = Pool(queue="r", machine="m1", zone="z2", purchase="on_demand")


@pytest.fixture
def two(tmp_path) -> Site:
    """Another queue, `r`, beside `q`, whose first pool is slow; a job waits for machines of both."""
    site = Site(tmp_path)
    site.config = replace(site.config, queues=(*site.config.queues, QueueConfig(name="r", max=4, pools=(R1,))))
    site.start()
    site.calls.slow = {M1}
    site.slurm.want(1, 1, 2)
    site.slurm.states["r-1"] = COMING
    site.slurm.jobs_now.append(Job(id=2, state="CONFIGURING", nodes=("r-1",)))
    return site


def test_other_pools_are_launched_from_in_the_same_cycle(two):
    two.run()
    assert two.cloud.alive() == {"r-1": "m1"}
    assert [entry.launch.pool for entry in two.journal.entries if entry.unanswered] == [M1]


def test_machines_are_ended_meanwhile(two):
    two.run()
    old = two.cloud.add("q-8", M2)
    two.run()
    assert two.cloud.ended == [old.id]


def test_a_call_that_is_under_way_is_neither_repeated_nor_doubled(two):
    two.run()
    two.slurm.want(3, 3)
    for _ in range(30):
        report = two.run()
        assert two.cloud.launches == []
        assert EventKind.REPEAT not in kinds(report)
    two.calls.slow.clear()
    assert kinds(two.run())[:1] == [EventKind.LAUNCH]
    assert two.cloud.alive() == {"r-1": "m1", "q-1": "m1", "q-2": "m1", "q-3": "m1"}
    assert len(two.cloud.machines) == 4


def test_a_late_refusal_leads_to_the_next_pool_at_once(two):
    two.cloud.free = {M1: 0}
    two.run()
    two.calls.slow.clear()
    two.run()
    assert two.cloud.alive() == {"r-1": "m1"} | dict.fromkeys(names(1, 2), "m2")


def test_what_comes_late_for_a_job_that_is_gone_is_ended(two):
    two.run()
    two.slurm.jobs_now.clear()
    two.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1, 2)
    two.run()
    two.calls.slow.clear()
    two.run()
    assert len(two.cloud.ended) == 2


@pytest.mark.parametrize("error", [CapacityError("none"), ThrottledError("slow down")])
def test_a_daemon_that_is_killed_before_the_late_answer_repeats_the_launch(two, error):
    two.run()
    (before,) = (entry for entry in two.journal.entries if entry.unanswered)
    two.start()
    two.cloud.fails["launch"] = [error]
    two.run()
    assert before.launch in two.cloud.launches


def test_a_quota_that_is_told_late_is_found_in_halves_all_the_same(site):
    site.cloud.quota = {M1: 3, M2: 0}
    for number in range(1, 9):
        site.slurm.want(number, number)
    for _ in range(12):
        site.calls.slow = {M1}
        site.run()
        site.calls.slow = set()
    site.run()
    assert list(site.cloud.alive().values()) == ["m1"] * 3


def test_the_end_of_a_machine_that_came_late_is_no_fault_of_its_own(two):
    two.run()
    two.calls.slow.clear()
    two.run()
    (first, *_) = (machine for machine in two.cloud.machines.values() if machine.pool == M1)
    two.cloud.change(first.id, state=InstanceState.GONE)
    report = two.run()
    assert report.blocked == ()
    assert [launch.nodes for launch in two.cloud.launches] == [(first.node,)]
