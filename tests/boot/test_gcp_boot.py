"""Nodes really boot on Google Cloud, with systemd and cloud-init, from the generated user data and files.

What the frame does on any cloud is tested in `test_boot.py`: here is what Google Cloud's part does, with no more
rights than its roles give.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import verb_scenarios
from .gcp_cluster import READ, GcpCluster, gcp_booted
from .gcp_stage import gcp_spec
from .lab import ELSEWHERE, ELSEWHERE_ADDRESS, METADATA, Machine, wait_for
from .lab_cluster import configuration, result, services, wait_ready
from .looking import address_of, files, jobs, run_again, state

pytestmark = [pytest.mark.boot, pytest.mark.slow]

QUEUES = [
    {"name": "debug", "machine": "n2-standard-4", "max": 4, "smt": False},
    {"name": "large", "machine": "h3-standard-88", "max": 1},
]
"""The second one's nodes have more CPUs than there are here."""


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...]) -> Iterator[GcpCluster]:
    described = gcp_spec(queues=QUEUES)
    with gcp_booted(layers, described) as cluster:
        cluster.publish(configuration(described))
        (cluster.lab.files / "shared").chmod(0o777)
        yield cluster


@pytest.fixture(scope="module")
def machines(cluster: GcpCluster) -> dict[str, Machine]:
    """Head and login node, and a compute node that nobody asked for but a job."""
    head, login = cluster.boot_head(), cluster.boot_login()
    for machine in (head, login):
        wait_ready(machine)
    login.run("sbatch", "--output=/shared/hello.out", "--wrap=srun hostname", user="alice")
    (node,) = wait_for(lambda: list(cluster.nodes.values()), "a machine")
    wait_ready(node)
    return {"head": head, "login": login, "compute": node}


def test_nodes_boot_and_know_who_they_are(machines: dict[str, Machine]) -> None:
    names = {role: machine.run("hostname").strip() for role, machine in machines.items()}
    assert names == {"head": "head", "login": "login-10-90-0-50", "compute": "debug-1"}
    for role, units in (
        ("head", {"munge", "slurmdbd", "slurmctld", "hpc-elastic", "hpc-reap"}),
        ("login", {"munge", "hpc-data"}),
        ("compute", {"munge", "slurmd", "hpc-watch", "hpc-data"}),
    ):
        assert {f"{unit}.service" for unit in units} <= set(services(machines[role]))


def test_keys_are_made_once_and_go_to_their_secrets_only(cluster: GcpCluster, machines: dict[str, Machine]) -> None:
    kept = cluster.gcp.secrets.secrets
    assert {name: len(versions) for name, versions in kept.items()} == {
        "lab-munge": 1, "lab-jwt": 1, "lab-ssh-host": 1,
    }  # fmt: skip
    for machine in machines.values():
        assert (machine.root / "etc/munge/munge.key").read_bytes() == kept["lab-munge"][0]
    assert (machines["head"].root / "etc/slurm/jwt_hs256.key").read_bytes() == kept["lab-jwt"][0]
    assert not (machines["compute"].root / "etc/slurm/jwt_hs256.key").exists()


def test_no_node_was_refused_and_each_has_used_its_rights(cluster: GcpCluster, machines: dict[str, Machine]) -> None:
    """The plan's roles have what nodes need, and nothing else."""
    assert cluster.gcp.refused == []
    unused = {}
    for role, machine in machines.items():
        account = cluster.gcp.metadata.machines[machine.address].account
        scopes = {scope for _, scope in cluster.plan.grants(account)}
        unused[role] = {scope for scope in scopes if (account, scope) not in cluster.gcp.used}
    # nodes that fail send their log; no machine of the other queue was made
    assert unused == {"head": {"account/large"}, "login": {"project"}, "compute": {"project"}}


def test_users_get_nothing_of_the_node_s_account(machines: dict[str, Machine]) -> None:
    """But names they can look up at the same address."""
    ask = ("curl", "-sS", "-m", "60", "-H", "Metadata-Flavor: Google")
    url = f"http://{METADATA}/computeMetadata/v1/instance/service-accounts/default/token"
    for machine in machines.values():
        told = machine.run(*ask, url, user="alice", check=False)
        assert "Failed to connect" in told or "Couldn't connect" in told
        assert "access_token" in machine.run(*ask, url)
        assert machine.run("getent", "ahostsv4", ELSEWHERE, user="alice").startswith(ELSEWHERE_ADDRESS)


def test_a_job_gets_a_machine_and_runs(cluster: GcpCluster, machines: dict[str, Machine]) -> None:
    """From `sbatch` by the elastic daemon, a bulk insert with the exact name, user data and all steps to `srun`."""
    login, node = machines["login"], machines["compute"]
    wait_for(lambda: not jobs(login), "the job is done")
    assert (cluster.lab.files / "shared/hello.out").read_text() == "debug-1\n"
    assert [vm.name for vm in cluster.gce.vms] == ["lab-debug-1"]
    assert address_of("debug-1", login) == node.address
    assert cluster.gce.mistakes == []


