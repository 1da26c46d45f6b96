"""What Slurm's words about nodes and jobs come to."""

import pytest

from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.events import Code, NodeState
from hpc_components.rehearse.run.observer import Observer, node_state, parse_jobs

JOBS = """\
JobId=7 JobName=mpi-hello UserId=alice(12000) Priority=1 JobState=RUNNING Reason=None Dependency=(null) Requeue=1 \
Restarts=1 BatchFlag=1 Reboot=0 ExitCode=0:0 Partition=cpu ReqNodeList=(null) ExcNodeList=(null) NodeList=cpu-[1-2] \
BatchHost=cpu-1 NumNodes=2 Command=/fsx/submit_job.sh WorkDir=/fsx StdErr=/fsx/mpi-hello-7.out StdIn=/dev/null \
StdOut=/fsx/mpi-hello-7.out Power=
JobId=8 JobName=wait JobState=PENDING Reason=Resources Restarts=0 ExitCode=0:0 Partition=cpu NodeList=(null) \
StdOut=/fsx/8.out
"""


def test_jobs_are_read_from_slurms_answer():
    running, waiting = parse_jobs(JOBS).values()
    assert (running.id, running.name, running.queue, running.state) == (7, "mpi-hello", "cpu", "RUNNING")
    assert (running.nodes, running.restarts, running.output) == ("cpu-[1-2]", 1, "/fsx/mpi-hello-7.out")
    assert (waiting.nodes, waiting.reason) == ("", "Resources")


@pytest.mark.parametrize("state", ["PREEMPTED", "REVOKED", "COMPLETED", "NODE_FAIL", "OUT_OF_MEMORY"])
def test_a_job_that_will_not_run_again_has_ended(state):
    """Else a job of the user's own is waited for until the patience of a day is over."""
    _, job = parse_jobs(JOBS.replace("JobState=PENDING", f"JobState={state}")).values()
    assert job.ended


@pytest.mark.parametrize("state", ["PENDING", "REQUEUED", "COMPLETING", "SUSPENDED", "NEW_IN_SOME_RELEASE"])
def test_a_job_that_may_still_run_has_not_ended(state):
    _, job = parse_jobs(JOBS.replace("JobState=PENDING", f"JobState={state}")).values()
    assert not job.ended


def test_no_jobs_are_none():
    assert parse_jobs("No jobs in the system\n") == {}


@pytest.mark.parametrize(
    ("states", "machine", "configuring", "expected"),
    [
        ("IDLE+CLOUD+POWERED_DOWN", False, False, NodeState.GONE),
        ("IDLE+CLOUD+POWERED_DOWN", True, False, NodeState.LEAVING),
        ("MIXED+CLOUD+POWERED_DOWN", False, True, NodeState.WANTED),
        ("MIXED+CLOUD+NOT_RESPONDING+POWERING_UP", False, True, NodeState.WANTED),
        ("MIXED+CLOUD+NOT_RESPONDING+POWERING_UP", True, True, NodeState.BOOTING),
        ("MIXED+CLOUD", True, True, NodeState.CONFIGURING),
        ("ALLOCATED+CLOUD", True, False, NodeState.BUSY),
        ("IDLE+CLOUD+COMPLETING", True, False, NodeState.BUSY),
        ("IDLE+CLOUD", True, False, NodeState.IDLE),
        ("IDLE+CLOUD+DRAIN", True, False, NodeState.DRAINING),
        ("MIXED+CLOUD+NOT_RESPONDING", True, False, NodeState.DOWN),
        ("DOWN+CLOUD+POWERED_DOWN", False, False, NodeState.DOWN),
        ("IDLE+CLOUD+POWERING_DOWN", True, False, NodeState.LEAVING),
        ("IDLE+CLOUD+POWER_DOWN", True, False, NodeState.LEAVING),
    ],
)
def test_a_node_has_the_state_of_its_words(states, machine, configuring, expected):
    assert node_state(states.split("+"), machine=machine, configuring=configuring) is expected


def test_a_job_without_a_reason_yet_is_reported_without_one():
    log = EventLog(lambda event: None)
    observer = Observer(log, set)
    for reason in ("None", "Resources"):
        jobs = parse_jobs(f"JobId=8 JobName=wait JobState=PENDING Reason={reason} Partition=cpu NodeList=(null)\n")
        observer._update([], jobs)
        observer.jobs.clear()
    assert [event.words for event in log.events] == ["job 8 is PENDING", "job 8 is PENDING: Resources"]
    assert {event.code for event in log.events} == {Code.JOB_STATE}
