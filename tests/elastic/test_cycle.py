import pytest

from elastic.stubs import COMING, M1, M2, OFF, UP, Site, kinds, names
from hpc_components.elastic.decisions import LISTING_DELAY
from hpc_components.elastic.model import CapacityError, InstanceState, Job, RefusedError, ThrottledError
from hpc_components.elastic.names import node_name
from hpc_components.elastic.report import EventKind

LOST = OSError("timed out")


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def test_a_job_gets_its_machines_and_they_go_when_it_is_done(site):
    site.slurm.want(1, 1, 2)
    report = site.run()
    (launch,) = site.cloud.launches
    assert (launch.pool, launch.nodes, launch.minimum) == (M1, names(1, 2), 2)
    assert kinds(report) == [EventKind.LAUNCH]
    site.run()
    assert not site.cloud.launches
    site.slurm.set(UP, 1, 2)
    assert kinds(site.run()) == [EventKind.UP]
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1, 2)
    site.run()
    assert site.cloud.ended == ["i-1", "i-2"]
    site.slurm.set(OFF, 1, 2)
    report = site.run()
    assert not site.cloud.ended
    assert report.events == ()


def test_slurm_is_read_before_the_cloud_and_nodes_before_jobs(site):
    order = site.slurm.asked = site.cloud.asked = []
    site.run()
    assert order == ["nodes", "jobs", "list"]


def test_400_nodes_of_100_jobs_are_one_launch(tmp_path):
    site = Site(tmp_path, 400)
    for number in range(100):
        site.slurm.want(number, *range(4 * number + 1, 4 * number + 5))
    report = site.run()
    (launch,) = site.cloud.launches
    assert (len(launch.nodes), launch.minimum) == (400, 4)
    assert report.calls == 2


# Capacity.


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


# Answers that are lost, and crashes.


def test_a_lost_answer_is_asked_for_again_with_the_same_token(site):
    site.cloud.fails["launch"] = [LOST]
    site.slurm.want(1, 1, 2)
    assert kinds(site.run()) == [EventKind.LOST]
    first = site.cloud.launches.copy()
    assert kinds(site.run()) == [EventKind.REPEAT, EventKind.LAUNCH]
    assert site.cloud.launches == first
    site.run()
    assert site.cloud.launches == []


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
    site.cloud.hidden = set(site.cloud.machines)
    site.start()
    site.run(after=LISTING_DELAY - 10)
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


def test_an_error_after_a_lost_answer_is_not_believed_at_once(site):
    """What was sent first may still be carried out: nothing else is launched under these names until then."""
    site.cloud.fails["launch"] = [LOST, CapacityError("InsufficientInstanceCapacity")]
    site.slurm.want(1, 1)
    site.run()
    site.run()
    site.run()
    assert site.cloud.launches == []
    site.run(after=LISTING_DELAY)
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
    site.run(after=LISTING_DELAY)
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


# Nobody answers.


def test_without_slurm_nothing_at_all_is_done(site):
    site.cloud.add("q-1")
    site.slurm.fails = OSError("Unable to contact slurm controller")
    report = site.run()
    assert report.problem == "Slurm does not answer: Unable to contact slurm controller"
    assert site.cloud.asked == []
    assert kinds(report) == [EventKind.SLURM_AWAY]


def test_a_slurm_without_nodes_is_not_believed(site):
    site.cloud.add("q-1")
    site.slurm.states.clear()
    for _ in range(5):
        assert "not believed" in site.run(after=100).problem
    assert site.cloud.alive() == {"q-1": "m1"}


@pytest.mark.parametrize("failure", [OSError("no route to host"), ThrottledError("slow down")])
def test_without_the_cloud_slurm_is_told_nothing(site, failure):
    site.slurm.set(UP, 1)
    site.cloud.fails["list"] = [failure] * 10
    for _ in range(10):
        report = site.run(after=100)
        assert report.problem.startswith("the cloud does not answer")
        assert len(report.nodes) == 8
    assert site.slurm.told == []


def test_a_full_disk_stops_launches_and_is_told(site, monkeypatch):
    site.slurm.want(1, 1)

    def full(text):
        raise OSError("No space left on device")

    monkeypatch.setattr(site.journal, "_write", full)
    report = site.run()
    assert report.problem == "the journal can't be written: No space left on device"
    assert site.cloud.launches == []


def test_what_slurm_does_not_take_is_tried_again_and_hinders_nothing_else(site):
    site.cloud.add("q-1", state=InstanceState.GONE)
    site.slurm.set(UP, 1)
    site.slurm.want(1, 2)
    site.slurm.refuses["down"] = OSError("scontrol: Invalid node name")
    report = site.run()
    assert kinds(report) == [EventKind.SLURM_AWAY, EventKind.LAUNCH]
    assert site.told("power_down") == {}
    site.slurm.refuses.clear()
    site.run()
    assert site.told("power_down").keys() == {"q-1"}


