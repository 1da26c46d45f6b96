"""Pools that have not enough machines."""

from elastic.cycle.stubs import COMING, M1, M2, UP, kinds, names
from hpc_components.elastic.model import InstanceState, Job, RefusedError
from hpc_components.elastic.report import EventKind


def test_the_next_pool_is_tried_in_the_same_cycle(site):
    site.cloud.free[M1] = 0
    site.slurm.want(1, 1, 2)
    report = site.run()
    assert site.cloud.alive() == dict.fromkeys(names(1, 2), "m2")
    assert kinds(report) == [EventKind.CAPACITY, EventKind.LAUNCH]
    assert [blocked.pool for blocked in report.blocked] == [M1]


def test_a_pool_without_capacity_is_left_alone_for_the_cooldown(site):
    site.cloud.free[M1] = 0
    site.slurm.want(1, 1)
    site.run()
    site.slurm.want(2, 2)
    site.run()
    assert [launch.pool for launch in site.cloud.launches] == [M2]
    site.slurm.want(3, 3)
    site.run(after=300)
    assert [launch.pool for launch in site.cloud.launches] == [M1, M2]


def test_a_restart_does_not_forget_which_pools_are_blocked(site):
    site.cloud.free[M1] = 0
    site.slurm.want(1, 1)
    site.run()
    site.start()
    site.slurm.want(2, 2)
    site.run()
    assert [launch.pool for launch in site.cloud.launches] == [M2]


def test_of_a_partial_answer_whole_jobs_stay_and_the_rest_moves_whole(site):
    site.cloud.free[M1] = 5
    site.slurm.want(1, 1, 2, 3)
    site.slurm.want(2, 4, 5, 6)
    site.run()
    assert site.cloud.alive() == {**dict.fromkeys(names(1, 2, 3), "m1"), **dict.fromkeys(names(4, 5, 6), "m2")}
    assert len(site.cloud.ended) == 2
    assert [launch.minimum for launch in site.cloud.launches] == [3, 3]


def test_without_any_pool_the_job_waits_visibly_and_nothing_half_started_stays(site):
    site.cloud.free = {M1: 1, M2: 0}
    site.slurm.want(1, 1)
    site.slurm.want(2, 2, 3)
    site.run()
    assert site.cloud.alive() == {"q-1": "m1"}
    assert site.told("down").keys() == set(names(2, 3, 4, 5, 6, 7, 8))
    assert site.told("power_down").keys() == set(names(2, 3))
    (reason,) = set(site.told("down").values())
    assert reason.startswith("hpc: no capacity: m1 in z, on_demand: only 1 of 3 machines; next try ")


def test_half_started_machines_of_a_job_that_gets_no_more_are_ended(site):
    site.cloud.free = {M1: 3, M2: 0}
    site.slurm.want(1, 1)
    site.slurm.want(2, 2, 3, 4)
    site.run()
    assert site.cloud.alive() == {"q-1": "m1"}
    assert site.cloud.ended == ["i-2", "i-3"]


def test_our_downs_are_lifted_when_a_pool_is_open_again(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    site.run()
    site.slurm.jobs_now.clear()
    down = "DOWN+CLOUD+POWERED_DOWN"
    site.slurm.set(down, *range(1, 7), reason="hpc: no capacity: x; next try 14:05")
    site.slurm.set(down, 7, reason="tom: dimm")
    site.slurm.set("IDLE+CLOUD+DRAIN+POWERED_DOWN", 8, reason="tom: dimm")
    report = site.run(after=200)
    assert site.slurm.told == []
    (wait,) = report.waits
    assert (wait.nodes, wait.until) == (names(1, 2, 3, 4, 5, 6), site.now + 100)
    site.run(after=100)
    assert site.slurm.told == [(names(1, 2, 3, 4, 5, 6), "resume", "")]


def test_nodes_that_become_free_while_nothing_can_be_had_are_set_down_too(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    site.run()
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1)
    site.slurm.set("ALLOCATED+CLOUD+POWERED_DOWN", 2)
    site.slurm.set("IDLE+CLOUD+DRAIN+POWERED_DOWN", 3, reason="tom")
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 4, 5, 6, 7, 8, reason="hpc: no capacity")
    site.run()
    assert site.told("down").keys() == {"q-1"}


def test_refusals_go_to_the_next_pool_too_and_their_words_are_told(site):
    site.cloud.fails["launch"] = [RefusedError("VcpuLimitExceeded"), RefusedError("VcpuLimitExceeded")]
    site.slurm.want(1, 1)
    report = site.run()
    assert kinds(report)[:2] == [EventKind.REFUSED, EventKind.REFUSED]
    assert "VcpuLimitExceeded" in site.told("down")["q-1"]


def test_a_job_with_nodes_up_takes_the_rest_from_the_same_pool_only(site):
    site.cloud.free[M1] = 0
    have = site.cloud.add("q-1", M1)
    site.slurm.set(UP, 1)
    site.slurm.want(1, 2)
    site.slurm.jobs_now = [Job(id=1, state="CONFIGURING", nodes=names(1, 2))]
    site.run()
    assert site.cloud.alive() == {"q-1": "m1"}
    assert site.told("down").keys() == {"q-2"}
    assert site.told("power_down_force").keys() == {"q-1"}
    assert have.id not in site.cloud.ended


def test_machines_that_registered_before_they_were_listed_count_as_well(site):
    site.slurm.want(1, 1, 2)
    site.run()
    site.slurm.set(UP, 2)
    site.cloud.hidden = {"i-2"}
    site.cloud.change("i-1", state=InstanceState.GONE)
    site.cloud.free = {M1: 0}
    site.run()
    assert [launch.pool for launch in site.cloud.launches] == [M1]
    assert site.told("down").keys() == {"q-1"}
    assert site.told("power_down_force").keys() == {"q-2"}


def test_a_node_on_which_another_job_runs_is_not_given_up(site):
    site.cloud.free[M1] = 0
    site.cloud.add("q-1", M1)
    site.slurm.set(UP, 1)
    site.slurm.set(COMING, 2)
    site.slurm.jobs_now = [
        Job(id=1, state="CONFIGURING", nodes=names(1, 2)),
        Job(id=2, state="RUNNING", nodes=names(1)),
    ]
    site.run()
    assert site.told("down").keys() == {"q-2"}
    assert not site.told("power_down_force")
