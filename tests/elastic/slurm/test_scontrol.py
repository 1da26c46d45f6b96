"""The parsers and what is asked, without daemons; nodes.txt and jobs.txt are recorded (elastic/lab/record.py)."""

import subprocess
from pathlib import Path

import pytest

from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.elastic.slurm.records import parse_jobs, parse_nodes
from hpc_components.elastic.slurm.scontrol import Scontrol, SlurmCommandError, run, run_in_utc

RECORDED = sorted((Path(__file__).parent / "recorded").iterdir())


class Commands:
    """Stands for `run`: keeps the commands, and fails with the given words."""

    def __init__(self, fails: str = "") -> None:
        self.seen: list[list[str]] = []
        self.fails = fails

    def __call__(self, command):
        self.seen.append(list(command))
        if self.fails:
            raise SlurmCommandError(self.fails)
        return ""


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_recorded_nodes_are_read(folder):
    nodes = {node.name: node for node in parse_nodes((folder / "nodes.txt").read_text())}
    assert list(nodes) == [f"compute-queue-{number}" for number in range(1, 10)], "login-1 is no CLOUD node"
    states = {name.rpartition("-")[2]: node.states - {"CLOUD"} for name, node in nodes.items()}
    assert states == {
        "1": {"ALLOCATED"},
        "2": {"MIXED"},
        "3": {"IDLE", "DRAIN"},
        "4": {"MIXED", "NOT_RESPONDING", "POWERING_UP"},
        "5": {"DOWN", "POWERED_DOWN"},
        "6": {"IDLE", "POWERED_DOWN"},
        "7": {"IDLE", "POWERING_DOWN"},
        "8": {"IDLE", "POWERED_DOWN"},
        "9": {"IDLE", "POWERED_DOWN"},
    }
    reasons = {name: node.reason for name, node in nodes.items() if node.reason}
    assert reasons == {
        "compute-queue-3": 'a "quoted" State=IDLE [x] = of others',
        "compute-queue-5": "hpc: no capacity for c7i.48xlarge in use2-az1; next try 12:40",
    }
    addresses = {name: node.address for name, node in nodes.items() if node.address}
    assert addresses == {f"compute-queue-{number}": f"10.77.1.{number}" for number in (1, 2, 3)}
    assert nodes["compute-queue-1"].booted_at > 1.7e9
    assert nodes["compute-queue-5"].booted_at == 0


def test_what_later_releases_append_is_no_part_of_a_reason():
    line = "NodeName=q-1 State=DOWN+CLOUD ThreadsPerCore=1 BootTime=None Reason=hpc: gone [slurm@1795263455]"
    rest = " Comment=x Reason=y [a@b] Extra=z InstanceId=i-1 InstanceType=c7i.large Topology=tree:top Parameters=p"
    assert [node.reason for node in parse_nodes(f"{line}{rest}\n{line}\n")] == ["hpc: gone", "hpc: gone"]


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_recorded_jobs_are_read(folder):
    jobs = parse_jobs((folder / "jobs.txt").read_text())
    assert {job.id: (job.state, job.nodes) for job in jobs} == {
        1: ("RUNNING", ("compute-queue-1", "compute-queue-2")),
        2: ("RUNNING", ("compute-queue-1",)),
        3: ("RUNNING", ("compute-queue-1",)),
        4: ("CONFIGURING", ("compute-queue-1", "compute-queue-2", "compute-queue-4")),
    }


def test_an_empty_answer_has_no_nodes():
    assert parse_nodes("No nodes in the system\n") == []
    assert parse_jobs("") == []


def test_nodes_are_updated_in_host_lists_that_fit():
    commands = Commands()
    names = {f"q-{number}" for number in range(1, 5001, 2)}
    Scontrol(commands).update(names, "down", "hpc: no capacity")
    lists = [command[2].removeprefix("nodename=") for command in commands.seen]
    assert len(lists) == 3
    assert {name for one in lists for name in expand(one)} == names
    assert all(command[3:] == ["state=down", "reason=hpc: no capacity"] for command in commands.seen)


