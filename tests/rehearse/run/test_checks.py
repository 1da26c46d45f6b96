"""What must hold at the end, and what does not."""

from dataclasses import replace

import pytest

from hpc_components.rehearse.result import Scale
from hpc_components.rehearse.run.checks import (
    check_greetings,
    check_job,
    check_names,
    check_start,
    clock_lines,
    error_lines,
    late_lines,
)
from hpc_components.rehearse.run.job import Job, JobKind
from hpc_components.rehearse.run.observer import SeenJob

ENDED = SeenJob(
    id=1, name="x", queue="cpu", state="COMPLETED", reason="", nodes="", restarts=0, exit_code="0:0", output="/o"
)
HELLO = Job(
    kind=JobKind.HELLO_GPU,
    queue="gpu",
    files={},
    user="alice",
    directory="/fsx",
    command=("sbatch",),
    scale=Scale(nodes=2, ranks=4, full_ranks=4, cpus_per_node=192),
)


def hello(rank, host, gpu, size=4):
    return f"Hello from rank {rank} of {size} on host {host}, GPU {gpu}\n"


WELL = hello(3, "gpu-2", 1) + hello(0, "gpu-1", 0) + hello(1, "gpu-1", 1) + hello(2, "gpu-2", 0)


def verdicts(output, job=HELLO):
    return [check.passed for check in check_greetings(job, ("gpu-1", "gpu-2"), output)]


ADDRESSES = {"gpu-1": "10.20.0.64", "gpu-2": "10.20.0.65"}
FOUND = """\
10.20.0.64      STREAM gpu-1.university.hpc.internal
10.20.0.64      DGRAM  
10.20.0.64      RAW    
10.20.0.65      STREAM gpu-2.university.hpc.internal
10.20.0.65      DGRAM  
10.20.0.65      RAW    
"""


def test_all_hosts_find_the_nodes():
    check = check_names({"head": FOUND, "gpu-1": FOUND}, ADDRESSES)
    assert (check.passed, check.detail) == (True, "4 of 4 lookups succeeded")


@pytest.mark.parametrize("lost", ["10.20.0.65", "STREAM gpu-2"])
def test_a_host_that_does_not_find_a_node_is_named(lost):
    check = check_names({"head": FOUND, "gpu-1": FOUND.replace(lost, "10.9.9.9 STREAM x")}, ADDRESSES)
    assert (check.passed, check.detail) == (False, "gpu-1 can't resolve gpu-2")


def test_ranks_that_all_said_hello_pass():
    assert verdicts(WELL) == [True, True]
    assert verdicts("warning: something\n" + WELL) == [True, True]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", [False, False]),
        (WELL.replace("rank 3", "rank 2"), [False, True]),  # one twice, one not at all
        (WELL.replace("of 4", "of 1"), [False, True]),  # four jobs of one rank each
        (WELL.replace("gpu-2", "gpu-1"), [False, False]),  # all on one node
        (WELL.replace("GPU 1", "GPU none"), [True, False]),
        (WELL + hello(0, "gpu-1", 0), [False, True]),
    ],
)
def test_a_rank_that_said_nothing_fails(output, expected):
    assert verdicts(output) == expected


def test_ranks_without_gpus_are_not_asked_for_them():
    output = WELL.replace(", GPU 0", "").replace(", GPU 1", "")
    assert verdicts(output, replace(HELLO, kind=JobKind.HELLO_MPI)) == [True]


def test_a_job_ends_well():
    assert check_job(ENDED).passed
    assert not check_job(replace(ENDED, state="FAILED", exit_code="1:0")).passed
    assert not check_job(replace(ENDED, exit_code="0:9")).passed


def test_errors_are_found_in_logs(tmp_path):
    (tmp_path / "head-slurmctld.log").write_text(
        "slurmctld: error: Could not open node state file /x: No such file or directory\n"
        "slurmctld: error: power_save module disabled, invalid SuspendProgram\n"
        "slurmctld: Running as primary controller\n"
    )
    (tmp_path / "cpu-1-slurmd.log").write_text("slurmd: fatal: no config\n")
    assert error_lines(tmp_path) == [
        "cpu-1-slurmd: slurmd: fatal: no config",
        "head-slurmctld: slurmctld: error: power_save module disabled, invalid SuspendProgram",
    ]


def test_a_configuration_that_is_asked_for_again_is_no_error(tmp_path):
    (tmp_path / "cpu-1-slurmd.log").write_text(
        "slurmd: error: _fetch_child: failed to fetch remote configs: Unable to contact slurm controller\n"
        "slurmd: error: _establish_configuration: failed to load configs. Retrying in 10 seconds.\n"
        "slurmd: error: _fetch_child: no such host\n"
    )
    (tmp_path / "head-slurmctld.log").write_text(
        "slurmctld: error: [10.0.0.2:6818] slurm_bufs_sendto(msg_type=RESPONSE_CONFIG) failed: Unexpected missing "
        "socket error\n"
    )
    assert error_lines(tmp_path) == ["cpu-1-slurmd: slurmd: error: _fetch_child: no such host"]


@pytest.mark.parametrize(
    "said",
    [
        "slurm_msg_sendto: address:port=10.20.8.20:46072 msg_type=2008:",
        "slurm_send_node_msg: [socket:[8]] slurm_bufs_sendto(msg_type=RESPONSE_PARTITION_INFO) failed:",
    ],
)
def test_answers_come_late_if_a_client_has_given_up(said, tmp_path):
    line = f"slurmctld: error: {said} Unexpected missing socket error"
    (tmp_path / "head-slurmctld.log").write_text(f"{line} 1\n{line} 2\n{line} 3\n")
    assert len(late_lines(tmp_path)) == len(error_lines(tmp_path)) == 3
    assert error_lines(tmp_path, given_up=True) == []
    timed_out = "Slurm does not answer: scontrol: slurm_load_node error: Socket timed out on send/recv operation"
    (tmp_path / "head-hpc-elastic.log").write_text(f"{timed_out}\nall is well again\n")
    assert len(late_lines(tmp_path)) == 4
    assert error_lines(tmp_path) == []


def test_a_slow_clock_is_told_of_and_no_error(tmp_path):
    clock = "slurmctld: error: High latency for 1000 calls to gettimeofday(): 1051 microseconds"
    (tmp_path / "head-slurmctld.log").write_text(f"{clock}\nslurmctld: error: High latency\n")
    assert clock_lines(tmp_path) == [f"head-slurmctld: {clock}"]
    assert error_lines(tmp_path) == ["head-slurmctld: slurmctld: error: High latency"]


@pytest.mark.parametrize(
    ("line", "passed"),
    [
        ("prolog_running_decr: Configuration for JobId=1 is complete", True),
        ("job_time_limit: Configuration for JobId=11 complete", True),
        ("job_time_limit: Configuration for JobId=1 complete", False),
    ],
)
def test_a_job_found_by_slurm_itself_was_started_late(tmp_path, line, passed):
    (tmp_path / "head-slurmctld.log").write_text(f"slurmctld: sched: Allocate JobId=1\nslurmctld: {line}\n")
    assert check_start(ENDED, tmp_path).passed is passed
