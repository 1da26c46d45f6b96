"""`hpc ssh`, `run`, `copy`, `status`, `nodes` and `logs` with real ssh, sshd, slurmctld and the daemon that launches
nodes. The tunnels of the clouds are stand-ins that refuse other arguments.
"""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from elastic.lab import Cluster, end, wait
from elastic.lab.cloud import COMMAND, Cloud, install_daemon, start_daemon
from elastic.lab.fixtures import lab  # noqa: F401

from .site import Laptop, let_head_reach, start_sshd

pytestmark = pytest.mark.slurm

NODES = """\
NodeName=q-[1-4] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-4] Default=YES
"""

MACHINE = "/subscriptions/s-1/resourceGroups/lab/providers/Microsoft.Compute/virtualMachines/lab-head"
HEAD = {"private_ip": "10.77.0.2", "public_ip": None}
AWS = {
    "access": {"cloud": "aws", "cluster": "lab", "region": "us-east-2", "user": "root"},
    "head_node": {**HEAD, "instance_id": "i-0abc"},
}
GOOGLE = {
    "access": {"cloud": "gcp", "cluster": "lab", "iap": True, "user": "root"},
    "head_node": {**HEAD, "instance_id": "projects/p-1/zones/us-central1-a/instances/lab-head"},
}
AZURE = {
    "access": {
        "cloud": "azure", "cluster": "lab", "user": "root", "bastion": {"name": "lab-host", "resource_group": "lab"},
    },
    "head_node": {**HEAD, "vm_id": MACHINE},
}  # fmt: skip
PUBLIC = {**AWS, "head_node": {**AWS["head_node"], "public_ip": "10.77.0.2"}, "login": "10.77.0.9"}