def test_a_machine_that_could_not_be_ended_is_ended_by_the_next_cycle(site):
    site.cloud.add("q-1")
    site.cloud.fails["terminate"] = [LOST, ThrottledError("slow down")]
    assert kinds(site.run()) == [EventKind.LOST]
    assert kinds(site.run()) == [EventKind.THROTTLED]
    assert kinds(site.run()) == [EventKind.TERMINATE]


# Machines that go wrong.


def test_a_machine_that_never_boots_is_replaced_under_its_name(site):
    site.slurm.want(1, 1, 2)
    site.run()
    site.slurm.set(UP, 1)
    site.run(after=60)
    site.run(after=300)
    report = site.run(after=300)
    assert site.cloud.ended == ["i-2"]
    assert [launch.nodes for launch in site.cloud.launches] == [names(2)]
    assert kinds(report) == [EventKind.TERMINATE, EventKind.LAUNCH]


def test_a_machine_that_could_not_be_ended_is_not_replaced_yet(site):
    site.slurm.want(1, 1)
    site.run()
    site.run(after=400)
    site.cloud.fails["terminate"] = [LOST]
    site.run(after=300)
    assert site.cloud.launches == []


def test_a_machine_that_dies_under_a_node_is_told_to_slurm_at_once(site):
    site.cloud.add("q-1", state=InstanceState.GONE, failing="Server.SpotInstanceTermination")
    site.slurm.set(UP, 1)
    site.run()
    assert site.slurm.told == [
        (names(1), "down", "hpc: machine i-1 is gone: Server.SpotInstanceTermination"),
        (names(1), "power_down", ""),
    ]


def test_many_lost_machines_share_a_reason(tmp_path):
    site = Site(tmp_path, 60)
    for number in range(1, 61):
        site.cloud.add(node_name("q", number), state=InstanceState.GONE)
    site.slurm.set(UP, *range(1, 61))
    site.run()
    assert [(len(nodes), state, reason) for nodes, state, reason in site.slurm.told] == [
        (60, "down", "hpc: machine is gone"),
        (60, "power_down", ""),
    ]


def test_a_machine_about_to_be_taken_away_is_drained_and_goes_when_it_is_idle(site):
    site.cloud.add("q-1", failing="instance-retirement")
    site.slurm.set(UP, 1)
    site.run()
    assert site.slurm.told == [(names(1), "drain", "hpc: instance-retirement")]
    site.slurm.set("ALLOCATED+CLOUD+DRAIN", 1, reason="hpc: instance-retirement")
    site.run()
    assert site.slurm.told == []
    site.slurm.set("IDLE+CLOUD+DRAIN", 1, reason="hpc: instance-retirement")
    site.run()
    assert site.slurm.told == [(names(1), "power_down", "")]


def test_a_node_that_does_not_answer_is_given_time_then_ended(site):
    site.cloud.add("q-1")
    site.slurm.set("DOWN+CLOUD+NOT_RESPONDING", 1, reason="Not responding")
    site.run()
    assert not site.cloud.ended
    site.run(after=LISTING_DELAY)
    assert site.cloud.ended == ["i-1"]
    assert site.told("power_down").keys() == {"q-1"}


def test_a_node_that_slurm_gave_up_ends_rests_and_comes_back(site):
    site.cloud.add("q-1")
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 1, reason="ResumeTimeout reached")
    site.run()
    assert site.cloud.ended == ["i-1"]
    site.run()
    (reason,) = site.told("down").values()
    assert reason.startswith("hpc: no machine registered in time; next try ")
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 1, reason=reason)
    site.run()
    site.run(after=299)
    assert site.slurm.told == []
    site.run(after=1)
    assert site.slurm.told == [(names(1), "resume", "")]


def test_after_three_machines_in_a_row_the_pool_is_left_alone(site):
    site.slurm.want(1, 1)
    for _ in range(3):
        site.run()
        assert [launch.pool for launch in site.cloud.launches] == [M1]
        for id in site.cloud.machines:
            site.cloud.change(id, state=InstanceState.GONE)
    report = site.run()
    assert [launch.pool for launch in site.cloud.launches] == [M2]
    assert [blocked.words for blocked in report.blocked] == ["machines end, or do not register in time"]


