"""`hpc status`, `nodes`, `logs`, `run`, `copy`, `ssh` and `doctor` against a cluster that boots, from a laptop in its
network.
"""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from operate.site import Laptop

from .lab import Lab, Machine, wait_for

ACCOUNT = "alice"
"""An administrator: the first users of public images are not on machines of the lab."""

CLOCK = "/usr/local/bin/timedatectl"


class Visit:
    """A laptop, and the cluster that it reaches."""

    def __init__(self, lab: Lab, folder: Path, head: Machine, node: Machine) -> None:
        self.head, self.node = head, node
        self.name = node.run("hostname").strip()
        self.laptop = Laptop(lab.first, folder)
        for machine in (head, node):
            machine.run("sh", "-c", f"groupadd -f hpc-admins; usermod -aG hpc-admins {ACCOUNT}")
            # no machine of the lab may set the clock, which is that of this machine
            machine.run("sh", "-c", f"printf '%s\\n' '#!/bin/sh' 'echo yes' >{CLOCK}; chmod 755 {CLOCK}")
        home = head.run("getent", "passwd", ACCOUNT).split(":")[5]
        keys = f"{home}/.ssh/authorized_keys"
        script = 'install -d -o "$2" "$(dirname "$1")"; echo "$0" >>"$1"; chown "$2" "$1"'
        head.run("sh", "-c", script, self.laptop.public_key, keys, ACCOUNT)

    def give(self, outputs: Mapping[str, Any]) -> None:
        self.laptop.give_outputs(outputs)

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


def check_that_ctrl_c_ends_what_follows(visit: Visit) -> None:
    line, environment = visit.laptop.command("logs", "lab", "--user", ACCOUNT, "--follow", "--lines", "1")
    with subprocess.Popen(
        ["env", "--default-signal=INT", *line], env=environment, cwd=visit.laptop.folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout
        assert any("boot: " in line for line in process.stdout)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
    wait_for(lambda: "tail -n" not in visit.head.run("ps", "-eo", "args"), "nothing follows on the head node")
