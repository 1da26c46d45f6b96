"""The steps that install hpc-audit and let sshd say more, and remove both."""

from collections.abc import Callable

import pytest

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

PROGRAM, SETTINGS = "opt/hpc/bin/hpc-audit", "etc/hpc/audit.env"
UNITS = tuple(f"etc/systemd/system/hpc-audit{end}" for end in (".service", ".timer", "-end.service"))
FILES = {"common/hpc-audit.b64": boot_files(spec(audit={"keep": "400d"}))["common/hpc-audit.b64"]}
RECORD = '{"time": "2026-11-29T00:00:00Z", "node": "n", "kind": "root", "who": "a", "what": "x", "from": ""}\n'


def test_a_cluster_without_audit_has_no_program() -> None:
    assert "common/hpc-audit.b64" not in boot_files(spec())


@pytest.mark.parametrize(("role", "seconds"), [("head", 60), ("login", 60), ("compute", 600)])
def test_a_node_looks_for_records_as_often_as_its_role_permits(sandbox: Make, role: str, seconds: int) -> None:
    box = sandbox(role, **FILES)
    assert "wrote /opt/hpc/bin/hpc-audit" in box.step("common/audit.sh", "audit")
    assert f"OnUnitInactiveSec={seconds}s" in box.read(UNITS[1])
    assert f"HPC_ROLE={role}\n" in box.read(SETTINGS)
    assert "ExecStop=/bin/bash" in box.read(UNITS[2])
    assert box.step("common/audit.sh", "audit") == ""


def test_the_program_goes_with_the_key(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    box.step("common/audit.sh", "audit")
    (box.root / "opt/hpc/config/common/hpc-audit.b64").unlink()
    box.step("common/audit.sh", "audit")
    assert not [each for each in (PROGRAM, SETTINGS, *UNITS) if (box.root / each).exists()]
    assert box.step("common/audit.sh", "audit") == ""


def test_records_wait_until_they_are_sent(sandbox: Make) -> None:
    """`send_audit` is that of the cloud; here it fails once."""
    box = sandbox("login", **FILES)
    box.step("common/audit.sh", "audit")
    box.write("var/lib/hpc-audit/1-0000.jsonl", RECORD)
    box.write("var/lib/hpc-audit/2-0000.jsonl", RECORD)
    box.fake("journalctl", "true")
    send = ("bash", "-Eeuo", "pipefail", "-c", "cd /opt/hpc/config && source common/audit/send.sh")
    box.write("opt/hpc/config/common/cloud.sh", 'send_audit() { echo "$1" >>/sent; [[ -e /up ]]; }\n')
    assert box.run(*send).returncode != 0
    assert box.read("sent").splitlines() == ["/var/lib/hpc-audit/1-0000.jsonl"]
    box.write("up", "")
    assert box.run(*send).returncode == 0
    assert box.read("sent").splitlines()[1:] == [f"/var/lib/hpc-audit/{number}-0000.jsonl" for number in (1, 2)]
    assert not list((box.root / "var/lib/hpc-audit").glob("*.jsonl"))
