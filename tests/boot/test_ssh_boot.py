"""Users of a cluster that really boots log in from node to node: to the nodes of their jobs, and nowhere else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .cluster import booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready
from .looking import jobs

pytestmark = [pytest.mark.boot, pytest.mark.slow]

JOB = """#!/bin/bash
#SBATCH --nodes=2 --output=/shared/ssh.out
for name in $(scontrol show hostnames); do
  ssh -o BatchMode=yes "$name" 'echo "ssh reaches $(hostname)"'
done
PRTE_MCA_plm=ssh mpirun --map-by node -n 2 bash -c 'echo "mpirun reaches $(hostname)"'
until [ -e /shared/end ]; do sleep 1; done
"""
"""`mpirun` starts its daemons by ssh instead of Slurm."""


@pytest.fixture(scope="module")
def machines(layers: tuple[Path, ...]) -> Iterator[dict[str, Machine]]:
    """Machines by name, while alice has a job on both compute nodes; bob has none."""
    with booted(layers, spec()) as cluster:
        cluster.publish(configuration(cluster.described))
        shared = cluster.lab.files / "shared"
        shared.chmod(0o777)
        (shared / "job.sh").write_text(JOB)
        head, login = cluster.boot_head(), cluster.boot_login(1)
        for machine in (head, login):
            wait_ready(machine)
        login.run("sbatch", "/shared/job.sh", user="alice")
        nodes = wait_for(lambda: list(cluster.nodes.values()) if len(cluster.nodes) >= 2 else [], "two machines")
        for node in nodes:
            wait_ready(node)
        wait_for(lambda: "RUNNING" in jobs(login), "the job runs")
        machines = {machine.run("hostname").strip(): machine for machine in (head, login, *nodes)}
        for machine in machines.values():
            machine.run("useradd", "-m", "-u", "13000", "bob")
        yield machines


def ssh(on: Machine, to: str, *, user: str = "alice") -> str:
    """What a user gets who asks another node for their name there, without a terminal to answer questions."""
    said = on.run("ssh", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", to, "id -un", user=user, check=False)
    return said.strip().rpartition("\n")[2]


LOGIN = "login-10-90-64-51"


def test_users_reach_the_nodes_of_their_job(machines: dict[str, Machine]) -> None:
    """With a home that has no key, and without a question about the host's."""
    for name in ("debug-1", "debug-2.lab.hpc.internal"):
        assert ssh(machines[LOGIN], name) == "alice"
    assert ssh(machines["debug-2"], "debug-1") == "alice"
    assert not (machines[LOGIN].root / "home/alice/.ssh/known_hosts").exists()


def test_a_job_reaches_its_nodes(machines: dict[str, Machine]) -> None:
    lines = {f"{by} reaches {name}" for by in ("ssh", "mpirun") for name in ("debug-1", "debug-2")}

    def missing() -> set[str]:
        return lines - set(machines["head"].run("cat", "/shared/ssh.out", check=False).splitlines())

    wait_for(lambda: not missing(), "both nodes are reached in both ways")
    log = machines["debug-2"].run("journalctl", "-u", "ssh", "-o", "cat", "--no-pager")
    assert log.count(f"Accepted hostbased for alice from {machines['debug-1'].address}") == 2


def test_users_without_a_job_are_refused(machines: dict[str, Machine]) -> None:
    said = machines[LOGIN].run("ssh", "-o", "BatchMode=yes", "debug-1", "id -un", user="bob", check=False)
    assert "no active jobs on this node" in said
    assert "bob" not in said.splitlines()


def test_other_nodes_and_root_need_a_key(machines: dict[str, Machine]) -> None:
    for to in ("head", LOGIN):
        assert ssh(machines["debug-1"], to) == f"alice@{to}: Permission denied (publickey,password)."
    denied = "Permission denied (publickey,password,hostbased)."
    assert ssh(machines[LOGIN], "debug-1", user="root") == f"root@debug-1: {denied}"


def test_a_host_with_another_key_is_not_taken_for_a_node(machines: dict[str, Machine]) -> None:
    node = machines["debug-2"]
    node.run("systemctl", "stop", "ssh")
    node.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/other")
    node.run("mkdir", "-p", "/run/sshd")
    node.run("/usr/sbin/sshd", "-h", "/root/other", "-o", "HostCertificate=none", "-o", "PidFile=/run/other.pid")
    assert ssh(machines[LOGIN], "debug-2") == "Host key verification failed."
