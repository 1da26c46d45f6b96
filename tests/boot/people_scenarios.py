"""People of a description on nodes that boot: they log in, work, are added, and leave, while the cluster runs.

Each cloud has a file with a subclass of `PeopleScenarios` and a fixture `site`.
"""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hpc_components.rehearse.hosts import cgroups
from hpc_components.spec.cluster import ClusterSpec

from .lab import Machine, wait_for
from .lab_cluster import LabCluster, configuration, wait_ready
from .looking import state, update

MINUTES = 300
"""Seconds to wait for what takes two minutes at most (docs/directory.md): other boots may keep this machine busy."""

HOMES = {"mount": "/home", "type": "none", "from": "/lab/home", "options": "bind"}

SSH = (
    "ssh", "-i", "/root/key", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR",
)  # fmt: skip

IDS = {"ada": 2001, "bob": 2002, "cleo": 2001, "eva": 2003}

SLURM = {"version": "24.11", "accounting": {}, "settings": {"PrivateData": "jobs"}}

TRACKED = cgroups.are_available()
"""Whether Slurm can track processes by cgroups here, which for a container takes cgroup v1."""

JOB = """#!/bin/bash
#SBATCH --nodes=2 --output=ssh.out
id >job.out
for name in $(scontrol show hostnames); do
  ssh -o BatchMode=yes "$name" 'echo "ssh reaches $(hostname)"'
done
PRTE_MCA_plm=ssh mpirun --map-by node -n 2 bash -c 'echo "mpirun reaches $(hostname)"'
sleep infinity
"""
"""`mpirun` starts its daemons by ssh instead of Slurm."""


@dataclass(frozen=True)
class Key:
    """The key with which everybody logs in."""

    file: Path

    @classmethod
    def made_in(cls, folder: Path) -> "Key":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "id")], check=True)
        return cls(folder / "id")

    @property
    def public(self) -> str:
        return self.file.with_suffix(".pub").read_text().strip()

    def people(self, *names: str, **more: Any) -> dict[str, Any]:
        """A description of them."""
        users = {name: {"uid": IDS[name], "keys": [self.public], "groups": ["cfd"]} for name in names}
        return {"users": users, "groups": {"cfd": {"gid": 3001}}, **more}


def with_homes(files: Mapping[str, str]) -> dict[str, str]:
    """The files of a configuration, in which home directories are shared."""
    return {**files, "common/mounts.json": json.dumps([*json.loads(files["common/mounts.json"]), HOMES])}


@dataclass
class Entrance:
    """A head node and a login node, to which people come with a key. They boot when they are asked for first."""

    cluster: LabCluster
    key: Key

    def publish_first(self) -> None:
        """Put the configuration into the bucket with which the head node boots."""
        self.cluster.publish(with_homes(configuration(self.cluster.described)))

    @cached_property
    def head(self) -> Machine:
        shared = self.cluster.lab.files / "shared"
        shared.chmod(0o777)
        (shared / "home").mkdir()
        self.publish_first()
        return self.boot_head()

    def boot_head(self) -> Machine:
        machine = self.cluster.boot_head()
        wait_ready(machine)
        (machine.root / "root/key").write_text(self.key.file.read_text())
        (machine.root / "root/key").chmod(0o600)
        return machine

    @cached_property
    def login(self) -> Machine:
        assert self.head.alive
        machine = self.cluster.boot_login()
        wait_ready(machine)
        return machine

    def ssh(self, user: str, *command: str, check: bool = True) -> str:
        """Run a command on the login node as someone with the key, who comes from elsewhere."""
        return self.head.run(*SSH, f"{user}@{self.login.address}", *command, check=check)


