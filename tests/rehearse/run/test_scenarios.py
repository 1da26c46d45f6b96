"""What is checked after a fault, decided from events and the job's output without a cluster."""

from types import SimpleNamespace

import pytest

from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.events import Code, Fault
from hpc_components.rehearse.run.faults import scenario_of
from hpc_components.rehearse.run.job import JobKind
from hpc_components.rehearse.run.observer import SeenJob

ENDED = SeenJob(
    id=1, name="x", queue="cpu", state="COMPLETED", reason="", nodes="cpu-1", restarts=1, exit_code="0:0", output="/o"
)
FIRST, SECOND = "c7i.large in use2-az1, spot", "m7i.large in use2-az1, spot"


class Cluster:
    """As much of a cluster as scenarios ask."""

    def __init__(self, output=""):
        self.log = EventLog(lambda event: None)
        self.cloud = SimpleNamespace(
            limit=lambda pool, machines, refusals: None, kill=lambda id: None, launched=list, alive=list
        )
        self.login = SimpleNamespace(read=lambda path: output)
        self.setup = SimpleNamespace(times=SimpleNamespace(cooldown=20))

    def pools(self, queue):
        return [FIRST, SECOND]


def scenario(fault, cluster, kind=JobKind.HELLO_MPI, ranks=1):
    job = SimpleNamespace(kind=kind, queue="cpu", scale=SimpleNamespace(ranks=ranks))
    return scenario_of(fault, cluster, None, job)


def test_a_refusal_and_a_launch_are_known_by_their_codes():
    cluster = Cluster()
    capacity = scenario(Fault.CAPACITY, cluster)
    capacity.before()
    cluster.log.record(Code.NO_CAPACITY, "the pool is empty", pool=FIRST)
    cluster.log.record(Code.LAUNCHED, "another machine comes", node="cpu-1", pool=SECOND)
    (check,) = capacity.after(ENDED)
    assert (check.code, check.passed) == (Code.LAUNCHED_AFTER_ERROR, True)


def test_a_launch_that_never_came_fails_the_check():
    cluster = Cluster()
    capacity = scenario(Fault.CAPACITY, cluster)
    capacity.before()
    cluster.log.record(Code.NO_CAPACITY, "no capacity, and nothing is launched for cpu-1", pool=FIRST)
    (check,) = capacity.after(ENDED)
    assert not check.passed


def dead_node(output, kind, ranks=1):
    cluster = Cluster(output)
    dead = scenario(Fault.DEAD_NODE, cluster, kind, ranks)
    dead.victim, dead.machine = "cpu-1", SimpleNamespace(id="i-1")
    dead.take_away()
    cluster.log.record(Code.NODE_STATE, "gone from sight", node="cpu-1", state="down")
    return {check.code: check.passed for check in dead.after(ENDED)}


@pytest.mark.parametrize(
    ("starts", "passed"),
    [
        ([(0, 5)], True),
        ([(0, 0)], False),
        ([(0,)], False),
        ([(0, 5, 9)], False),
        ([(0, 5), (0, 6)], True),
        ([(0, 5), (0, 0)], False),
        ([(0, 5), (0,)], False),
        ([(0, 5), ()], False),
    ],
)
def test_each_task_of_the_job_with_checkpoints_goes_on_after_its_last_one(starts, passed):
    output = "".join(
        f"Task {task} begins after step {step} of 16 on host cpu-{task}\n"
        for task, steps in enumerate(starts)
        for step in steps
    )
    checked = dead_node(output, JobKind.CHECKPOINT, len(starts))
    assert checked == {Code.LOSS_NOTICED: True, Code.REQUEUED: True, Code.RESUMED: passed}


def test_a_job_of_ones_own_may_write_of_checkpoints_as_it_likes():
    checked = dead_node("wrote checkpoint 7\n", JobKind.OWN)
    assert checked == {Code.LOSS_NOTICED: True, Code.REQUEUED: True}
