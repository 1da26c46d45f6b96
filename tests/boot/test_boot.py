"""Nodes really boot from the generated user data and files, with systemd and cloud-init, and make a cluster."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

import pytest

from hpc_components.elastic.slurm.name_table import UNREACHABLE

from . import verb_scenarios
from .aws_visit import AwsVisit
from .cluster import READ, Cluster, booted, spec
from .job import JOB, RENDEZVOUS
from .lab import ELSEWHERE, ELSEWHERE_ADDRESS, Machine, wait_for
from .lab_cluster import configuration, result, services, wait_ready
from .looking import address_of, files, jobs, run_again, state, update

pytestmark = [pytest.mark.boot, pytest.mark.slow]

LARGE = {"name": "large", "machine": "c7i.48xlarge", "max": 1, "fabric": False}
"""192 CPUs a node, more than there are here."""


@pytest.fixture(scope="module")
def published() -> dict[str, str]:
    """What is in the bucket at first."""
    queues = [spec().queues[0].model_dump(exclude_defaults=True), LARGE]
    return configuration(spec(queues=queues))


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...], published: dict[str, str]) -> Iterator[Cluster]:
    with booted(layers, spec()) as cluster:
        cluster.publish(published)
        (cluster.lab.files / "shared").chmod(0o777)
        yield cluster


@pytest.fixture(scope="module")
def early(cluster: Cluster) -> tuple[Machine, str]:
    """A login node that is there before the head node, even before its secret; what its ssh is meanwhile."""
    secrets = cluster.aws.secrets
    name = f"hpc/lab/munge-{cluster.plan.bucket}"
    made_later = secrets.pop(name)
    login = cluster.boot_login(1)
    wait_for(lambda: cluster.aws.asked.count("secretsmanager.GetSecretValue") > 1, "it has asked again")
    meanwhile = state(login, "ssh.service")
    secrets[name] = made_later
    return login, meanwhile


@pytest.fixture(scope="module")
def head(cluster: Cluster, early: tuple[Machine, str]) -> Machine:
    machine = cluster.boot_head()
    wait_ready(machine)
    return machine


@pytest.fixture(scope="module")
def nodes(cluster: Cluster, head: Machine) -> dict[str, Machine]:
    """Two nodes by name: nobody asked for them but a job."""
    (cluster.lab.files / "shared" / "job.sh").write_text(JOB)
    (cluster.lab.files / "shared" / "rendezvous.py").write_text(RENDEZVOUS)
    head.run("sbatch", "/shared/job.sh", user="alice")
    machines = wait_for(lambda: list(cluster.nodes.values())[:2] if len(cluster.nodes) >= 2 else [], "two machines")
    for machine in machines:
        wait_ready(machine)
    return {machine.run("hostname").strip(): machine for machine in machines}


def test_a_head_node_boots_with_all_services(cluster: Cluster, head: Machine) -> None:
    running = services(head)
    for unit in ("munge", "mariadb", "slurmdbd", "slurmctld", "hpc-elastic"):
        assert f"{unit}.service" in running
    assert "slurmd.service" not in running
    assert head.run("hostname").strip() == "head"
    assert "4  idle~ debug-[1-4]" in head.run("sinfo")
    steps = json.loads(head.run("cat", "/opt/hpc/boot-steps.json"))
    assert steps["result"] == "ready"
    assert {"packages", "database", "controller", "elastic"} <= {each["step"] for each in steps["steps"]}
    assert head.run("systemctl", "is-enabled", "hpc-update.timer").strip() == "enabled"


def test_keys_are_made_once_and_go_to_their_secrets_only(cluster: Cluster, head: Machine) -> None:
    for name, file, mode in (
        ("munge", "/etc/munge/munge.key", "400 munge"),
        ("jwt", "/etc/slurm/jwt_hs256.key", "600 slurm"),
    ):
        (value,) = cluster.aws.secrets[f"hpc/lab/{name}-{cluster.plan.bucket}"].values()
        assert value == (head.root / file[1:]).read_bytes()
        assert len(value) >= 32
        assert head.run("stat", "-c", "%a %U", file).strip() == mode
    assert head.run("scontrol", "token", "username=alice").startswith("SLURM_JWT=")


def test_users_get_nothing_of_the_node_s_role(head: Machine, nodes: dict[str, Machine]) -> None:
    ask = ("curl", "-sS", "-m", "60", "-X", "PUT", "-H", "X-aws-ec2-metadata-token-ttl-seconds: 60")
    for machine in (head, *nodes.values()):
        told = machine.run(*ask, "http://169.254.169.254/latest/api/token", user="alice", check=False)
        assert "imds-token" not in told
        assert "Failed to connect" in told or "Couldn't connect" in told
        assert machine.run(*ask, "http://169.254.169.254/latest/api/token") == "imds-token"
        assert machine.run("ls", "/run/hpc", user="alice", check=False).endswith("Permission denied\n")


def test_a_rotated_log_is_written_to(head: Machine) -> None:
    head.run("logrotate", "--force", "/etc/logrotate.d/slurmctld")
    head.run("scontrol", "setdebug", "debug")
    head.run("scontrol", "setdebug", "info")
    wait_for(
        lambda: head.run("cat", "/var/log/slurm/slurmctld.log", check=False).count("ebug level"), "it is written to"
    )


def test_a_job_gets_machines_and_runs(cluster: Cluster, head: Machine, nodes: dict[str, Machine]) -> None:
    """From `sbatch` by the elastic daemon, EC2's stand-in, user data and all steps to `srun hostname`."""
    assert set(nodes) == {"debug-1", "debug-2"}
    output = cluster.lab.files / "shared" / "hello.out"

    def is_done() -> bool:
        left = jobs(head)
        assert not left, f"{left}\n{output.read_text() if output.exists() else 'no output yet'}"
        return True

    wait_for(is_done, "the job is done")
    said = output.read_text()
    assert "openmpi/" in said
    assert {"debug-1", "debug-2"} <= set(said.split())
    assert {"mpirun reaches debug-1", "mpirun reaches debug-2"} <= set(said.splitlines())
    assert "debug-2: well met at debug-1\n" in said
    for here, there in product(nodes, nodes):
        assert f"{here} finds {there} at {nodes[there].address}\n" in said
    assert "COMPLETED" in head.run("sacct", "-n", "-X", "-o", "state")
    for node in nodes.values():
        assert (node.root / "etc/munge/munge.key").read_bytes() == (head.root / "etc/munge/munge.key").read_bytes()
        assert not (node.root / "etc/slurm/slurm.conf").exists()
        assert not (node.root / "etc/slurm/jwt_hs256.key").exists()
        assert {"slurmd.service", "hpc-watch.service"} <= set(services(node))


