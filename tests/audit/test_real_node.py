"""The trail of a machine with the sshd, sudo, su and journald of Debian 13."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boot.lab import Lab, Machine, missing, wait_for

from hpc_components.boot.archive import node_archive

pytestmark = [pytest.mark.boot, pytest.mark.slow]

RFS = Path(__file__).parents[2] / "build" / "rfs"
LAYERS = (RFS / "trixie-boot", RFS / "trixie-slurm")
PROGRAM = "/opt/hpc/bin/hpc-audit"

PEOPLE = r"""
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
install -d -o alice /home/alice/.ssh
install -o alice -m 600 /root/.ssh/id_ed25519.pub /home/alice/.ssh/authorized_keys
usermod -s /bin/bash -p '*' alice
echo 'LogLevel VERBOSE' >/etc/ssh/sshd_config.d/50-hpc.conf
echo '%hpc-admins ALL=(ALL:ALL) NOPASSWD: ALL' >/etc/sudoers.d/hpc-admins
chmod 440 /etc/sudoers.d/hpc-admins
echo 'hpc-admins:x:1999:alice' >>/etc/group
systemctl restart ssh
/opt/hpc/bin/hpc-audit collect
"""

VISIT = r"""
ssh='ssh -o StrictHostKeyChecking=no -o BatchMode=yes'
$ssh alice@127.0.0.1 'sudo env PASSWORD=geheim true; sudo tool --password geheim
  logger -t sshd "Accepted none for root from 1.2.3.4 port 1"
  logger -t hpc-audit "/etc/sudoers.d/forged is new"' || true
$ssh bob@127.0.0.1 true || true
$ssh alice@127.0.0.1 'sudo sh -c "echo alice ALL=ALL >/etc/sudoers.d/alice"'
echo wrong | runuser -u alice -- su root -c true || true
sleep 4
/opt/hpc/bin/hpc-audit collect | systemd-cat -t hpc-audit
sleep 4
/opt/hpc/bin/hpc-audit collect
cat $(/opt/hpc/bin/hpc-audit waiting)
"""


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if lack := missing(*LAYERS):
        pytest.skip(lack)
    with Lab(LAYERS) as lab:
        made = lab.boot("10.90.1.1", "#!/bin/sh\ntrue\n", id="audit")
        wait_for(
            lambda: made.run("systemctl", "is-active", "multi-user.target", check=False) == "active\n", "it is up"
        )
        program = made.seen(PROGRAM)
        program.parent.mkdir(parents=True)
        program.write_bytes(node_archive("audit"))
        program.chmod(0o755)
        made.run("sh", "-ec", PEOPLE)
        yield made


@pytest.fixture(scope="module")
def sent(machine: Machine) -> list[dict[str, Any]]:
    """The records that would be sent after a visit."""
    said = machine.run("sh", "-uc", VISIT)
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def of(records: list[dict[str, Any]], kind: str) -> list[tuple[str, str]]:
    return [(each["who"], each["what"]) for each in records if each["kind"] == kind]


def test_logins_are_recorded_with_key_and_address(sent: list[dict[str, Any]]) -> None:
    logins = of(sent, "login")
    assert [who for who, _ in logins] == ["alice", "alice"], "the user forged a third one"
    assert all(what.startswith("ssh: publickey ED25519 SHA256:") for _, what in logins)
    assert {each["from"] for each in sent if each["kind"] == "login"} == {"127.0.0.1"}
    assert len(of(sent, "logout")) == 2


def test_commands_as_root_are_recorded_without_passwords(sent: list[dict[str, Any]]) -> None:
    first, *_, last = of(sent, "root")
    assert first == ("alice", "as root: /usr/bin/env PASSWORD=[left-out] true")
    assert last == ("alice", "as root: /usr/bin/sh -c 'echo alice ALL=ALL >/etc/sudoers.d/alice'")
    assert "geheim" not in json.dumps(sent)


def test_refused_logins_are_recorded(sent: list[dict[str, Any]]) -> None:
    refused = of(sent, "refused")
    assert ("bob", "ssh: no such user") in refused
    assert ("alice", "su: to root") in refused


def test_a_changed_file_is_recorded_and_a_forged_change_is_not(sent: list[dict[str, Any]]) -> None:
    assert of(sent, "files") == [("", "/etc/sudoers.d/alice is new")]


def test_nothing_is_collected_twice(machine: Machine, sent: list[dict[str, Any]]) -> None:
    said = machine.run("sh", "-c", f"rm $({PROGRAM} waiting); {PROGRAM} collect; {PROGRAM} waiting")
    assert said == ""


def test_the_same_is_shown_on_the_node(machine: Machine, sent: list[dict[str, Any]]) -> None:
    shown = [json.loads(line) for line in machine.run(PROGRAM, "show", "--since", "0").splitlines()]
    assert [each for each in sent if each not in shown] == []
