"""People of a cluster that really boots log in from node to node: to the nodes of their jobs, and nowhere else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hpc_components.rehearse.hosts import cgroups
from hpc_components.spec.cluster import ClusterSpec

from .cluster import booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready
from .looking import journal
from .people_scenarios import HOMES, SSH, Key

pytestmark = [pytest.mark.boot, pytest.mark.slow]

LOGIN = "login-10-90-64-51"

TRACKED = cgroups.are_available()
"""Whether Slurm can track processes by cgroups here, which for a container takes cgroup v1."""

JOB = """#!/bin/bash
#SBATCH --nodes=2 --output=/shared/ssh.out
for name in $(scontrol show hostnames); do
  ssh -o BatchMode=yes "$name" 'echo "ssh reaches $(hostname)"'
done
PRTE_MCA_plm=ssh mpirun --map-by node -n 2 bash -c 'echo "mpirun reaches $(hostname)"'
sleep infinity
"""
"""`mpirun` starts its daemons by ssh instead of Slurm."""


@dataclass
class Nodes:
    """Machines by name, while ada has a job on both compute nodes; bob has none at first."""

    machines: dict[str, Machine]

    def at_login(self, user: str, command: str) -> str:
        """What a person's command writes who came to the login node with a key."""
        login = self.machines[LOGIN].address
        return self.machines["head"].run(*SSH, f"{user}@{login}", command, check=False).strip()

    def ssh(self, user: str, to: str) -> str:
        """What a person gets who asks a node for their name there, without a terminal to answer questions."""
        return self.at_login(user, f"ssh -o BatchMode=yes {to} id -un")


def files_for(described: ClusterSpec) -> dict[str, str]:
    """With shared homes, and where this kernel can, with processes tracked by cgroups as on real nodes."""
    files = configuration(described)
    mounts = [*json.loads(files["common/mounts.json"]), HOMES]
    if TRACKED:
        mounts.append({"mount": "/cgroup/freezer", "type": "cgroup", "from": "freezer", "options": "freezer"})
        files["common/slurm/cgroup.conf"] = "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/cgroup\n"
        conf = files["common/slurm/slurm.conf"]
        files["common/slurm/slurm.conf"] = conf.replace("proctrack/linuxproc", "proctrack/cgroup")
    return {**files, "common/mounts.json": json.dumps(mounts)}


@pytest.fixture(scope="module")
def nodes(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    slurm = {"version": "24.11", "accounting": {}, "settings": {"PrivateData": "jobs"}}
    with booted(layers, spec(people=key.people("ada", "bob"), slurm=slurm)) as cluster:
        shared = cluster.lab.files / "shared"
        shared.chmod(0o777)
        (shared / "home").mkdir()
        (shared / "job.sh").write_text(JOB)
        cluster.publish(files_for(cluster.described))
        head, login = cluster.boot_head(), cluster.boot_login(1)
        for machine in (head, login):
            wait_ready(machine)
        (head.root / "root/key").touch(mode=0o600)
        (head.root / "root/key").write_text(key.file.read_text())
        nodes = Nodes({"head": head, LOGIN: login})
        assert "Submitted" in nodes.at_login("ada", "sbatch /shared/job.sh")
        made = wait_for(lambda: list(cluster.nodes.values()) if len(cluster.nodes) >= 2 else [], "two machines")
        for machine in made:
            wait_ready(machine)
            nodes.machines[machine.run("hostname").strip()] = machine
        wait_for(lambda: "R" in head.run("squeue", "-h", "-o", "%t"), "the job runs")
        yield nodes


def test_people_reach_the_nodes_of_their_job(nodes: Nodes) -> None:
    """With a home that has no key, and without a question about the host's."""
    for name in ("debug-1", "debug-2.lab.hpc.internal"):
        assert nodes.ssh("ada", name) == "ada"
    assert nodes.at_login("ada", "ssh debug-2 ssh -o BatchMode=yes debug-1 hostname") == "debug-1"
    assert ".ssh" not in nodes.at_login("ada", "ls -A").split()


def test_a_job_reaches_its_nodes(nodes: Nodes) -> None:
    lines = {f"{by} reaches {name}" for by in ("ssh", "mpirun") for name in ("debug-1", "debug-2")}

    def missing() -> set[str]:
        return lines - set(nodes.machines["head"].run("cat", "/shared/ssh.out", check=False).splitlines())

    wait_for(lambda: not missing(), "both nodes are reached in both ways")
    accepted = f"Accepted hostbased for ada from {nodes.machines['debug-1'].address}"
    wait_for(lambda: journal(nodes.machines["debug-2"], "--unit=ssh").count(accepted) == 2, "both logins are by host")


def test_people_without_a_job_are_refused(nodes: Nodes) -> None:
    said = nodes.ssh("bob", "debug-1")
    assert "no active jobs on this node" in said
    assert "bob" not in said.splitlines()


def test_people_see_only_jobs_of_their_own(nodes: Nodes) -> None:
    assert nodes.at_login("ada", "squeue -h -o %u") == "ada"
    assert nodes.at_login("bob", "squeue -h -o %u") == ""


def test_other_nodes_and_root_need_a_key(nodes: Nodes) -> None:
    for to in ("head", LOGIN):
        said = nodes.at_login("ada", f"ssh debug-1 ssh -o BatchMode=yes {to} id -un")
        assert said.endswith(f"ada@{to}: Permission denied (publickey,password).")
    denied = "Permission denied (publickey,password,hostbased)."
    said = nodes.machines[LOGIN].run("ssh", "-o", "BatchMode=yes", "debug-1", "id -un", check=False)
    assert said.strip().endswith(f"root@debug-1: {denied}")
    assert nodes.ssh("ada", "root@debug-1").endswith(f"root@debug-1: {denied}")


@pytest.mark.skipif(not TRACKED, reason="needs cgroup v1 controllers")
def test_what_ssh_starts_belongs_to_the_job(nodes: Nodes) -> None:
    """Also if it outlives the session."""
    node = nodes.machines["debug-2"]
    nodes.at_login("ada", "ssh debug-2 'setsid sleep 4321 </dev/null >/dev/null 2>&1 &'")
    process = wait_for(lambda: node.run("pgrep", "-fx", "sleep 4321", check=False).strip(), "it runs")
    assert "/job_1/step_extern" in node.run("cat", f"/proc/{process}/cgroup")


def test_when_the_job_ends_the_node_is_the_next_person_s(nodes: Nodes) -> None:
    nodes.at_login("ada", "scancel -u ada")
    wait_for(lambda: "no active jobs on this node" in nodes.ssh("ada", "debug-1"), "ada is refused")
    wait_for(lambda: not nodes.machines["debug-2"].run("pgrep", "-U", "ada", check=False), "nothing of ada runs")
    nodes.at_login("bob", "sbatch -w debug-1 -o /dev/null --wrap 'sleep infinity'")
    wait_for(lambda: nodes.ssh("bob", "debug-1") == "bob", "bob is admitted")
    assert "no active jobs on this node" in nodes.ssh("ada", "debug-1")


def test_a_host_with_another_key_is_not_taken_for_a_node(nodes: Nodes) -> None:
    node = nodes.machines["debug-2"]
    node.run("systemctl", "stop", "ssh")
    node.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/other")
    node.run("mkdir", "-p", "/run/sshd")
    node.run("/usr/sbin/sshd", "-h", "/root/other", "-o", "HostCertificate=none", "-o", "PidFile=/run/other.pid")
    assert nodes.ssh("ada", "debug-2").endswith("Host key verification failed.")