@pytest.fixture(scope="module")
def cluster(lab) -> Iterator[Cluster]:  # noqa: F811
    made = Cluster(lab, NODES)
    install_daemon(made, nodes=4)
    made.head.write("/opt/hpc/bin/hpc-elastic", f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n', mode="755")
    made.head.write("/var/log/hpc-boot.log", "hpc-boot: slurm: 3.1 s\nhpc-boot: done \x1b[31m für q\n")
    made.head.write("/var/log/slurm/slurmctld.log", "[2026] sched: StoragePass=geheim\n")
    with Cloud(made).served():
        daemon = start_daemon(made)
        yield made
        end(daemon, signal.SIGTERM)


@pytest.fixture(scope="module")
def laptop(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Laptop:
    made = Laptop(cluster.lab.host("laptop", "10.77.0.200").enter[2], tmp_path_factory.mktemp("laptop"))
    start_sshd(cluster.head, made.public_key)
    made.install("session-manager-plugin", "#!/bin/sh\n")
    made.install_tunnel(
        "aws", "ssm", "start-session", "--region", "us-east-2", "--target", "i-0abc",
        "--document-name", "AWS-StartSSHSession", "--parameters", "portNumber=22",
    )  # fmt: skip
    made.install_tunnel(
        "gcloud", "compute", "start-iap-tunnel", "lab-head", "22", "--listen-on-stdin", "--project=p-1",
        "--zone=us-central1-a", "--verbosity=warning",
    )  # fmt: skip
    made.install_tunnel(
        "az", "network", "bastion", "tunnel", "--subscription", "s-1", "--name", "lab-host",
        "--resource-group", "lab",
        "--target-resource-id", MACHINE, "--resource-port", "22", "--port", "PORT",
    )  # fmt: skip
    made.give_outputs(PUBLIC)
    return made


@pytest.fixture(scope="module")
def node(cluster: Cluster, laptop: Laptop) -> str:
    """A compute node that is up, with an sshd."""
    cluster.head.run("scontrol", "update", "nodename=q-1", "state=power_up")
    wait(lambda: cluster.state("q-1") == "IDLE+CLOUD", 90)
    host = cluster.nodes["q-1"]
    start_sshd(host, let_head_reach(cluster, "q-1", "10.77.1.1"))
    host.write("/var/log/slurm/slurmd.log", "slurmd of q-1 started\n")
    return "q-1"


@pytest.mark.parametrize("outputs", [PUBLIC, AWS, GOOGLE, AZURE], ids=["public", "aws", "gcp", "azure"])
def test_a_command_runs_on_the_head_node_by_each_way(laptop: Laptop, outputs: dict[str, Any]) -> None:
    laptop.give_outputs(outputs)
    try:
        assert laptop.out("run", "lab", "--", "hostname").strip() == "head"
        copied = laptop.folder / f"back {outputs['access']['cloud']}"
        (laptop.folder / "große datei").write_bytes(os.urandom(3_000_000))
        laptop.out("copy", "große datei", "lab:/root/there")
        laptop.out("copy", "lab:/root/there", str(copied))
        assert copied.read_bytes() == (laptop.folder / "große datei").read_bytes()
    finally:
        laptop.give_outputs(PUBLIC)
    assert not laptop.running("az"), "the tunnel ends with the connection"


def test_arguments_exit_code_and_input_are_the_command_s_own(laptop: Laptop) -> None:
    said = laptop.out("run", "lab", "--", "printf", "%s|", "a b", "$HOME", "'", "", "*", "--help", "--", "ü")
    assert said == "a b|$HOME|'||*|--help|--|ü|"
    assert laptop.hpc("run", "lab", "--", "sh", "-c", "exit 7").returncode == 7
    assert laptop.out("run", "lab", "--", "cat", stdin="in\n") == "in\n"


def test_a_compute_node_is_one_hop_further(laptop: Laptop, node: str) -> None:
    assert laptop.out("ssh", "lab", node, "--", "hostname").strip() == node
    assert laptop.out("ssh", "lab", node, "--", "printf", "%s|", "a b", "$HOME", "'") == "a b|$HOME|'|"
    laptop.give_outputs(AZURE)
    try:
        assert laptop.out("ssh", "lab", node, "--", "hostname").strip() == node
    finally:
        laptop.give_outputs(PUBLIC)


def test_the_login_nodes_lead_to_the_head_node(laptop: Laptop, cluster: Cluster) -> None:
    login = cluster.lab.host("login-1", "10.77.0.9")
    start_sshd(login, laptop.public_key)
    assert laptop.out("ssh", "lab", "login", "--", "hostname").strip() == "login-1"
    assert laptop.out("run", "lab", "--via", "login", "--", "hostname").strip() == "head"


def test_status_shows_what_slurm_and_daemon_say(laptop: Laptop, cluster: Cluster, node: str) -> None:
    cluster.head.run("scontrol", "update", "nodename=q-4", "state=down", "reason=größe | falsch")
    cluster.head.run(
        "sbatch", "-o", "/dev/null", "-J", "größe|x", "--begin=now+1hour", "--wrap", "true", user="alice"
    )
    document = json.loads(laptop.out("status", "lab", "--format", "json"))
    assert document["problems"] == []
    assert document["queues"] == [{"name": "q", "nodes": {"idle": 1, "off": 2, "down": 1}}]
    (waiting,) = document["jobs"]["waiting"]
    assert (waiting["reason"], waiting["count"], waiting["first"][0]["name"]) == ("BeginTime", 1, "größe|x")
    (down,) = document["down_nodes"]
    assert (down["name"], down["reason"]) == ("q-4", "größe | falsch")
    assert document["launches"]["failed"] == []
    text = laptop.out("status", "lab")
    assert text.startswith("cluster lab: all is well\n")
    assert "BeginTime: 1 of alice (größe|x)" in text.replace(waiting["first"][0]["id"], "1")
    assert "q-4 down: größe | falsch" in text
    assert "\x1b" not in text


def test_nodes_are_listed_with_their_jobs(laptop: Laptop, cluster: Cluster, node: str) -> None:
    cluster.head.run("sbatch", "-o", "/dev/null", "-w", node, "--wrap", "sleep 300", user="alice")
    wait(lambda: "RUNNING" in cluster.head.run("squeue", "-h", "-o", "%T"))
    document = json.loads(laptop.out("nodes", "lab", "--format", "json"))
    busy = next(each for each in document["nodes"] if each["name"] == node)
    assert (busy["state"], len(busy["jobs"]), busy["queue"]) == ("busy", 1, "q")
    text = laptop.out("nodes", "lab")
    assert "2 nodes off" in text
    assert "q-2" not in text
    assert "q-2" in laptop.out("nodes", "lab", "--all")
    cluster.head.run("scancel", "-u", "alice")


def test_a_stopped_queue_keeps_jobs_waiting_until_it_starts(laptop: Laptop, cluster: Cluster) -> None:
    def partition() -> str:
        return cluster.head.run("sinfo", "-h", "-o", "%a").strip()

    assert laptop.out("stop", "lab", "q") == "q: no new job starts\n"
    assert partition() == "down"
    cluster.head.run("sbatch", "-o", "/dev/null", "--wrap", "true", user="alice")
    wait(lambda: "PartitionDown" in cluster.head.run("squeue", "-h", "-o", "%r"))
    cluster.head.run("scancel", "-u", "alice")
    assert laptop.out("start", "lab") == "q: jobs start\n"
    assert partition() == "up"
    done = laptop.hpc("stop", "lab", "p")
    assert (done.returncode, done.stderr) == (2, "Error: cluster lab has no queue p; its queues are q\n")
    assert partition() == "up"


def test_without_sudo_slurm_s_part_is_still_shown(laptop: Laptop, cluster: Cluster) -> None:
    cluster.head.write("/etc/no-sudo", "")
    try:
        document = json.loads(laptop.out("status", "lab", "--format", "json"))
        assert document["unknown"] == "costs and launches: sudo: a password is required"
        assert document["queues"]
        done = laptop.hpc("logs", "lab")
        assert done.returncode == 2
        assert "the account needs sudo there" in done.stderr
        done = laptop.hpc("stop", "lab")
        assert done.returncode == 2
        assert "queue q keeps its state: sudo: a password is required" in done.stderr
    finally:
        cluster.head.run("rm", "/etc/no-sudo")


def test_logs_are_shown_with_their_names(laptop: Laptop, node: str) -> None:
    said = laptop.out("logs", "lab").splitlines()
    assert "boot: hpc-boot: slurm: 3.1 s" in said
    assert r"boot: hpc-boot: done \x1b[31m für q" in said
    assert any(line.startswith("journal: ") and "launched q-1" in line for line in said)
    assert "slurmd: slurmd of q-1 started" in laptop.out("logs", "lab", node).splitlines()


def test_an_export_has_all_logs_without_secrets(laptop: Laptop) -> None:
    laptop.out("logs", "lab", "--export", "kept")
    folder = laptop.folder / "kept"
    assert {"boot.log", "slurmctld.log", "journal.log", "nodes.log", "elastic.log"} <= {
        each.name for each in folder.iterdir()
    }
    assert (folder / "slurmctld.log").read_text().splitlines()[0] == "[2026] sched: StoragePass=[left-out]"
    assert laptop.hpc("logs", "lab", "--export", "kept").returncode == 2


SHOWN = """\
case "$1 $2 ${3%??????????}" in "show --since ") ;; *) echo "unexpected: $*" >&2; exit 2 ;; esac
cat <<'END'
{"time": "2026-11-29T03:00:01Z", "node": "head", "kind": "root", "who": "alice", "what": "as root: x", "from": ""}
{"time": "2026-11-29T02:59:59Z", "node": "head", "kind": "login", "who": "alice", "what": "ssh", "from": "10.0.0.9"}
END
"""


DELETED = {
    "eventID": "1", "eventTime": "2026-11-29T03:00:02Z",
    "eventSource": "ec2.amazonaws.com", "eventName": "DeleteVolume",
    "userIdentity": {"type": "Root"}, "requestParameters": {"volumeId": "vol-0123456789abcdef0"},
}  # fmt: skip


def test_the_audit_trail_of_both_nodes_and_of_the_stack_is_one_table(laptop: Laptop, cluster: Cluster) -> None:
    laptop.give_outputs(AWS)
    history = [{"kind": "update", "startTime": "2026-11-29T03:00:00.000Z", "result": "succeeded"}]
    (laptop.folder / "history.json").write_text(json.dumps(history))
    state = {"deployment": {"resources": [{"id": "vol-0123456789abcdef0"}]}}
    (laptop.folder / "state.json").write_text(json.dumps(state))
    tunnel = (laptop.programs / "aws").rename(laptop.programs / "aws-tunnel")
    read = f'test "$1 $2" = "cloudtrail lookup-events" && exec cat {laptop.folder}/events.json'
    laptop.install("aws", f'#!/bin/sh\n{read}\nexec {tunnel} "$@"\n')
    (laptop.folder / "events.json").write_text(json.dumps([{"CloudTrailEvent": json.dumps(DELETED)}]))
    try:
        done = laptop.hpc("audit", "lab", "--since", "2026-11-01")
        assert done.returncode == 2, done
        assert "write `audit: {keep: 400d}` into the" in " ".join(done.stderr.split()), done.stderr
        cluster.head.write("/opt/hpc/bin/hpc-audit", f"#!/bin/sh\n{SHOWN}", mode="755")
        document = json.loads(laptop.out("audit", "lab", "--since", "2026-11-01", "--format", "json"))
        assert [each["kind"] for each in document["records"]] == ["login", "pulumi", "root", "cloud"]
        text = laptop.out("audit", "lab", "--since", "2026-11-01", "--who", "alice", "--kind", "root")
        assert "as root: x" in text
        assert "1 record since 2026-11-01T00:00:00Z" in text
        assert "10.0.0.9" not in text
    finally:
        tunnel.rename(laptop.programs / "aws")
        laptop.give_outputs(PUBLIC)


def follow(laptop: Laptop, *arguments: str) -> subprocess.Popen[str]:
    line, environment = laptop.command("logs", "lab", *arguments, "--follow", "--lines", "1")
    return subprocess.Popen(
        ["env", "--default-signal=INT", *line], env=environment, cwd=laptop.folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def read_until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"ended before {text!r}")


@pytest.mark.parametrize("outputs", [PUBLIC, AZURE], ids=["public", "azure"])
def test_ctrl_c_ends_what_follows_on_both_sides(laptop: Laptop, cluster: Cluster, outputs: dict[str, Any]) -> None:
    laptop.give_outputs(outputs)
    process = follow(laptop)
    read_until(process, "boot: ")
    cluster.head.run("sh", "-c", "echo one more >>/var/log/hpc-boot.log")
    read_until(process, "boot: one more")
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    laptop.give_outputs(PUBLIC)
    assert (process.returncode, said.replace("Opening tunnel on port: ", "").lstrip("0123456789\n")) == (
        130, "interrupted\n",
    )  # fmt: skip
    wait(lambda: "tail" not in cluster.head.run("ps", "-eo", "args"), 10)


def test_a_killed_laptop_leaves_nothing_on_the_node(laptop: Laptop, cluster: Cluster) -> None:
    process = follow(laptop)
    read_until(process, "boot: ")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    wait(lambda: "tail" not in cluster.head.run("ps", "-eo", "args"), 10)


def test_a_lost_connection_is_reported(laptop: Laptop, cluster: Cluster) -> None:
    process = follow(laptop)
    read_until(process, "boot: ")
    cluster.head.run("pkill", "-KILL", "-f", "^sshd(-session)?: root")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "the connection to head was lost at " in said


def test_a_terminal_gets_a_session(laptop: Laptop) -> None:
    line, environment = laptop.command("ssh", "lab")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        line, env=environment, cwd=laptop.folder, stdin=theirs, stdout=theirs, stderr=theirs
    ) as ssh:
        os.close(theirs)
        os.write(ours, b"tty; exit 5\n")
        said = b""
        until = time.monotonic() + 30
        while ssh.poll() is None and time.monotonic() < until:
            try:
                said += os.read(ours, 1000)
            except OSError:
                break
        assert ssh.wait(30) == 5
    os.close(ours)
    assert b"/dev/pts/" in said


def test_a_node_that_goes_is_named_with_its_state(laptop: Laptop, cluster: Cluster, node: str) -> None:
    process = follow(laptop, node)
    read_until(process, "slurmd: ")
    cluster.head.run("scontrol", "update", f"nodename={node}", "state=power_down_force")
    cluster.nodes[node].run("sh", "-c", "kill -9 -1", check=False)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"the connection to {node} was lost at " in said
    assert "for Slurm the node is " in said


def test_a_dead_slurmctld_is_a_problem(laptop: Laptop, cluster: Cluster) -> None:
    cluster.stop_controller()
    done = laptop.hpc("status", "lab", "--format", "json")
    assert done.returncode == 1
    assert "Slurm does not answer: " in json.loads(done.stdout)["problems"][0]


def test_an_unreachable_head_node_is_an_error_with_a_remedy(laptop: Laptop, tmp_path: Path) -> None:
    (tmp_path / "o.json").write_text(
        json.dumps({**PUBLIC, "head_node": {**HEAD, "instance_id": "i", "public_ip": "10.77.9.9"}})
    )
    done = laptop.hpc("status", "lab", "--outputs", str(tmp_path / "o.json"))
    assert done.returncode == 2
    assert "can't reach head of cluster lab by its public address: ssh says why above" in done.stderr
    assert laptop.hpc("status", "other").returncode == 2
