"""People log in from node to node on a cluster that boots: to the nodes of their jobs, and nowhere else."""

import pytest

from .lab import Machine, wait_for
from .looking import journal, update
from .people_scenarios import TRACKED, Site


def ssh(site: Site, user: str, to: str) -> str:
    """What a person at the login node gets who asks a node for their name there, without a terminal to answer
    questions."""
    return site.ssh(user, f"ssh -o BatchMode=yes {to} id -un", check=False).strip()


def log(machine: Machine) -> str:
    """What sshd says of those who come."""
    return journal(machine, "--unit=ssh")


def change(site: Site, way: str) -> None:
    """Describe how people log in between nodes, and apply it now."""
    site.describe("ada", "eva", ssh_between_nodes=way)
    for machine in (site.head, site.login):
        update(machine)
        assert f"HPC_SSH_BETWEEN_NODES={way}\n" in machine.run("cat", "/opt/hpc/config/common/cluster.env")


class SshScenarios:
    """What a cloud's `site` is put through, in this order. Ada has a job on two nodes; eva has none at first."""

    def test_people_reach_the_nodes_of_their_job(self, site: Site) -> None:
        """With a home that has no key, and without a question about the host's."""
        assert set(site.nodes) == {"debug-1", "debug-2"}
        for name in ("debug-1", "debug-2.lab.hpc.internal"):
            assert ssh(site, "ada", name) == "ada"
        assert site.ssh("ada", "ssh debug-2 ssh -o BatchMode=yes debug-1 hostname").strip() == "debug-1"
        assert ".ssh" not in site.ssh("ada", "ls -A").split()

    def test_a_job_reaches_its_nodes(self, site: Site) -> None:
        lines = {f"{by} reaches {name}" for by in ("ssh", "mpirun") for name in ("debug-1", "debug-2")}
        wait_for(
            lambda: lines <= set(site.ssh("ada", "cat ssh.out").splitlines()), "both nodes are reached in both ways"
        )
        from_first = f"Accepted hostbased for ada from {site.nodes['debug-1'].address}"
        wait_for(lambda: log(site.nodes["debug-2"]).count(from_first) == 2, "both logins are by host")

    def test_people_without_a_job_are_refused(self, site: Site) -> None:
        said = ssh(site, "eva", "debug-1")
        assert "no active jobs on this node" in said
        assert "eva" not in said.splitlines()

    def test_people_see_only_jobs_of_their_own(self, site: Site) -> None:
        assert site.ssh("ada", "squeue -h -o %u").strip() == "ada"
        assert site.ssh("eva", "squeue -h -o %u").strip() == ""

    def test_other_nodes_and_root_need_a_key(self, site: Site) -> None:
        login = site.login.run("hostname").strip()
        assert login.startswith("login-")
        for to in ("head", login):
            said = ssh(site, "ada", f"debug-1 ssh -o BatchMode=yes {to}")
            assert said.endswith(f"ada@{to}: Permission denied (publickey,password).")
        denied = "Permission denied (publickey,password,hostbased)."
        said = site.login.run("ssh", "-o", "BatchMode=yes", "debug-1", "id -un", check=False)
        assert said.strip().endswith(f"root@debug-1: {denied}")
        assert ssh(site, "ada", "root@debug-1").endswith(f"root@debug-1: {denied}")

    @pytest.mark.skipif(not TRACKED, reason="needs cgroup v1 controllers")
    def test_what_ssh_starts_belongs_to_the_job(self, site: Site) -> None:
        """Also if it outlives the session."""
        node = site.nodes["debug-2"]
        site.ssh("ada", "ssh debug-2 'setsid sleep 4321 </dev/null >/dev/null 2>&1 &'")
        process = wait_for(lambda: node.run("pgrep", "-fx", "sleep 4321", check=False).strip(), "it runs")
        assert "/job_1/step_extern" in node.run("cat", f"/proc/{process}/cgroup")

    def test_when_the_job_ends_the_node_is_the_next_person_s(self, site: Site) -> None:
        site.ssh("ada", "scancel -u ada")
        wait_for(lambda: "no active jobs on this node" in ssh(site, "ada", "debug-1"), "ada is refused")
        wait_for(lambda: not site.nodes["debug-2"].run("pgrep", "-U", "ada", check=False), "nothing of ada runs")
        for user, node in (("eva", "debug-1"), ("ada", "debug-2")):
            site.ssh(user, f"sbatch -w {node} -o /dev/null --wrap 'sleep infinity'")
            wait_for(lambda: ssh(site, user, node) == user, f"{user} is admitted")  # noqa: B023
        assert "no active jobs on this node" in ssh(site, "ada", "debug-1")

    def test_a_host_with_another_key_is_not_taken_for_a_node(self, site: Site) -> None:
        node = site.nodes["debug-2"]
        node.run("systemctl", "stop", "ssh")
        node.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/other")
        node.run("mkdir", "-p", "/run/sshd")
        node.run("/usr/sbin/sshd", "-h", "/root/other", "-o", "HostCertificate=none", "-o", "PidFile=/run/other.pid")
        assert ssh(site, "ada", "debug-2").endswith("Host key verification failed.")
        node.run("sh", "-c", "kill $(cat /run/other.pid)")
        node.run("systemctl", "start", "ssh")


class PersonalKeysScenarios:
    """The description changes while nodes run, in both directions. Ada and eva have jobs on nodes of before."""

    def test_people_get_keys_and_reach_nodes_that_run(self, site: Site) -> None:
        site.login.run("runuser", "-l", "eva", "-c", "touch .ssh")
        change(site, "personal_keys")
        assert ssh(site, "ada", "debug-2") == "ada"
        by_key = f"Accepted publickey for ada from {site.login.address}"
        wait_for(lambda: by_key in log(site.nodes["debug-2"]), "it is by key")
        assert ssh(site, "eva", "debug-1").endswith("Permission denied (publickey,password,hostbased).")
        why = "user eva: can't make an SSH key for compute nodes: "
        wait_for(lambda: why in journal(site.head, "--unit=hpc-people"), "it is reported")
        site.login.run("rm", "/home/eva/.ssh")
        site.head.run("systemctl", "restart", "hpc-people")  # now, as it does every minute
        wait_for(lambda: ssh(site, "eva", "debug-1") == "eva", "eva has a key")

    def test_nodes_that_boot_afterwards_trust_no_host(self, site: Site) -> None:
        site.ssh("ada", "sbatch -w debug-3 -o /dev/null --wrap 'sleep infinity'")
        new = site.booted_nodes(3)["debug-3"]
        wait_for(lambda: ssh(site, "ada", "debug-3") == "ada", "ada is admitted")
        assert site.ssh("ada", "ssh debug-3 ssh -o BatchMode=yes debug-2 hostname").strip() == "debug-2"
        assert "no active jobs on this node" in ssh(site, "eva", "debug-3")
        assert ssh(site, "ada", "root@debug-3").endswith("root@debug-3: Permission denied (publickey,password).")
        assert not new.seen("/etc/ssh/shosts.equiv").exists()

    def test_people_reach_all_nodes_when_hosts_are_trusted_again(self, site: Site) -> None:
        change(site, "host_based")
        for user, node in (("ada", "debug-3"), ("eva", "debug-1")):
            assert ssh(site, user, node) == user

        def last() -> str:
            lines = log(site.nodes["debug-1"]).splitlines()
            return next(line for line in reversed(lines) if line.startswith("Accepted"))

        wait_for(lambda: last().startswith("Accepted hostbased for eva"), "eva is admitted by host")
