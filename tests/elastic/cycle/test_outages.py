"""Slurm, the cloud or the disk is away, or says no."""

import pytest

from elastic.cycle.stubs import LIST_LAG, LOST, M1, M2, UP, Site, kinds
from hpc_components.elastic.drivers.contract import RefusedError, ThrottledError
from hpc_components.elastic.model import InstanceState, Job
from hpc_components.elastic.report.events import EventKind


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
        assert "Slurm lists no elastic nodes although queues are configured" in site.run(after=100).problem
    assert site.cloud.alive() == {"q-1": "m1"}


def test_a_slurmctld_with_older_notes_costs_no_job(site):
    """It starts again from notes that are older than the node, and from the job's, which say that it runs there."""
    site.cloud.add("q-1")
    site.cloud.add("q-2")
    site.slurm.set("ALLOCATED+CLOUD+POWERED_DOWN", 1, 2)
    site.slurm.jobs_now = [
        Job(id=1, state="RUNNING", nodes=("q-1",)),
        Job(id=2, state="CONFIGURING", nodes=("q-2",)),  # it waits for a fresh boot
    ]
    for _ in range(3):
        site.run(after=100)
    assert site.cloud.alive() == {"q-1": "m1"}
    site.slurm.set("IDLE+CLOUD+POWERED_DOWN", 1)
    site.slurm.jobs_now = []
    site.run()
    assert site.cloud.alive() == {}


@pytest.mark.parametrize("failure", [OSError("no route to host"), ThrottledError("slow down")])
def test_without_the_cloud_slurm_is_told_nothing(site, failure):
    site.slurm.set(UP, 1)
    site.cloud.fails["list"] = [failure] * 10
    for _ in range(10):
        report = site.run(after=100)
        assert report.problem.startswith("can't list the machines in the cloud: ")
        assert len(report.nodes) == 8
    assert site.slurm.told == []


def test_a_full_disk_stops_launches_and_is_told(site, monkeypatch):
    site.slurm.want(1, 1)

    def full(text):
        raise OSError("No space left on device")

    monkeypatch.setattr(site.journal, "_write", full)
    report = site.run()
    assert report.problem == "can't write the journal, so no machines can be launched: No space left on device"
    assert site.cloud.launches == []


def test_what_slurm_does_not_take_is_tried_again_and_hinders_nothing_else(site):
    site.cloud.add("q-1")
    site.slurm.set(UP, 1)
    site.run()
    site.cloud.change("i-1", state=InstanceState.GONE)
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
    site.cloud.fails["terminate"] = [LOST, RefusedError("protected"), ThrottledError("slow down")]
    assert kinds(site.run()) == [EventKind.LOST]
    assert kinds(site.run()) == [EventKind.REFUSED]
    assert kinds(site.run(after=60)) == [EventKind.THROTTLED]
    assert kinds(site.run()) == [EventKind.TERMINATE]


def test_a_machine_whose_end_was_not_answered_beside_a_refused_one_is_asked_for_at_once(site):
    for name in ("q-1", "q-2", "q-3"):
        site.cloud.add(name)
    site.cloud.fails["terminate"] = [RefusedError("i-1: protected", ["i-1"], ["i-2"])]
    assert kinds(site.run()) == [EventKind.REFUSED, EventKind.LOST, EventKind.TERMINATE]
    assert kinds(site.run()) == [EventKind.TERMINATE]
    assert [*site.cloud.ended] == ["i-2"]


def test_a_node_that_is_wanted_again_gets_a_new_machine_if_the_end_of_its_old_one_was_not_answered(site):
    site.cloud.add("q-1")
    site.cloud.fails["terminate"] = [LOST]
    site.run()
    site.slurm.want(1, 1)
    assert EventKind.TERMINATE in kinds(site.run())
    assert site.cloud.ended == ["i-1"]
    assert [launch.nodes for launch in site.cloud.launches] == [("q-1",)]


def test_a_node_whose_machine_may_be_ending_gets_no_job(site):
    """Nobody answers the second time either: the node is set down before the machine registers."""
    site.cloud.add("q-1")
    site.cloud.fails["terminate"] = [LOST, LOST]
    site.run()
    site.slurm.want(1, 1)
    site.run()
    assert site.told("down").keys() == {"q-1"}
    assert site.cloud.launches == []


