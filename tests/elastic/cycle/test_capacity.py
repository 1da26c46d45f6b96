"""Pools that have not enough machines."""

from elastic.cycle.stubs import COMING, LIST_LAG, LOST, M1, M2, UP, Site, kinds, names
from hpc_components.elastic.drivers.contract import QuotaError, RefusedError
from hpc_components.elastic.model import InstanceState, Job
from hpc_components.elastic.report.events import EventKind


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


def test_a_pool_that_our_own_machines_still_fill_is_tried_again_soon(site):
    """A full reservation is free again as soon as what was ended in it is gone."""
    site.cloud.add("q-7", state=InstanceState.STOPPING)
    site.cloud.free[M1] = 0
    site.slurm.want(1, 1)
    site.run()
    site.cloud.free[M1] = 1
    site.slurm.want(2, 2)
    site.run()
    assert [launch.pool for launch in site.cloud.launches] == [M2]
    site.slurm.want(3, 3)
    site.run(after=60)
    assert [launch.pool for launch in site.cloud.launches] == [M1]


def test_a_restart_does_not_forget_which_pools_are_blocked(site):
    site.cloud.free[M1] = 0
    site.slurm.want(1, 1)
    site.run()
    site.start()
    site.run()
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
    assert site.slurm.told == [(names(1, 2, 3, 4, 5, 6), "resume", "hpc: ready for jobs again")]


def test_a_cycle_comes_when_the_pool_opens_for_which_jobs_wait(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    site.run()
    site.slurm.jobs_now.clear()
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", *range(1, 9), reason="hpc: no capacity: x; next try 14:05")
    assert site.run(after=200).pause == 30.0
    assert site.run(after=88).pause == 12.0
    assert site.run(after=11.5).pause == 1.0
    site.run(after=1.0)
    assert site.told("resume").keys() == set(names(*range(1, 9)))


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


def test_a_job_with_nodes_up_takes_the_rest_from_the_same_pool_only(tight):
    tight.cloud.free[M1] = 0
    have = tight.cloud.add("q-1", M1)
    tight.slurm.set(UP, 1)
    tight.slurm.want(1, 2)
    tight.slurm.jobs_now = [Job(id=1, state="CONFIGURING", nodes=names(1, 2))]
    tight.run()
    assert tight.cloud.alive() == {"q-1": "m1"}
    assert tight.told("down").keys() == {"q-2"}
    assert tight.told("power_down").keys() == {"q-1", "q-2"}
    assert have.id not in tight.cloud.ended


def test_machines_that_registered_before_they_were_listed_count_as_well(tight):
    tight.slurm.want(1, 1, 2)
    tight.run()
    tight.slurm.set(UP, 2)
    tight.cloud.hidden = {"i-2"}
    tight.cloud.change("i-1", state=InstanceState.GONE)
    tight.cloud.free = {M1: 0}
    tight.run()
    assert [launch.pool for launch in tight.cloud.launches] == [M1]
    assert tight.told("down").keys() == {"q-1"}
    assert tight.told("power_down").keys() == {"q-1", "q-2"}


def test_a_node_on_which_another_job_runs_is_not_given_up(tight):
    tight.cloud.free[M1] = 0
    tight.cloud.add("q-1", M1)
    tight.slurm.set(UP, 1)
    tight.slurm.set(COMING, 2)
    tight.slurm.jobs_now = [
        Job(id=1, state="CONFIGURING", nodes=names(1, 2)),
        Job(id=2, state="RUNNING", nodes=names(1)),
    ]
    tight.run()
    assert tight.told("down").keys() == {"q-2"}
    assert tight.told("power_down").keys() == {"q-2"}


def share(site):
    """Job 1 runs on node 1, which job 2 shares and wants node 2 as well."""
    site.cloud.add("q-1", M1)
    site.slurm.set("MIXED+CLOUD", 1)
    site.slurm.set(COMING, 2)
    site.slurm.jobs_now = [
        Job(id=1, state="RUNNING", nodes=names(1)),
        Job(id=2, state="CONFIGURING", nodes=names(1, 2)),
    ]


def test_a_job_that_shares_a_node_that_is_up_takes_the_rest_from_any_pool(site):
    site.cloud.free[M1] = 0
    share(site)
    site.run()
    assert site.cloud.alive() == {"q-1": "m1", "q-2": "m2"}


def test_machines_that_stand_together_are_asked_for_once_in_a_cool_down(tight):
    tight.cloud.free[M1] = 0
    share(tight)
    tight.run()
    assert [launch.pool for launch in tight.cloud.launches] == [M1]
    reason = tight.told("down")["q-2"]
    assert reason.startswith("hpc: this job: no capacity: m1 in z, on_demand: InsufficientInstanceCapacity; next try")
    tight.slurm.set("DOWN+CLOUD+POWERED_DOWN", 2, reason=reason)
    tight.slurm.set(COMING, 3)
    tight.slurm.jobs_now[1] = Job(id=2, state="CONFIGURING", nodes=names(1, 3))
    tight.run(after=35)
    assert tight.told("down").keys() == {"q-3"}
    assert tight.cloud.launches == []
    tight.slurm.jobs_now.pop()
    tight.slurm.set("DOWN+CLOUD+POWERED_DOWN", 3, reason=reason)
    for _ in range(6):
        tight.run(after=40)
        assert tight.slurm.told == []
    tight.run(after=60)
    assert "q-2" in tight.told("resume")


# Quota.


def test_over_the_quota_small_jobs_get_their_machines_and_only_large_ones_wait(tmp_path):
    site = Site(tmp_path, pools=(M1,))
    site.cloud.quota = {M1: 4}
    site.slurm.want(1, 1, 2, 3, 4, 5)
    site.slurm.want(2, 6)
    site.slurm.want(3, 7)
    report = site.run()
    assert site.cloud.alive().keys() == set(names(6, 7))
    assert site.told("down").keys() == set(names(1, 2, 3, 4, 5))
    assert set(site.told("down").values()) == {site.told("down")["q-1"]}
    assert "this job: over the quota: m1 in z, on_demand: VcpuLimitExceeded" in site.told("down")["q-1"]
    assert len(site.cloud.launches) <= 4
    (blocked,) = report.blocked
    assert (blocked.at_least, blocked.told) == (5, "over the quota for 5 machines or more: VcpuLimitExceeded")
    site.slurm.jobs_now = [job for job in site.slurm.jobs_now if job.id != 1]
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 1, 2, 3, 4, 5, reason=site.told("down")["q-1"])
    site.slurm.want(4, 8)
    site.run()
    assert "q-8" in site.cloud.alive()
    assert site.slurm.told == []


