"""Jobs that are too large for the account's quota wait where people see it, and are tried rarely."""

from dataclasses import replace

import pytest

from elastic.cycle.stubs import COMING, LIMITS, M1, M2, START, Site, names
from hpc_components.elastic.drivers.contract import QuotaError
from hpc_components.elastic.model import InstanceState, Job
from hpc_components.elastic.report.events import EventKind, clock_time


@pytest.fixture
def full(site) -> Site:
    """No pool may have three machines."""
    site.cloud.quota = {M1: 2, M2: 2}
    site.slurm.want(7, 1, 2, 3)
    return site


def test_the_job_is_told_to_wait_until_the_first_pool_opens(full):
    report = full.run()
    assert full.told("down").keys() == set(names(1, 2, 3))
    reason = (
        f"hpc: this job: over the quota: m1 in z, on_demand: VcpuLimitExceeded; next try {clock_time(START + 305)}"
    )
    assert full.slurm.postponed == [((7,), 300.0, reason)]
    (event,) = (event for event in report.events if event.kind is EventKind.POSTPONE)
    assert event.words == f"job 7 must wait: {reason}"


def test_smaller_jobs_still_get_machines_in_the_same_queue(full):
    full.slurm.want(8, 4, 5)
    full.run()
    assert [ids for ids, *_ in full.slurm.postponed] == [(7,)]
    assert full.cloud.alive() == dict.fromkeys(names(4, 5), "m1")
    assert full.told("down").keys() == set(names(1, 2, 3))


def test_a_job_that_another_pool_may_serve_is_not_told_to_wait(site):
    site.cloud.quota = {M1: 2}
    site.slurm.want(7, 1, 2, 3)
    site.run()
    assert site.slurm.postponed == []
    assert site.cloud.alive() == dict.fromkeys(names(1, 2, 3), "m2")


def test_where_no_pool_is_open_for_anybody_the_nodes_say_so_and_no_job_is_told(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(7, 1, 2, 3)
    site.run()
    assert site.slurm.postponed == []
    assert len(site.told("down")) == 8


def test_one_pool_closed_for_all_and_the_other_for_large_jobs_is_closed_for_it_too(site):
    site.cloud.free = {M1: 0}
    site.cloud.quota = {M2: 2}
    site.slurm.want(7, 1, 2, 3)
    site.run()
    ((ids, seconds, reason),) = site.slurm.postponed
    assert (ids, seconds) == ((7,), 300.0)
    assert "over the quota: m2 in z, spot: VcpuLimitExceeded" in reason, "about no capacity, nothing can be done"


def test_jobs_as_large_that_share_its_nodes_wait_too(full):
    full.slurm.jobs_now.append(Job(id=9, state="CONFIGURING", nodes=names(1, 4, 5)))
    full.run()
    told = sorted(id for ids, *_ in full.slurm.postponed for id in ids)
    assert told == [7, 9]


def test_a_job_that_slurm_does_not_let_wait_is_told_of_and_hinders_nothing(full):
    full.slurm.refuses["postpone"] = OSError("Job is no longer pending execution")
    report = full.run()
    assert "can't defer job 7: Job is no longer pending execution" in [e.words for e in report.events]
    assert full.told("power_down").keys() == set(names(1, 2, 3))


def test_a_part_of_a_launch_says_which_of_its_nodes_belong_together(site):
    site.cloud.quota = {M1: 5, M2: 0}
    site.slurm.want(7, 1, 2)
    site.slurm.want(8, 3, 4)
    site.slurm.want(9, 5, 6)
    site.run()
    assert [launch.sizes for launch in site.cloud.launches if launch.pool == M1] == [(2, 2, 2), (2,), (2,), (2,)]


def test_of_a_job_too_large_for_one_launch_no_part_is_launched_after_another_was_over_the_quota(full):
    full.cloud.limits = replace(LIMITS, launch_size=2)
    full.cloud.quota = {M1: 1, M2: 1}
    full.start()
    full.run()
    assert not full.cloud.machines
    assert [ids for ids, *_ in full.slurm.postponed] == [(7,)]


def test_nothing_is_launched_for_a_job_before_slurm_powers_up_all_its_nodes(full):
    """A part would be within the quota, and be ended again."""
    full.slurm.set("ALLOCATED+CLOUD+POWERED_DOWN", 2)
    full.slurm.set("ALLOCATED+CLOUD+POWERING_DOWN", 3)
    full.run()
    assert not full.cloud.launches
    full.slurm.set(COMING, 2, 3)
    full.run()
    assert {launch.nodes for launch in full.cloud.launches} == {names(1, 2, 3)}
    assert not full.cloud.machines


def test_a_pool_asked_although_it_is_closed_is_asked_once_a_cycle(tmp_path):
    """The job has a machine there; two others ended, and may not be had again."""
    site = Site(tmp_path, pools=(M1,))
    site.slurm.want(7, 1, 2, 3)
    site.run()
    site.cloud.free = {M1: 0}
    site.slurm.want(8, 4)
    site.run()
    for id in ("i-2", "i-3"):
        site.cloud.change(id, state=InstanceState.GONE)
    site.cloud.fails["launch"] = [QuotaError("VcpuLimitExceeded")] * 9
    site.run()
    assert [launch.nodes for launch in site.cloud.launches] == [names(2, 3)]


def test_status_says_from_which_size_on_a_pool_is_left_alone(full):
    (first, _) = full.run().blocked
    assert first.told == "over the quota for 3 machines or more: VcpuLimitExceeded"
