"""Nodes really boot on Azure, with systemd and cloud-init, from the generated user data and files.

What the frame does on any cloud is tested in `test_boot.py`: here is what Azure's part does, with no more rights than
its roles give.
"""

import base64
import gzip
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import verb_scenarios
from .azure_cluster import READ, WIRE_SERVER, AzureCluster, azure_booted
from .azure_stage import azure_spec
from .lab import ELSEWHERE, ELSEWHERE_ADDRESS, METADATA, Machine, wait_for
from .lab_cluster import configuration, result, services, wait_ready
from .looking import address_of, files, jobs, run_again, state

pytestmark = [pytest.mark.boot, pytest.mark.slow]

QUEUES = [
    {"name": "debug", "machine": "Standard_D2s_v5", "max": 4, "smt": True},
    {"name": "large", "machine": "Standard_HB176rs_v4", "max": 1, "fabric": False},
]
"""The second one's nodes have more CPUs than there are here."""


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...]) -> Iterator[AzureCluster]:
    described = azure_spec(queues=QUEUES)
    with azure_booted(layers, described) as cluster:
        cluster.publish(configuration(described))
        (cluster.lab.files / "shared").chmod(0o777)
        yield cluster


@pytest.fixture(scope="module")
def machines(cluster: AzureCluster) -> dict[str, Machine]:
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
        ("head", {"munge", "slurmdbd", "slurmctld", "hpc-elastic"}),
        ("login", {"munge", "hpc-data"}),
        ("compute", {"munge", "slurmd", "hpc-watch", "hpc-data"}),
    ):
        assert {f"{unit}.service" for unit in units} <= set(services(machines[role]))


def test_keys_are_made_once_and_go_to_their_secrets_only(cluster: AzureCluster, machines: dict[str, Machine]) -> None:
    kept = {name: versions[1:] for name, versions in cluster.azure.vault.secrets.items()}
    assert {name: len(versions) for name, versions in kept.items()} == {"munge": 1, "jwt": 1, "ssh-host": 1}
    value = {name: gzip.decompress(base64.b64decode(version.value)) for name, (version,) in kept.items()}
    for machine in machines.values():
        assert (machine.root / "etc/munge/munge.key").read_bytes() == value["munge"]
    assert (machines["head"].root / "etc/slurm/jwt_hs256.key").read_bytes() == value["jwt"]
    assert not (machines["compute"].root / "etc/slurm/jwt_hs256.key").exists()


def test_no_node_was_refused_and_each_has_used_its_rights(
    cluster: AzureCluster, machines: dict[str, Machine]
) -> None:
    """The plan's roles have what nodes need, and nothing else."""
    assert cluster.azure.refused == []
    unused = {}
    for role, machine in machines.items():
        client = cluster.azure.imds.machines[machine.address].tags["hpc:identity"]
        scopes = {scope for _, scope in cluster.plan.grants(client)}
        unused[role] = {scope for scope in scopes if (client, scope) not in cluster.azure.used}
    # nodes that fail send their log; what machines are made with, only Azure itself looks at
    assert unused == {"head": {"logs", "group/lab"}, "login": {"logs"}, "compute": {"logs"}}


def test_users_get_nothing_of_the_node_s_identity(cluster: AzureCluster, machines: dict[str, Machine]) -> None:
    """Nor of what Azure hands out to its agent; but names they can look up at the same address."""
    token = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://vault.azure.net"
    ask = ("curl", "-sS", "-m", "60", "-H", "Metadata: true")
    for machine in machines.values():
        client = cluster.azure.imds.machines[machine.address].tags["hpc:identity"]
        wire = f"http://{WIRE_SERVER}/metadata/instance?api-version=2021-08-01"
        for url, answer in ((f"http://{METADATA}{token}&client_id={client}", "access_token"), (wire, "vmId")):
            told = machine.run(*ask, url, user="alice", check=False)
            assert "Failed to connect" in told or "Couldn't connect" in told
            assert answer in machine.run(*ask, url)
        assert machine.run("getent", "ahostsv4", ELSEWHERE, user="alice").startswith(ELSEWHERE_ADDRESS)


def test_a_job_gets_a_machine_and_runs(cluster: AzureCluster, machines: dict[str, Machine]) -> None:
    """From `sbatch` by the elastic daemon, a scale set, the blob with its name, user data and all steps to `srun`."""
    login, node = machines["login"], machines["compute"]
    wait_for(lambda: not jobs(login), "the job is done")
    assert (cluster.lab.files / "shared/hello.out").read_text() == "debug-1\n"
    assert address_of("debug-1", login) == node.address
    assert cluster.arm.mistakes == []