@dataclass
class Site(Entrance):
    """A cluster with people in its description, with compute nodes too."""

    spec: Callable[..., ClusterSpec]
    patient: bool = False
    """Whether the head node finds a change by its timer, within a minute, instead of being told at once."""

    def publish_first(self) -> None:
        (self.cluster.lab.files / "shared/job.sh").write_text(JOB)
        self.describe("ada", "eva")

    def describe(self, *names: str, **more: Any) -> None:
        """Let these people be in the description, and no others. Where this kernel can, processes are tracked by
        cgroups as on real nodes."""
        files = with_homes(configuration(self.spec(people=self.key.people(*names, **more), slurm=SLURM)))
        if TRACKED:
            mounts = json.loads(files["common/mounts.json"])
            mounts.append({"mount": "/cgroup/freezer", "type": "cgroup", "from": "freezer", "options": "freezer"})
            files["common/mounts.json"] = json.dumps(mounts)
            files["common/slurm/cgroup.conf"] = "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/cgroup\n"
            conf = files["common/slurm/slurm.conf"]
            files["common/slurm/slurm.conf"] = conf.replace("proctrack/linuxproc", "proctrack/cgroup")
        self.cluster.publish(files)

    def change(self, *names: str) -> None:
        """Describe these people while the cluster runs."""
        self.describe(*names)
        if not self.patient:
            update(self.head)

    @cached_property
    def nodes(self) -> dict[str, Machine]:
        """Compute nodes by name, on which a job of ada's runs."""
        self.ssh("ada", "sbatch /shared/job.sh")
        nodes = self.booted_nodes(2)
        wait_for(lambda: "R" in self.head.run("squeue", "-h", "-o", "%t"), "the job runs")
        return nodes

    def booted_nodes(self, count: int) -> dict[str, Machine]:
        """The compute nodes by name, as soon as there are that many."""
        wait_for(lambda: len(self.cluster.nodes) == count, f"{count} machines")
        for machine in self.cluster.nodes.values():
            wait_ready(machine)
        return {machine.run("hostname").strip(): machine for machine in self.cluster.nodes.values()}

    @property
    def machines(self) -> tuple[Machine, ...]:
        return self.head, self.login, *self.nodes.values()

    def open_session(self, user: str) -> None:
        """Let someone stay on the login node without a program that could end: `state(head, "session")` tells how
        long."""
        self.head.run("systemd-run", "--quiet", "--unit=session", *SSH, "-N", f"{user}@{self.login.address}")
        wait_for(lambda: self.login.run("pgrep", "-U", user, "sshd", check=False), "the session is open", 60)


class PeopleScenarios:
    """What a cloud's `site` is put through, in this order."""

    def test_a_person_logs_in_and_works_in_a_home_of_their_own(self, site: Site) -> None:
        assert site.nodes
        said = wait_for(lambda: site.ssh("ada", "cat job.out"), "the job wrote")
        assert said.strip() == "uid=2001(ada) gid=2001(ada) groups=2001(ada),3001(cfd)"
        assert site.login.run("stat", "-c", "%a %U %G", "/home/ada").strip() == "700 ada ada"

    def test_a_person_is_added_while_nodes_run(self, site: Site) -> None:
        assert "no such user" in site.login.run("id", "bob", check=False)
        site.change("ada", "bob")
        for machine in site.machines:
            wait_for(lambda: "3001(cfd)" in machine.run("id", "bob", check=False), "bob is known", MINUTES)  # noqa: B023
        assert site.ssh("bob", "pwd").strip() == "/home/bob"
        assert "Permission denied" in site.ssh("bob", "ls", "/home/ada", check=False)

    def test_a_person_who_is_removed_has_nothing_that_runs(self, site: Site) -> None:
        head, login = site.head, site.login
        site.open_session("ada")
        login.run("install", "-D", "-o", "ada", "-m", "600", "/dev/null", "/var/spool/cron/crontabs/ada")
        login.run("systemd-run", "--quiet", "--uid=2001", "sleep", "3600")
        assert state(head, "session") == "active"
        site.change("bob")
        for machine in site.machines:
            wait_for(lambda: "former-ada" in machine.run("id", "2001", check=False), "ada has left", MINUTES)  # noqa: B023
            wait_for(lambda: not machine.run("pgrep", "-U", "2001", check=False), "nothing of ada runs", MINUTES)  # noqa: B023
        wait_for(lambda: state(head, "session") != "active", "the session ends", MINUTES)
        wait_for(lambda: not head.run("squeue", "-h", "-t", "R,PD"), "the jobs are cancelled", MINUTES)
        assert "Permission denied" in site.ssh("ada", "true", check=False)
        assert not login.seen("/var/spool/cron/crontabs/ada").exists()
        assert login.run("stat", "-c", "%U", "/home/ada/job.out").strip() == "former-ada"
        assert site.ssh("bob", "pwd").strip() == "/home/bob"

    def test_an_id_is_not_given_again_by_a_new_head_node(self, site: Site) -> None:
        site.head.kill()
        site.describe("bob", "cleo")
        new, told = site.cluster.boot_head(), "2001 is or was the id of user ada"
        wait_for(lambda: told in new.run("cat", "/var/log/hpc-boot.log", check=False), "the id is refused")
        wait_for(lambda: "2002(bob)" in new.run("id", "bob", check=False), "bob is known")
        assert "no such user" in new.run("id", "cleo", check=False)
        assert "former-ada" in new.run("id", "2001")