def test_an_end_that_was_not_answered_for_longer_than_the_list_lag_is_not_forgotten(site, monkeypatch):
    """Each of several groups of machines may take its time not to answer."""

    def hang(ids):
        site.now += LIST_LAG + 10
        raise LOST

    site.cloud.add("q-1")
    monkeypatch.setattr(site.cloud, "terminate", hang)
    site.run()
    site.slurm.set(UP, 1)
    site.run()
    assert site.told("drain").keys() == {"q-1"}


def test_a_node_that_has_registered_on_a_machine_that_may_be_ending_is_drained(site):
    site.cloud.add("q-1")
    site.cloud.fails["terminate"] = [LOST]
    site.run()
    site.slurm.set(UP, 1)
    site.run()
    assert site.told("drain").keys() == {"q-1"}


def test_a_machine_that_is_protected_is_told_once_and_asked_for_ever_more_seldom(site):
    site.cloud.add("q-1")
    site.cloud.add("q-2")
    site.cloud.fails["terminate"] = [RefusedError("i-1: protected", ["i-1"])] * 100
    assert kinds(site.run()) == [EventKind.REFUSED, EventKind.TERMINATE]
    site.cloud.change("i-2", state=InstanceState.GONE)
    asked, told = len(site.cloud.asked), []
    for _ in range(720):
        told += kinds(site.run())
    assert told == []
    assert site.cloud.asked[asked:].count("terminate") == 5
    site.cloud.fails["terminate"].clear()
    for _ in range(720):
        told += kinds(site.run())
    assert told == [EventKind.TERMINATE]
    assert not site.cloud.alive()


def test_a_right_that_is_missing_is_asked_for_each_minute_for_it_may_be_given(site):
    site.cloud.add("q-1")
    site.cloud.fails["terminate"] = [RefusedError("UnauthorizedOperation")] * 10_000
    told = [kind for _ in range(720) for kind in kinds(site.run())]
    assert told == [EventKind.REFUSED]
    site.cloud.fails["terminate"].clear()
    for _ in range(12):
        site.run()
    assert not site.cloud.alive()


def test_a_full_disk_stops_nothing_but_launches(tmp_path, monkeypatch):
    site = Site(tmp_path, minimum=1)
    site.cloud.add("q-3")
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 2)
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", 4, reason="hpc: no capacity: x; next try 14:05")

    def full(text):
        raise OSError("No space left on device")

    monkeypatch.setattr(site.journal, "_write", full)
    for _ in range(2):
        report = site.run()
        assert report.problem == "can't write the journal, so no machines can be launched: No space left on device"
        assert kinds(report)[-1] is EventKind.LOST
        assert EventKind.REPEAT not in kinds(report)
        assert site.cloud.launches == []
        assert site.told("power_up").keys() == {"q-1"}
        assert site.told("resume").keys() == {"q-4"}
    assert not site.cloud.alive()
    monkeypatch.undo()
    report = site.run()
    assert report.problem == ""
    assert [launch.pool for launch in site.cloud.launches] == [M1, M2]


def test_a_second_restart_still_holds_launches_back_after_the_journal_broke(site):
    site.path.write_text("{")
    site.start()
    site.slurm.want(1, 1)
    site.now += LIST_LAG - 20
    site.start()
    site.run()
    assert site.cloud.launches == []
    site.run(after=20)
    assert len(site.cloud.launches) == 1


@pytest.mark.parametrize("boot", ["b1", "b2"])
def test_a_clock_that_was_ahead_leaves_no_pool_alone_for_long(site, boot):
    site.ahead = 30 * 86400
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    site.run()
    site.ahead = 0
    site.start(boot)
    site.cloud.free = {}
    site.run()
    site.run(after=4 * 3600 if boot == "b2" else site.config.cooldown)
    assert len(site.cloud.launches) == 1


def test_a_clock_that_was_ahead_leaves_no_machine_that_could_not_be_ended(site):
    site.cloud.add("q-1")
    site.cloud.add("q-2")
    site.ahead = 86400
    site.cloud.fails["terminate"] = [RefusedError("i-1: protected", ["i-1"])]
    site.run()
    site.cloud.change("i-2", state=InstanceState.RUNNING)  # EC2 did not do it after all
    site.ahead = 0
    site.run(after=LIST_LAG)
    assert sorted(site.cloud.ended) == ["i-1", "i-2"]