def test_people_and_jobs_read_a_bucket_of_the_description(
    cluster: AzureCluster, machines: dict[str, Machine]
) -> None:
    """As they log in and submit, with nothing set up; and never the munge key."""
    login, shared = machines["login"], cluster.lab.files / "shared"
    (shared / "read.py").write_text(READ)
    login.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/.ssh/id_ed25519")
    (login.root / "home/alice/.ssh").mkdir()
    (login.root / "home/alice/.ssh/authorized_keys").write_text(login.run("cat", "/root/.ssh/id_ed25519.pub"))
    ssh = ("ssh", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "alice@127.0.0.1")
    said = [login.run(*ssh, "python3 /shared/read.py")]
    login.run(*ssh, "sbatch --wait -o /shared/read.out --wrap 'python3 /shared/read.py'", timeout=180)
    said.append((shared / "read.out").read_text())
    assert said == ["tokens\nHTTP Error 403: Forbidden\n"] * 2


@pytest.mark.parametrize("role", ["head", "login", "compute"])
def test_run_again_it_changes_nothing(cluster: AzureCluster, machines: dict[str, Machine], role: str) -> None:
    machine = machines[role]
    before = services(machine), files(machine)
    said = run_again(cluster, machine, role)
    assert "hpc-boot: ready after" in said
    assert (services(machine), files(machine)) == before


@pytest.fixture(scope="module")
def visit(
    cluster: AzureCluster, machines: dict[str, Machine], tmp_path_factory: pytest.TempPathFactory
) -> verb_scenarios.Visit:
    """A laptop, which reaches the cluster by Azure Bastion."""
    head = machines["head"]
    made = verb_scenarios.Visit(cluster.lab, tmp_path_factory.mktemp("laptop"), head, machines["compute"])
    id = "/subscriptions/s-1/resourceGroups/lab/providers/Microsoft.Compute/virtualMachines/lab-head"
    made.laptop.install_tunnel(
        "az", "network", "bastion", "tunnel", "--subscription", "s-1", "--name", "lab-host",
        "--resource-group", "lab", "--target-resource-id", id, "--resource-port", "22", "--port", "PORT",
        head=head.address,
    )  # fmt: skip
    bastion = {"name": "lab-host", "resource_group": "lab"}
    access = {"cloud": "azure", "cluster": "lab", "bastion": bastion, "user": "azureuser"}
    outputs = {"access": access, "head_node": {"private_ip": head.address, "vm_id": id}}
    made.give(outputs | {"login": machines["login"].address})
    made.let_in(machines["login"])
    return made


def test_all_verbs_answer_from_a_laptop(visit: verb_scenarios.Visit) -> None:
    verb_scenarios.check_that_all_verbs_answer(visit)
    verb_scenarios.check_that_the_doctor_finds_nothing(visit)
    verb_scenarios.check_that_ctrl_c_ends_what_follows(visit)
    verb_scenarios.check_that_a_lost_connection_is_told(visit, lambda: visit.lose_tunnel("az"))


def test_the_cluster_is_accepted_from_a_laptop(visit: verb_scenarios.Visit, machines: dict[str, Machine]) -> None:
    """As it is described, but for a file system, for which there is a directory here."""
    wait_for(lambda: not jobs(machines["head"]), "no job")
    shared = {"type": "nfs", "mount": "/shared", "size": "100GiB"}
    described = azure_spec(storage={"shared": shared})
    verb_scenarios.check_that_the_cluster_is_accepted(visit, described, {"debug-1": machines["compute"]})


def test_a_node_on_which_a_step_fails_says_so_and_ends_itself(
    cluster: AzureCluster, machines: dict[str, Machine]
) -> None:
    vm = str(uuid.uuid4())
    names = {"version": 1, "names": {vm: "large-1"}, "launches": {}}
    cluster.azure.blob.containers["nodes"]["by-hand.json"] = json.dumps(names).encode()
    (tags,) = (tags for tags in cluster.plan.scale_sets.values() if tags["hpc:queue"] == "large")
    node = cluster.boot_node(vm, tags, "by-hand")
    assert result(node) != []
    reason = f"processors: this machine has {os.cpu_count()} CPUs, but slurm.conf says 176"
    assert json.loads(node.run("cat", "/opt/hpc/boot-steps.json"))["result"] == reason
    assert "176" in cluster.azure.logs["large-1"][-2]
    assert state(node, "slurmd") == "inactive"
    assert "MODE=poweroff" in node.run("cat", "/run/systemd/shutdown/scheduled")