def test_every_node_finds_every_other_by_name(head: Machine, nodes: dict[str, Machine]) -> None:
    for machine in (head, *nodes.values()):
        for name, node in nodes.items():
            assert address_of(name, machine) == address_of(f"{name}.lab.hpc.internal", machine) == node.address
        assert address_of("head", machine) == head.address
        off = UNREACHABLE if machine is head else ""  # slurmctld stands still over a name that it can't look up
        assert address_of("debug-3", machine) == off, "a node that is off"
        assert address_of(ELSEWHERE, machine) == ELSEWHERE_ADDRESS
        known = set(machine.run("cat", "/etc/hosts").split())
        assert known & set(nodes) <= {machine.run("hostname").strip()}
    # the names of nodes that come are not of interest to the network's own servers
    assert not head.run("getent", "hosts", nodes["debug-1"].address).split()[1].startswith("debug")


OF_THE_KERNEL = ("run-rpc_pipefs.mount ", "modprobe@")
HARMLESS = re.compile(
    "differs from hardware"
    # Likely because all threads of slurmstepd take on the user's rights for moments (src/slurmd/slurmstepd/mgr.c),
    # also the one that removes its socket (req.c). slurmd removes one that was left when it starts.
    "|Unable to unlink domain socket .* Permission denied"
    # slurmctld did not answer within ten seconds (MessageTimeout), as on a busy machine. slurmd asks again until it
    # is registered (src/slurmd/slurmd/slurmd.c), without which none of the jobs here would run.
    "|Unable to register: Socket timed out"
)
"""Errors in slurmd's log that are none."""


