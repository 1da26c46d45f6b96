"""Answers that are lost, a daemon that is killed, and nobody who answers."""

from dataclasses import replace

import pytest

from elastic.cycle.stubs import COMING, LIST_LAG, LOST, M1, M2, Site, kinds, names
from hpc_components.elastic.config import QueueConfig
from hpc_components.elastic.drivers.contract import CapacityError, FailedError, RefusedError, ThrottledError
from hpc_components.elastic.model import InstanceState, Job, Pool
from hpc_components.elastic.report.events import EventKind


def test_a_lost_answer_is_asked_for_again_with_the_same_token(site):
    site.cloud.fails["launch"] = [LOST]
    site.slurm.want(1, 1, 2)
    assert kinds(site.run()) == [EventKind.LOST]
    first = site.cloud.launches.copy()
    assert kinds(site.run()) == [EventKind.REPEAT, EventKind.LAUNCH]
    assert site.cloud.launches == first
    site.run()
    assert site.cloud.launches == []


def test_what_keeps_a_launch_from_being_answered_is_reported_once(site):
    blocked = FailedError("a machine c-q-1 already exists in z; delete it: delete c-q-1")
    site.cloud.fails["launch"] = [blocked, blocked, blocked, LOST, blocked]
    site.slurm.want(1, 1)
    told = [event.words for _ in range(5) for event in site.run().events if event.kind is EventKind.LOST]
    assert told == [
        f"q-1: the cloud failed: {blocked}",
        "q-1: no response from the cloud: timed out",
        f"q-1: the cloud failed: {blocked}",
    ]


class KillError(BaseException):
    """kill -9."""


@pytest.mark.parametrize("heard", [True, False])
def test_killed_in_a_launch_the_same_request_is_sent_again(site, heard):
    site.slurm.want(1, 1, 2)
    real = site.cloud.launch

    def killed(launch):
        if heard:
            real(launch)
        raise KillError

    site.cloud.launch = killed
    with pytest.raises(KillError):
        site.run()
    site.cloud.launch = real
    site.cloud.hidden = set(site.cloud.machines)
    (before,) = site.journal.entries
    site.start()
    site.run()
    assert site.cloud.launches == [before.launch]
    assert sorted(site.cloud.alive()) == ["q-1", "q-2"]
    assert len(site.cloud.machines) == 2


def test_it_is_in_the_journal_before_the_cloud_hears_of_it(site):
    site.slurm.want(1, 1)
    on_disk = []
    real = site.cloud.launch
    site.cloud.launch = lambda launch: (on_disk.append(launch.token in site.path.read_text()), real(launch))[1]
    site.run()
    assert on_disk == [True]


def test_a_machine_that_is_not_listed_yet_is_not_launched_again(site):
    site.slurm.want(1, 1)
    site.run()
    site.cloud.hidden = site.cloud.unknown = set(site.cloud.machines)
    site.start()
    for after in (5, LIST_LAG - 10):
        site.run(after=after)
        assert site.cloud.launches == []
    site.run(after=20)
    assert len(site.cloud.launches) == 1


def test_a_lost_launch_that_nobody_wants_any_more_is_not_repeated_and_what_it_made_is_ended(site):
    site.cloud.fails["launch"] = [LOST]
    site.slurm.want(1, 1)
    site.run()
    token = site.cloud.launches[0].token
    site.slurm.jobs_now.clear()
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1)
    site.run()
    assert site.cloud.launches == []
    late = site.cloud.add("q-1", M1, token)
    site.run(after=60)
    assert site.cloud.ended == [late.id]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_lost_launch_is_not_repeated_for_nodes_that_come_up_for_nobody(site, restarted):
    site.cloud.fails["launch"] = [LOST]
    site.slurm.want(1, 1, 2)
    site.run()
    site.slurm.jobs_now.clear()
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 1, 2)
    if restarted:
        site.start()
    for _ in range(2):
        site.run()
        assert site.cloud.launches == []
        assert site.slurm.told == []
    site.run(after=2 * LIST_LAG)
    assert site.told("power_down_force").keys() == {"q-1", "q-2"}
    assert not site.cloud.machines


def test_a_lost_launch_is_repeated_as_a_whole_while_any_job_waits_for_it(site):
    site.cloud.fails["launch"] = [LOST]
    site.slurm.want(1, 1)
    site.slurm.want(2, 2)
    site.run()
    first = site.cloud.launches.copy()
    site.slurm.jobs_now = site.slurm.jobs_now[1:]
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 1)
    site.run()
    assert site.cloud.launches == first