def test_a_pool_in_which_other_machines_work_is_not_to_blame(site):
    site.cloud.add("q-8", M1)
    site.slurm.set(UP, 8)
    site.slurm.want(1, 1)
    for _ in range(5):
        site.run()
        assert [launch.pool for launch in site.cloud.launches] == [M1]
        for machine in list(site.cloud.machines.values()):
            if machine.node == "q-1":
                site.cloud.change(machine.id, state=InstanceState.GONE)


def test_a_second_machine_of_a_node_is_ended(site):
    site.cloud.add("q-1", launched=site.now - 500)
    site.cloud.add("q-1", launched=site.now - 100)
    site.slurm.set(COMING, 1)
    site.run()
    assert site.cloud.ended == ["i-2"]


# People.


def test_a_drain_of_somebody_else_outlives_its_machine(site):
    site.cloud.add("q-1", state=InstanceState.GONE)
    site.slurm.set("ALLOCATED+CLOUD+DRAIN", 1, reason="tom: dimm")
    site.run()
    assert site.slurm.told == [(names(1), "down", "tom: dimm")]


def test_a_node_drained_by_somebody_else_while_it_comes_up_keeps_its_reason(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1, 2)
    site.slurm.set("ALLOCATED+CLOUD+DRAIN+POWERING_UP", 1, reason="tom: dimm")
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 3, 4, 5, 6, 7, 8, reason="tom: all of them")
    site.run()
    assert site.told("down")["q-1"] == "tom: dimm"
    assert site.told("down").keys() == set(names(1, 2))
    assert site.told("power_down").keys() == {"q-2"}


@pytest.mark.parametrize("states", ["IDLE+CLOUD+DRAIN", "DOWN+CLOUD"])
def test_a_node_that_somebody_holds_keeps_its_machine(site, states):
    site.cloud.add("q-1", failing="instance-retirement")
    site.slurm.set(states, 1, reason="tom: dimm")
    for _ in range(5):
        site.run(after=1000)
    assert site.slurm.told == []
    assert site.cloud.alive() == {"q-1": "m1"}


# The configuration.


def test_nodes_that_are_always_up_are_powered_up(tmp_path):
    site = Site(tmp_path, minimum=2)
    site.run()
    assert site.slurm.told == [(names(1, 2), "power_up", "")]
    site.slurm.set("IDLE+CLOUD+POWER_UP+POWERED_DOWN", 1)
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 2)
    site.run()
    assert site.slurm.told == []
    assert [launch.nodes for launch in site.cloud.launches] == [names(2)]


def test_nodes_that_are_always_up_wait_for_capacity_like_the_others(tmp_path):
    site = Site(tmp_path, minimum=1)
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 1)
    site.run()
    site.slurm.set(OFF, 1)
    site.run()
    assert site.told("power_up") == {}
    assert site.told("down").keys() >= {"q-1"}


def test_machines_of_a_queue_that_shrank_are_ended_once_slurm_knows_it(site):
    site.cloud.add("q-9")
    site.slurm.states["q-9"] = UP
    site.run()
    assert site.cloud.alive() == {"q-9": "m1"}
    del site.slurm.states["q-9"]
    site.run()
    assert site.cloud.alive() == {"q-9": "m1"}
    site.run(after=LISTING_DELAY)
    assert site.cloud.ended == ["i-1"]


def test_a_node_beyond_the_maximum_is_never_launched(site):
    site.slurm.states["q-9"] = COMING
    site.slurm.states["q-10"] = OFF
    site.run()
    assert site.cloud.launches == []
    assert site.told("down") == dict.fromkeys(names(9, 10), "hpc: not in elastic.json")
    assert site.told("power_down").keys() == {"q-9"}


def test_a_machine_of_a_queue_that_slurm_still_uses_works_on(site):
    site.cloud.add("old-1")
    site.slurm.states["old-1"] = UP
    for _ in range(5):
        site.run(after=100)
    assert site.cloud.alive() == {"old-1": "m1"}


# The report.


def test_the_report_says_what_it_saw_and_waits_for(site):
    site.slurm.want(1, 1)
    site.run()
    report = site.run()
    assert report.cells["q-1"] == ("to come up", "running", "wait")
    assert report.cells["q-2"] == ("off", "nothing", "nothing")
    (wait,) = report.waits
    assert (wait.nodes, wait.until, wait.words) == (names(1), site.now - 5 + 600, "its machine boots")
    assert (len(report.nodes), len(report.jobs), len(report.instances), report.calls) == (8, 1, 1, 1)


def test_it_looks_often_while_machines_are_up_or_coming(site):
    assert site.run().pause == 30.0
    site.slurm.want(1, 1)
    assert site.run().pause == 5.0
    site.slurm.fails = OSError("away")
    assert site.run().pause == 5.0