def test_a_large_job_over_the_quota_goes_to_the_next_pool_and_small_ones_stay(site):
    site.cloud.quota = {M1: 3}
    site.slurm.want(1, 1, 2, 3, 4, 5)
    site.slurm.want(2, 6)
    site.run()
    assert site.cloud.alive() == {"q-6": "m1"} | dict.fromkeys(names(1, 2, 3, 4, 5), "m2")


def test_what_the_quota_allows_is_found_in_a_handful_of_calls(tmp_path):
    site = Site(tmp_path, 400, pools=(M1,))
    site.cloud.quota = {M1: 150}
    for number in range(100):
        site.slurm.want(number, *range(4 * number + 1, 4 * number + 5))
    site.run()
    assert len(site.cloud.alive()) == 148
    assert len(site.cloud.launches) <= 10


def test_many_jobs_over_the_quota_by_a_little_take_more_than_one_cycle(tmp_path):
    site = Site(tmp_path, 100, pools=(M1,))
    site.cloud.quota = {M1: 99}
    for number in range(1, 101):
        site.slurm.want(number, number)
    calls = 0
    for _ in range(3):
        site.run()
        calls += len(site.cloud.launches)
        assert len(site.cloud.launches) <= 10
    assert len(site.cloud.alive()) == 99
    assert calls <= 15
    assert site.journal.blocked[M1].at_least == 1


def test_a_quota_that_is_heard_of_when_a_launch_is_repeated_is_looked_into_later(site):
    site.cloud.fails["launch"] = [LOST, QuotaError("VcpuLimitExceeded")]
    site.slurm.want(1, 1, 2)
    site.run()
    site.run()
    assert site.run().blocked == ()
    site.run(after=2 * LIST_LAG)
    assert site.cloud.alive() == dict.fromkeys(names(1, 2), "m1")


def test_a_job_that_may_not_be_requeued_waits_too_if_it_has_not_begun(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    site.slurm.want(2, 2)
    site.slurm.bound_jobs = [2, 3]
    site.run()
    down = next(place for place, told in enumerate(site.slurm.told) if told[0] == names(1, 2) and told[1] == "down")
    assert site.slurm.told[down - 1] == ((2,), "requeue=1", "")
    assert site.slurm.told[down + 1] == ((2,), "requeue=0", "")