def test_batch_jobs_that_may_not_be_requeued_are_told_from_others():
    answer = "7                   1                   0\n8    1  1\n9   0   0\n"
    commands = Commands()
    assert Scontrol(lambda command: commands(command) + answer).bound() == [7]
    assert commands.seen[0][-2:] == ["--Format", "JobID,BatchFlag,Requeue"]


def test_jobs_are_changed_together():
    commands = Commands()
    Scontrol(commands).set_requeue({8, 7}, True)
    Scontrol(commands).set_requeue((), True)
    assert commands.seen == [["scontrol", "update", "jobid=7,8", "requeue=1"]]


def test_jobs_are_told_to_wait_and_why():
    commands = Commands()
    Scontrol(commands).postpone([8, 7], 299.6, "hpc: this job: refused; next try 14:05")
    wanted = [
        "scontrol",
        "update",
        "jobid=7,8",
        "starttime=now+300",
        "admincomment=hpc: this job: refused; next try 14:05",
    ]
    assert commands.seen == [wanted]


def test_waiting_jobs_are_read_with_what_is_said_of_them():
    rows = [("7", "(null)"), ("8", "hpc: the cluster's budget"), ("9", ""), ("10", "of two\nlines")]
    text = "".join(f"{job:<20}{comment:<80}\n" for job, comment in rows)
    said = {7: "", 8: "hpc: the cluster's budget", 9: "", 10: "of two"}
    assert Scontrol(lambda command: text).waiting() == said


def test_jobs_are_told_why_they_wait_by_their_comment():
    commands = Commands()
    Scontrol(commands).explain([8, 7], "hpc: no money")
    assert commands.seen == [["scontrol", "update", "jobid=7,8", "admincomment=hpc: no money"]]


def test_nodes_are_saved_by_an_update_of_their_address():
    commands = Commands()
    Scontrol(commands).save_nodes("q-1", "10.20.0.7")
    assert commands.seen == [["scontrol", "update", "nodename=q-1", "nodeaddr=10.20.0.7"]]


def test_nothing_is_asked_for_no_nodes():
    commands = Commands()
    Scontrol(commands).update([], "resume")
    assert commands.seen == []


def test_a_node_in_no_state_to_be_resumed_stays_as_it_is():
    Scontrol(Commands("scontrol: slurm_update error: Invalid node state specified")).update(["q-1"], "resume")


@pytest.mark.parametrize(
    "words", ["Unable to contact slurm controller (connect failure)", "Invalid node name specified"]
)
def test_any_other_failure_is_told(words):
    with pytest.raises(OSError, match="slurm_update error"):
        Scontrol(Commands(f"scontrol: slurm_update error: {words}")).update(["q-1"], "power_down")


def test_a_failed_command_gives_its_last_error(tmp_path, monkeypatch):
    program = tmp_path / "scontrol"
    program.write_text("#!/bin/sh\necho 'error: try 1\nslurm_load_node error: Unable to contact' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(SlurmCommandError, match=r"^scontrol: slurm_load_node error: Unable to contact$"):
        run(["scontrol", "show", "nodes"])


def test_a_command_that_is_not_there_is_an_os_error(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(OSError, match="scontrol"):
        run(["scontrol", "show", "nodes"])


def test_a_command_that_never_ends_is_an_os_error(monkeypatch):
    def never(*_, **__):
        raise subprocess.TimeoutExpired("scontrol", 60)

    monkeypatch.setattr(subprocess, "run", never)
    with pytest.raises(OSError, match="scontrol: no response in 60 s"):
        run(["scontrol", "show", "nodes"])
    with pytest.raises(OSError, match="sacct: no response in 3600 s"):
        run_in_utc(["sacct", "-a"])


def test_the_users_own_formats_do_not_reach_the_commands(monkeypatch):
    monkeypatch.setenv("SQUEUE_FORMAT", "%i")
    monkeypatch.setenv("SLURM_TIME_FORMAT", "relative")
    monkeypatch.setenv("SLURM_CONF", "/etc/slurm/slurm.conf")
    seen = run(["env"])
    assert "SQUEUE_FORMAT" not in seen
    assert "SLURM_TIME_FORMAT=%s\n" in seen
    assert "SLURM_CONF=/etc/slurm/slurm.conf\n" in seen