def test_nothing_failed_and_no_daemon_has_an_error(head: Machine, nodes: dict[str, Machine]) -> None:
    for machine in (head, *nodes.values()):
        failed = machine.run("systemctl", "--failed", "--plain", "--no-legend")
        # of this machine's kernel, which has no NFS and loads no modules for a container, nothing is asked
        assert [line for line in failed.splitlines() if not line.startswith(OF_THE_KERNEL)] == []
    for name, node in nodes.items():
        errors = [line for line in node.run("cat", "/var/log/slurm/slurmd.log").splitlines() if "error" in line]
        assert [line for line in errors if not HARMLESS.search(line)] == [], name


def test_machines_share_no_cgroup(head: Machine, nodes: dict[str, Machine]) -> None:
    """In one that they share, a machine's systemd removes groups that another's is about to use."""
    groups = [Path(f"/proc/{machine.init}/cgroup").read_text() for machine in (head, *nodes.values())]
    assert len(set(groups)) == len(groups)


@pytest.mark.parametrize("role", ["head", "compute"])
def test_run_again_it_changes_nothing(cluster: Cluster, head: Machine, nodes: dict[str, Machine], role: str) -> None:
    machine = head if role == "head" else nodes["debug-1"]
    before = services(machine), files(machine)
    said = run_again(cluster, machine, role)
    assert "hpc-boot: ready after" in said
    assert not re.search(r"^(wrote|started|formatted|key) ", said, re.M), said
    assert (services(machine), files(machine)) == before


def test_nobody_gets_a_session_without_a_job(cluster: Cluster, head: Machine, nodes: dict[str, Machine]) -> None:
    node = nodes["debug-2"]
    head.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/.ssh/id_ed25519")
    key = head.run("cat", "/root/.ssh/id_ed25519.pub")
    for user in ("alice", "debian"):  # cloud-init's own user, who may use sudo
        folder = node.root / "home" / user / ".ssh"
        folder.mkdir(exist_ok=True)
        (folder / "authorized_keys").write_text(key)
    options = ("-o", "BatchMode=yes")
    wait_for(lambda: not jobs(head), "no job")
    refused = head.run("ssh", *options, "alice@debug-2", "id -un", check=False)
    assert "alice" not in refused.splitlines()
    assert "no active jobs on this node" in refused
    assert "debian" in head.run("ssh", *options, "debian@debug-2", "id -un").splitlines()


