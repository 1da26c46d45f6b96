"""`hpc` against a cluster that boots, from a laptop in its network: the verbs that reach it, and `hpc accept`."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from operate.site import Laptop

from hpc_components.spec.cluster import ClusterSpec

from .lab import Lab, Machine, wait_for

ACCOUNT = "alice"
"""An administrator: the first users of public images are not on machines of the lab."""

CLOCK = "/usr/local/bin/timedatectl"


class Visit:
    """A laptop, and the cluster that it reaches."""

    def __init__(self, lab: Lab, folder: Path, head: Machine, node: Machine) -> None:
        self.lab, self.node, self.name = lab, node, node.run("hostname").strip()
        self.laptop = Laptop(lab.first, folder)
        self._make_administrator_on(node)
        self.meet(head)

    def meet(self, head: Machine) -> None:
        """From now on, this machine is the head node."""
        self.head = head
        self._make_administrator_on(head)
        self.let_in(head)

    def _make_administrator_on(self, machine: Machine) -> None:
        machine.run("sh", "-c", f"groupadd -f hpc-admins; usermod -aG hpc-admins {ACCOUNT}")
        # no machine of the lab may set the clock, which is that of this machine
        machine.run("sh", "-c", f"printf '%s\\n' '#!/bin/sh' 'echo yes' >{CLOCK}; chmod 755 {CLOCK}")

    def let_in(self, machine: Machine) -> None:
        """Let the account log in to a machine from the laptop."""
        home = machine.run("getent", "passwd", ACCOUNT).split(":")[5]
        keys = f"{home}/.ssh/authorized_keys"
        script = 'install -d -o "$2" "$(dirname "$1")"; echo "$0" >>"$1"; chown "$2" "$1"'
        machine.run("sh", "-c", script, self.laptop.public_key, keys, ACCOUNT)

    def give(self, outputs: Mapping[str, Any]) -> None:
        self.laptop.give_outputs(outputs)

    def lose_tunnel(self, program: str) -> None:
        """Kill the program that forwards to the head node."""
        tunnels = self.laptop.running(program).split()
        assert tunnels
        for tunnel in tunnels:
            os.kill(int(tunnel), signal.SIGKILL)

    def doctor(self, *node: str) -> dict[str, Any]:
        done = self.laptop.hpc("doctor", "lab", *node, "--user", ACCOUNT, "--format", "json")
        assert done.returncode in (0, 1), done
        return json.loads(done.stdout)


def check_that_all_verbs_answer(visit: Visit) -> None:
    laptop = visit.laptop
    assert laptop.out("run", "lab", "--user", ACCOUNT, "--", "hostname").strip() == "head"
    assert laptop.out("ssh", "lab", visit.name, "--user", ACCOUNT, "--", "hostname").strip() == visit.name
    assert json.loads(laptop.out("status", "lab", "--user", ACCOUNT, "--format", "json"))["problems"] == []
    assert visit.name in laptop.out("nodes", "lab", "--user", ACCOUNT)
    assert "boot: hpc-boot: ready after" in laptop.out("logs", "lab", "--user", ACCOUNT)
    assert "slurmd" in laptop.out("logs", "lab", visit.name, "--user", ACCOUNT)
    (laptop.folder / "mesh").write_bytes(os.urandom(100_000))
    laptop.out("copy", "mesh", "lab:mesh", "--user", ACCOUNT)
    laptop.out("copy", "lab:mesh", "back", "--user", ACCOUNT)
    assert (laptop.folder / "back").read_bytes() == (laptop.folder / "mesh").read_bytes()


def check_that_the_doctor_finds_nothing(visit: Visit) -> None:
    for node in ((), (visit.name,)):
        document = visit.doctor(*node)
        assert document["well"], document
        assert document["left_out"] == [], document


def check_that_a_stopped_unit_is_named(visit: Visit) -> None:
    """Real units of a real systemd, stopped one after the other."""
    for unit, cause in (
        ("slurmctld", "slurmctld-silent"),
        ("hpc-elastic", "elastic-stopped"),
        ("slurmdbd", "slurmdbd-silent"),
        ("hpc-name-server", "names-stopped"),
        ("hpc-update.timer", "service-stopped"),
    ):
        visit.head.run("systemctl", "stop", unit)
        try:
            first = visit.doctor()["diagnoses"][0]
            assert first["id"] == cause, first
        finally:
            visit.head.run("systemctl", "start", unit)
    wait_for(lambda: visit.doctor()["well"], "all is well again")


def check_that_a_stopped_slurmd_and_a_foreign_key_are_named(visit: Visit) -> None:
    visit.node.run("systemctl", "stop", "slurmd")
    assert visit.doctor(visit.name)["diagnoses"][0]["id"] == "slurmd-stopped"
    visit.node.run("systemctl", "start", "slurmd")
    visit.node.run(
        "sh", "-c", "cp -a /etc/munge/munge.key /root/kept; head -c 1024 /dev/urandom >/etc/munge/munge.key"
    )
    visit.node.run("systemctl", "restart", "munge")
    try:
        assert visit.doctor(visit.name)["diagnoses"][0]["id"] == "node-key-differs"
    finally:
        visit.node.run("sh", "-c", "cp -a /root/kept /etc/munge/munge.key; systemctl restart munge slurmd")


@contextmanager
def _following(visit: Visit, *node: str) -> Iterator[subprocess.Popen[str]]:
    """`hpc logs --follow`, which has shown a line of the node's log."""
    line, environment = visit.laptop.command("logs", "lab", *node, "--user", ACCOUNT, "--follow", "--lines", "1")
    with subprocess.Popen(
        ["env", "--default-signal=INT", *line], env=environment, cwd=visit.laptop.folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout
            assert any("boot: " in line for line in process.stdout)
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _nothing_follows_on(machine: Machine) -> bool:
    return "tail -n" not in machine.run("ps", "-eo", "args")


def check_that_ctrl_c_ends_what_follows(visit: Visit) -> None:
    with _following(visit) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
    wait_for(lambda: _nothing_follows_on(visit.head), "nothing follows on the head node")


def check_that_a_lost_connection_is_told(visit: Visit, lose: Callable[[], None]) -> None:
    """`lose` ends the connection between laptop and head node."""
    with _following(visit) as process:
        lose()
        _, said = process.communicate(timeout=120)
    assert process.returncode == 1, said
    assert "the connection to head was lost at " in said
    wait_for(lambda: _nothing_follows_on(visit.head), "nothing follows on the head node")


def check_that_a_node_that_goes_is_told(visit: Visit) -> None:
    """The node vanishes from the network, so that nothing ends its connections but the patience of both sides."""
    with _following(visit, visit.name) as process:
        visit.lab.cut_off(visit.node)
        _, said = process.communicate(timeout=300)
    visit.node.kill()
    assert process.returncode == 1, said
    assert f"the connection to {visit.name} was lost at " in said
    assert "for Slurm the node is " in said


def check_that_the_cluster_is_accepted(visit: Visit, described: ClusterSpec, nodes: Mapping[str, Machine]) -> None:
    """By a job on these nodes, which run already. The speed of this machine's disk says nothing about a cloud."""
    document = described.model_dump(mode="json", exclude_unset=True)
    folder = visit.laptop.folder
    (folder / "Pulumi.lab.yaml").write_text(json.dumps({"config": {"hpc:cluster": document}}))
    done = visit.laptop.hpc(
        "accept", "./Pulumi.lab.yaml", "--user", ACCOUNT, "--queue", "debug", "--nodes", str(len(nodes)), "--yes",
        "--skip", "throughput", "--format", "json", "--out", "report.json", seconds=900,
    )  # fmt: skip
    assert (folder / "report.json").exists(), done
    report = json.loads((folder / "report.json").read_text())
    by_state: dict[str, set[str]] = {}
    for outcome in report["outcomes"]:
        by_state.setdefault(outcome["state"], set()).add(outcome["code"])
    assert (done.returncode, report["passed"], by_state.get("failed")) == (0, True, None), report["outcomes"]
    checked = {"login", "home", "shared-files", "job", "ranks", "names", "accounting", "buckets"}
    assert checked <= by_state["passed"]
    assert {"start-time", "boot-steps"} <= by_state["shown"]
    (job,) = report["jobs"]
    assert set(job["names"]) == set(nodes)
    records = [json.loads(node.run("cat", "/opt/hpc/boot-steps.json")) for node in nodes.values()]
    (shown,) = (each for each in report["outcomes"] if each["code"] == "boot-steps")
    assert shown["figures"][0]["value"] == round(max(record["seconds"] for record in records), 1)
    assert set(report["boot_steps"]) == {"login", "head", *nodes}
    for place, steps in report["boot_steps"].items():
        assert "packages" in steps, place
        assert sum(steps.values()) > 0, place
    left = visit.head.run("sh", "-c", "squeue --noheader --format=%j; ls -A /shared")
    assert "hpc-accept" not in left
