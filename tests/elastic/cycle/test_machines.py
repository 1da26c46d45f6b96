"""Machines that go wrong, and people who hold nodes."""

import pytest

from elastic.cycle.stubs import COMING, LIST_LAG, LOST, M1, M2, UP, Site, kinds, names
from hpc_components.elastic.drivers.contract import CapacityError, ThrottledError
from hpc_components.elastic.model import InstanceState
from hpc_components.elastic.names import node_name
from hpc_components.elastic.report.events import EventKind


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
    site.cloud.add("q-1")
    site.slurm.set(UP, 1)
    site.run()
    site.cloud.change("i-1", state=InstanceState.GONE, failing="Server.SpotInstanceTermination")
    site.run()
    assert site.slurm.told == [
        (names(1), "down", "hpc: machine i-1 is gone: Server.SpotInstanceTermination"),
        (names(1), "power_down", ""),
    ]


@pytest.mark.parametrize("states", [UP, "ALLOCATED+CLOUD+DRAIN"])
def test_a_machine_that_the_cloud_does_not_list_is_told_once_and_its_job_runs_on(site, states):
    site.cloud.add("q-1")
    site.slurm.set(states, 1, reason="hpc: spot notice")
    site.run()
    site.cloud.hidden.add("i-1")
    site.run()
    report = site.run(after=LIST_LAG)
    assert [event.words for event in report.events] == [
        "q-1: the node responds to Slurm, but the cloud does not list its machine"
    ]
    (wait,) = report.waits
    assert (wait.nodes, wait.until) == (names(1), 0.0)
    for _ in range(5):
        assert site.run(after=1000).events == ()
    assert site.slurm.told == []
    site.slurm.set(f"{states}+NOT_RESPONDING", 1, reason="hpc: spot notice")
    site.run()
    site.run(after=LIST_LAG)
    assert site.told("down") == {"q-1": "hpc: machine i-1 is gone"}


def test_many_lost_machines_share_a_reason(tmp_path):
    site = Site(tmp_path, 60)
    for number in range(1, 61):
        site.cloud.add(node_name("q", number))
    site.slurm.set(UP, *range(1, 61))
    site.run()
    for id in site.cloud.machines:
        site.cloud.change(id, state=InstanceState.GONE)
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


@pytest.mark.parametrize("reason", ["Not responding", "tom: dimm : Not responding"])
def test_a_node_that_does_not_answer_is_given_time_then_ended(site, reason):
    site.cloud.add("q-1")
    site.slurm.set("DOWN+CLOUD+NOT_RESPONDING", 1, reason=reason)
    site.run()
    assert not site.cloud.ended
    site.run(after=LIST_LAG)
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
    assert site.slurm.told == [(names(1), "resume", "hpc: ready for jobs again")]


LOW = "Low RealMemory (reported:3900 < 90.00% of configured:7800)"


@pytest.mark.parametrize(
    ("states", "reason"),
    [("IDLE+CLOUD+COMPLETING+DRAIN+INVALID_REG", LOW), ("IDLE+CLOUD+DRAIN", "Kill task failed")],
    ids=["refused", "drained by Slurm"],
)
def test_a_machine_that_slurm_will_not_use_does_not_cost_for_ever(site, states, reason):
    site.cloud.add("q-1")
    site.slurm.set(states, 1, reason=reason)
    site.run()
    assert site.slurm.told == []
    site.run(after=LIST_LAG)
    assert site.slurm.told == [(names(1), "down", f"hpc: {reason}"), (names(1), "power_down", "")]
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1, reason=f"hpc: {reason}")
    site.run()
    assert site.cloud.ended == ["i-1"]


def test_a_machine_that_slurm_drained_works_on_while_it_has_jobs(site):
    site.cloud.add("q-1")
    site.slurm.set("MIXED+CLOUD+DRAIN", 1, reason="Kill task failed")
    for _ in range(3):
        site.run(after=1000)
    assert site.slurm.told == []


@pytest.mark.parametrize("states", ["IDLE+CLOUD+POWERING_UP", "IDLE+CLOUD+POWER_DOWN+POWERING_UP"])
def test_no_machine_is_launched_for_a_job_that_was_cancelled(site, states):
    site.slurm.want(1, 1)
    site.cloud.fails["launch"] = [CapacityError("none"), ThrottledError("later")]
    site.run()
    site.slurm.jobs_now.clear()
    site.slurm.set(states, 1)
    site.run()
    assert site.cloud.launches == []
    assert site.slurm.told == [(names(1), "power_down_force", "")]


def test_a_second_machine_of_a_node_is_ended(site):
    site.cloud.add("q-1", launched=site.now - 500)
    site.cloud.add("q-1", launched=site.now - 100)
    site.slurm.set(COMING, 1)
    site.run()
    assert site.cloud.ended == ["i-2"]


def test_a_drain_of_somebody_else_outlives_its_machine(site):
    site.cloud.add("q-1")
    site.slurm.set("ALLOCATED+CLOUD+DRAIN", 1, reason="tom: dimm")
    site.run()
    site.cloud.change("i-1", state=InstanceState.GONE)
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


@pytest.mark.parametrize(
    ("states", "reason"),
    [
        ("IDLE+CLOUD+DRAIN", "tom: dimm"),
        ("DOWN+CLOUD", "tom: dimm"),
        ("DOWN+CLOUD+DRAIN+NOT_RESPONDING", "tom: dimm : Not responding"),
    ],
)
def test_a_node_that_somebody_holds_keeps_its_machine(site, states, reason):
    site.cloud.add("q-1", failing="instance-retirement")
    site.slurm.set(states, 1, reason=reason)
    for _ in range(5):
        site.run(after=1000)
    assert site.slurm.told == []
    assert site.cloud.alive() == {"q-1": "m1"}


def test_a_machine_that_can_t_be_ended_yet_is_reported_once(site):
    site.cloud.add("q-1")
    site.cloud.fails["terminate"] = [LOST] * 3
    told = [event.words for _ in range(4) for event in site.run().events]
    assert told == [
        "q-1: can't terminate machines yet: timed out",
        "q-1: machine terminated: Slurm does not need the machine; the node's next start requires a fresh "
        "boot anyway",
    ]