@pytest.mark.parametrize("restarted", [False, True])
def test_a_pool_that_never_answers_is_given_up_and_the_next_one_tried(site, restarted):
    site.cloud.mute = {M1}
    site.slurm.want(1, 1, 2)
    for _ in range(12):
        site.run()
    if restarted:
        site.start()
    report = site.run()
    assert [(blocked.pool, blocked.told) for blocked in report.blocked] == [(M1, "no answer: timed out")]
    site.run()
    assert site.cloud.launches == []
    late = site.cloud.add("q-1", M1, next(iter(site.journal.entries)).launch.token)
    site.run()
    assert site.cloud.launches == []
    site.run(after=2 * LIST_LAG)
    assert site.cloud.ended == [late.id]
    assert [(launch.pool, launch.nodes) for launch in site.cloud.launches] == [(M2, names(1, 2))]


def test_a_pool_that_does_not_answer_holds_up_nobody_else(tmp_path):
    site = Site(tmp_path)
    other = Pool(queue="r", machine="m1", zone="z2", purchase="on_demand")
    site.config = replace(site.config, queues=(*site.config.queues, QueueConfig(name="r", max=4, pools=(other,))))
    site.start()
    site.cloud.mute = {M1}
    site.slurm.want(1, 1, 2)
    site.run()
    site.slurm.states["r-1"] = COMING
    site.slurm.jobs_now.append(Job(id=2, state="CONFIGURING", nodes=("r-1",)))
    site.slurm.want(3, 3)
    site.run()
    assert site.cloud.alive() == {"r-1": "m1"}
    assert [launch.pool for launch in site.cloud.launches] == [M1, other]
    calls = 0
    for _ in range(80):
        site.run()
        calls += len(site.cloud.launches)
    assert site.cloud.alive() == {"r-1": "m1"} | dict.fromkeys(names(1, 2, 3), "m2")
    assert calls < 50


def test_without_any_answer_the_job_waits_visibly(tmp_path):
    site = Site(tmp_path, pools=(M1,))
    site.cloud.mute = {M1}
    site.slurm.want(1, 1)
    for _ in range(13):
        site.run()
    site.run(after=2 * LIST_LAG)
    assert site.told("down")["q-1"].startswith("hpc: no answer: m1 in z, on_demand: timed out; next try")
    assert site.cloud.launches == []


def test_a_job_that_can_t_end_a_machine_waits_and_nobody_else_does(site):
    site.cloud.free[M1] = 0
    site.cloud.add("q-1", M1, state=InstanceState.PENDING)
    site.cloud.fails["terminate"] = [RefusedError("protected")]
    site.slurm.want(1, 1, 2)
    site.slurm.want(2, 3)
    site.run()
    assert site.cloud.alive() == {"q-1": "m1", "q-3": "m2"}


def test_an_error_after_a_lost_answer_is_not_believed_at_once(site):
    """What was sent first may still be carried out: nothing else is launched under these names until then."""
    site.cloud.fails["launch"] = [LOST, CapacityError("InsufficientInstanceCapacity")]
    site.slurm.want(1, 1)
    site.run()
    site.run()
    site.run()
    assert site.cloud.launches == []
    site.run(after=2 * LIST_LAG)
    assert [launch.pool for launch in site.cloud.launches] == [M2]


def test_a_machine_that_is_asked_for_and_no_longer_wanted_is_ended_by_its_id(site):
    site.slurm.want(1, 1)
    site.run()
    site.cloud.hidden = {"i-1"}
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1)
    site.run()
    assert site.cloud.ended == ["i-1"]
    site.run()
    assert site.cloud.ended == []


def test_a_half_started_job_is_found_after_a_crash(site):
    site.cloud.free[M1] = 0
    begun = site.cloud.add("q-1", M1, state=InstanceState.PENDING)
    site.slurm.want(1, 1, 2)
    site.run()
    assert site.cloud.ended == [begun.id]
    assert site.cloud.alive() == dict.fromkeys(names(1, 2), "m2")


def test_a_broken_journal_holds_launches_back_until_the_list_surely_shows_all(site):
    site.path.write_text("{")
    site.start()
    site.slurm.want(1, 1)
    report = site.run()
    assert site.cloud.launches == []
    assert [wait.nodes for wait in report.waits] == [names(1)]
    site.run(after=LIST_LAG)
    assert len(site.cloud.launches) == 1


def test_throttled_the_cycle_leaves_it_and_the_next_one_comes_back(site):
    site.cloud.fails["launch"] = [ThrottledError("RequestLimitExceeded")]
    site.slurm.want(1, 1)
    assert kinds(site.run()) == [EventKind.THROTTLED]
    assert not site.journal.entries
    assert kinds(site.run()) == [EventKind.LAUNCH]


def test_nothing_is_planned_for_a_job_while_it_is_not_known_what_it_has(site):
    site.cloud.fails["launch"] = [LOST, LOST]
    site.slurm.want(1, 1)
    site.run()
    site.slurm.jobs_now = [Job(id=1, state="CONFIGURING", nodes=names(1, 2))]
    site.slurm.set(COMING, 2)
    site.run()
    assert [launch.nodes for launch in site.cloud.launches] == [names(1)]