@pytest.fixture(scope="module")
def visit(
    cluster: Cluster,
    nodes: dict[str, Machine],
    early: tuple[Machine, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> AwsVisit:
    """A laptop, which reaches the cluster by Session Manager, and the head node by a public address too."""
    login, _ = early
    wait_ready(login)
    return AwsVisit(cluster, tmp_path_factory.mktemp("laptop"), login, nodes["debug-1"])


@pytest.mark.parametrize("way", ["tunnel", "public"])
def test_all_verbs_answer_from_a_laptop(visit: AwsVisit, way: Literal["tunnel", "public"]) -> None:
    visit.take(way)
    verb_scenarios.check_that_all_verbs_answer(visit)
    verb_scenarios.check_that_the_doctor_finds_nothing(visit)
    verb_scenarios.check_that_ctrl_c_ends_what_follows(visit)
    verb_scenarios.check_that_a_lost_connection_is_told(visit, visit.lose_connection)


def test_the_cluster_is_accepted_from_a_laptop(visit: AwsVisit, head: Machine, nodes: dict[str, Machine]) -> None:
    """As it is described, but for a file system, for which there is a directory here."""
    wait_for(lambda: not jobs(head), "no job")
    shared = {"type": "nfs", "mount": "/shared", "size": "64GiB"}
    visit.take("tunnel")
    verb_scenarios.check_that_the_cluster_is_accepted(visit, spec(storage={"shared": shared}), nodes)


def test_a_changed_configuration_is_applied(
    cluster: Cluster, published: dict[str, str], head: Machine, nodes: dict[str, Machine]
) -> None:
    """Only what uses a changed file starts again; nodes hear of it; jobs run on."""
    job = head.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "sleep 600", user="alice").strip()
    wait_for(lambda: f"{job} RUNNING" in jobs(head), "the job runs")
    before = services(head)
    conf = published["common/slurm/slurm.conf"]
    changed = conf.replace("UnkillableStepTimeout=180", "UnkillableStepTimeout=170")
    cluster.publish(published | {"common/slurm/slurm.conf": changed})
    assert "hpc-update.timer" in head.run("systemctl", "list-timers")
    update(head)
    wait_for(lambda: "= 170" in head.run("scontrol", "show", "config"), "the controller has it")
    after = services(head)
    assert {unit for unit in before if after.get(unit) != before[unit]} <= {"slurmctld.service", "hpc-update.service"}
    node = nodes["debug-1"]
    wait_for(lambda: "Timeout=170" in node.run("cat", "/run/slurm/conf/slurm.conf"), "nodes have it")
    assert f"{job} RUNNING" in jobs(head)
    head.run("scancel", job)


def test_head_node_is_replaced_while_a_job_runs(cluster: Cluster, head: Machine, nodes: dict[str, Machine]) -> None:
    command = "until [ -e /shared/go ]; do sleep 1; done; hostname >/shared/survivor.out"
    job = head.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", command, user="alice").strip()
    wait_for(lambda: f"{job} RUNNING" in jobs(head), "the job runs")
    before = head.run("ssh-keyscan", "-t", "ed25519", "127.0.0.1"), dict(cluster.aws.secrets)
    machines = set(cluster.nodes)
    head.halt()
    first, second = nodes["debug-1"], nodes["debug-2"]
    assert address_of(ELSEWHERE, first) == ELSEWHERE_ADDRESS
    assert address_of("debug-2", first) == second.address, "it has asked before"
    new = cluster.boot_head()
    wait_ready(new)
    for machine in (new, first, second):
        assert {name: address_of(name, machine) for name in nodes} == {n: m.address for n, m in nodes.items()}
    assert f"{job} RUNNING" in jobs(new)
    assert (new.run("ssh-keyscan", "-t", "ed25519", "127.0.0.1"), dict(cluster.aws.secrets)) == before
    shared = cluster.lab.files / "shared"
    (shared / "go").touch()
    wait_for(lambda: not jobs(new), "the job is done")
    assert (shared / "survivor.out").read_text().strip() in nodes
    assert re.search(rf"^{job} +COMPLETED", new.run("sacct", "-n", "-X", "-o", "jobid,state"), re.M)
    assert set(cluster.nodes) == machines, "no machine was lost or launched twice"


def test_a_node_on_which_a_step_fails_is_never_in_the_cluster(cluster: Cluster, nodes: dict[str, Machine]) -> None:
    tags = {"hpc:role": "compute", "hpc:config": cluster.plan.bucket, "hpc:queue": "large", "hpc:nodes": "1"}
    node = cluster.boot_node("i-0badbadbadbadbad0", tags, 0)
    assert result(node) != []
    reason = f"processors: this machine has {os.cpu_count()} CPUs, but slurm.conf says 192"
    told = f"hpc-boot: FAILED: boot/compute.sh ended with 1: {reason}"
    assert told in (node.root / "var/log/cloud-init-output.log").read_text()
    assert told in node.run("journalctl", "-q", "-o", "cat", "--no-pager")
    assert told in (node.root / "var/log/console").read_text()
    (lines,) = [lines for stream, lines in cluster.aws.logs.items() if stream.startswith("/hpc/lab:large-1/boot/")]
    assert "192" in lines[-2]
    assert json.loads(node.run("cat", "/opt/hpc/boot-steps.json"))["result"] == reason
    assert "slurmd.service" not in services(node)
    assert "MODE=poweroff" in node.run("cat", "/run/systemd/shutdown/scheduled")


@pytest.fixture(scope="module")
def logins(cluster: Cluster, head: Machine, early: tuple[Machine, str]) -> tuple[Machine, Machine]:
    both = early[0], cluster.boot_login(2)
    for login in both:
        wait_ready(login)
    return both


def test_a_login_node_that_is_faster_than_the_head_node_waits(head: Machine, early: tuple[Machine, str]) -> None:
    """It waits for the secret to be made, for the key in it and for the controller."""
    login, meanwhile = early
    assert meanwhile == "inactive"
    wait_ready(login)
    wait_for(lambda: "debug" in login.run("sinfo", user="alice", check=False), "sinfo shows the queue")
    assert state(login, "ssh.service") == "active"


def test_people_and_jobs_read_a_bucket_of_the_description(
    cluster: Cluster, nodes: dict[str, Machine], logins: tuple[Machine, Machine]
) -> None:
    """As they log in and submit, with nothing set up; and never the munge key."""
    login, shared = logins[0], cluster.lab.files / "shared"
    munge = f"hpc/lab/munge-{cluster.plan.bucket}"
    (shared / "read.py").write_text(READ.replace("{munge}", munge))
    login.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/.ssh/id_ed25519")
    (login.root / "home/alice/.ssh").mkdir(exist_ok=True)
    (login.root / "home/alice/.ssh/authorized_keys").write_text(login.run("cat", "/root/.ssh/id_ed25519.pub"))
    ssh = ("ssh", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "alice@127.0.0.1")
    said = [login.run(*ssh, "python3 /shared/read.py")]
    login.run(*ssh, "sbatch --wait -o /shared/read.out --wrap 'python3 /shared/read.py'", timeout=180)
    said.append((shared / "read.out").read_text())
    for lines in said:
        assert lines.startswith("tokens\nAn error occurred (AccessDeniedException)"), lines


def test_login_nodes_share_names_and_host_keys(logins: tuple[Machine, Machine], nodes: dict[str, Machine]) -> None:
    first, second = logins
    for machine in (*nodes.values(), first):
        for login in (first, second):
            assert address_of(login.run("hostname").strip(), machine) == login.address
    assert {name: address_of(name, first) for name in nodes} == {name: node.address for name, node in nodes.items()}
    scan = ("ssh-keyscan", "-t", "ed25519", "127.0.0.1")
    assert first.run(*scan).splitlines()[-1] == second.run(*scan).splitlines()[-1]
    assert "debug" in first.run("sinfo", user="alice")
    hello = "int main(void) { return 0; }"
    first.run("bash", "-ec", f"echo '{hello}' >hello.c; module load openmpi; mpicc -o hello hello.c", user="alice")
    assert not (first.root / "etc/slurm/jwt_hs256.key").exists()


def test_a_laptop_knows_a_replaced_head_node_and_is_told_of_a_node_that_goes(visit: AwsVisit) -> None:
    """It has the head node's key from before. Nothing after this needs the node."""
    visit.take("tunnel")
    verb_scenarios.check_that_a_node_that_goes_is_told(visit)


def test_a_failed_first_boot_is_healed_by_a_better_configuration(
    cluster: Cluster, published: dict[str, str], head: Machine
) -> None:
    """Meanwhile nobody is led to a login node that is not ready."""
    steps = published["login/sessions.sh"]
    broken = steps.replace("sessions() {", "sessions() {\n  die 'not yet'")
    cluster.publish(published | {"login/sessions.sh": broken})
    login = cluster.boot_login(3)
    assert result(login) != []
    assert "FAILED: boot/login.sh ended with 1: sessions: not yet" in login.run("cat", "/var/log/hpc-boot.log")
    assert state(login, "ssh.service") == "inactive"
    assert state(login, "hpc-update.timer") == "active"
    cluster.publish(published)
    update(login)
    assert json.loads(login.run("cat", "/opt/hpc/boot-steps.json"))["result"] == "ready"
    assert state(login, "ssh.service") == "active"
    assert login.run("systemctl", "is-enabled", "ssh.service").strip() == "enabled"


@pytest.mark.alone
def test_nothing_is_left_behind(layers: tuple[Path, ...]) -> None:
    with booted(layers, spec()) as cluster:
        init = cluster.lab.first
        cluster.publish(configuration(cluster.described))
        cluster.boot_login(1)
    assert not Path(f"/proc/{init}").exists()
    mounted = subprocess.run(["findmnt", "-n", "-t", "overlay"], capture_output=True, text=True, check=False).stdout
    assert "/mnt/machines" not in mounted