def test_people_and_jobs_read_a_bucket_of_the_description(cluster: GcpCluster, machines: dict[str, Machine]) -> None:
    """As they log in and submit, with nothing set up; and never the munge key."""
    login, shared = machines["login"], cluster.lab.files / "shared"
    before = len(cluster.gcp.refused)
    (shared / "read.py").write_text(READ)
    login.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/.ssh/id_ed25519")
    (login.root / "home/alice/.ssh").mkdir()
    (login.root / "home/alice/.ssh/authorized_keys").write_text(login.run("cat", "/root/.ssh/id_ed25519.pub"))
    ssh = ("ssh", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "alice@127.0.0.1")
    said = [login.run(*ssh, "python3 /shared/read.py")]
    login.run(*ssh, "sbatch --wait -o /shared/read.out --wrap 'python3 /shared/read.py'", timeout=180)
    said.append((shared / "read.out").read_text())
    assert said == ["tokens\nHTTP Error 403: Forbidden\n"] * 2
    assert len(cluster.gcp.refused) == before + 2


@pytest.mark.parametrize("role", ["head", "login", "compute"])
def test_run_again_it_changes_nothing(cluster: GcpCluster, machines: dict[str, Machine], role: str) -> None:
    machine = machines[role]
    before = services(machine), files(machine)
    said = run_again(cluster, machine, role)
    assert "hpc-boot: ready after" in said
    assert (services(machine), files(machine)) == before


@pytest.fixture(scope="module")
def visit(
    cluster: GcpCluster, machines: dict[str, Machine], tmp_path_factory: pytest.TempPathFactory
) -> verb_scenarios.Visit:
    """A laptop, which reaches the cluster by Identity-Aware Proxy."""
    head = machines["head"]
    made = verb_scenarios.Visit(cluster.lab, tmp_path_factory.mktemp("laptop"), head, machines["compute"])
    made.laptop.install_tunnel(
        "gcloud", "compute", "start-iap-tunnel", "lab-head", "22", "--listen-on-stdin", "--project=p-1",
        "--zone=us-central1-a", "--verbosity=warning", head=head.address,
    )  # fmt: skip
    access = {"cloud": "gcp", "cluster": "lab", "iap": True, "user": None}
    id = "projects/p-1/zones/us-central1-a/instances/lab-head"
    outputs = {"access": access, "head_node": {"private_ip": head.address, "instance_id": id}}
    made.give(outputs | {"login": machines["login"].address})
    made.let_in(machines["login"])
    return made


def test_all_verbs_answer_from_a_laptop(visit: verb_scenarios.Visit) -> None:
    verb_scenarios.check_that_all_verbs_answer(visit)
    verb_scenarios.check_that_ctrl_c_ends_what_follows(visit)
    verb_scenarios.check_that_a_lost_connection_is_told(visit, lambda: visit.lose_tunnel("gcloud"))


def test_the_cluster_is_accepted_from_a_laptop(visit: verb_scenarios.Visit, machines: dict[str, Machine]) -> None:
    """As it is described, but for a file system, for which there is a directory here."""
    wait_for(lambda: not jobs(machines["head"]), "no job")
    shared = {"type": "nfs", "mount": "/shared", "size": "1TiB"}
    described = gcp_spec(storage={"shared": shared})
    verb_scenarios.check_that_the_cluster_is_accepted(visit, described, {"debug-1": machines["compute"]})


def test_the_doctor_names_what_was_stopped_and_nothing_else(visit: verb_scenarios.Visit) -> None:
    verb_scenarios.check_that_the_doctor_finds_nothing(visit)
    verb_scenarios.check_that_a_stopped_unit_is_named(visit)
    verb_scenarios.check_that_a_stopped_slurmd_and_a_foreign_key_are_named(visit)


def test_a_node_on_which_a_step_fails_says_so_and_ends_itself(
    cluster: GcpCluster, machines: dict[str, Machine]
) -> None:
    (template,) = (id for id, made in cluster.plan.templates.items() if made.machine == "h3-standard-88")
    node = cluster.boot_node("lab-large-1", "9001", template)
    assert result(node) != []
    reason = f"processors: this machine has {os.cpu_count()} CPUs, but slurm.conf says 88"
    assert json.loads(node.run("cat", "/opt/hpc/boot-steps.json"))["result"] == reason
    assert "88" in cluster.gcp.logs["large-1"][-2]
    assert state(node, "slurmd") == "inactive"
    assert "MODE=poweroff" in node.run("cat", "/run/systemd/shutdown/scheduled")


def test_a_head_node_that_goes_with_its_cluster_takes_the_nodes_along(
    cluster: GcpCluster, machines: dict[str, Machine]
) -> None:
    """And one that comes back leaves them alone. Last of all: there is no cluster afterwards."""
    head = machines["head"]
    assert state(head, "hpc-reap") == "active", "what is not active is not stopped, and ends nothing"
    head.run("systemctl", "restart", "hpc-reap")

    def stays() -> bool:
        said = head.run("journalctl", "-q", "-o", "cat", "-u", "hpc-reap")
        assert "the cluster is not being destroyed" in said, said
        return True

    wait_for(stays, "the head node says that it ends nothing")
    assert [vm.name for vm in cluster.gce.live()] == ["lab-debug-1"]
    del cluster.objects["cluster"]  # what `destroy` does first
    head.halt()
    assert cluster.gce.live() == []
    wait_for(lambda: not machines["compute"].alive, "its machine is off")
