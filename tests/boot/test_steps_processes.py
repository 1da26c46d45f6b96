"""The step that hides processes of other users: where it does so, and what it leaves when it no longer applies."""

from collections.abc import Callable

import pytest

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

FILES = ("etc/systemd/system/hpc-processes.service", "etc/dbus-1/system.d/hpc-processes.conf")


def take(box: Sandbox, organizations: str) -> str:
    """Let the cluster have organizations, or none, and run the step; what it called of systemctl."""
    facts = box.config["common/cluster.env"] + f"HPC_ORGANIZATIONS={organizations}\n"
    box.write("opt/hpc/config/common/cluster.env", facts)
    box.write("systemctl", "")
    box.fake("systemctl", 'echo "$@" >>/systemctl')
    box.step("common/processes.sh", "processes")
    return box.read("systemctl")


@pytest.mark.parametrize(("role", "organizations", "hidden"), [
    ("compute", "yes", True), ("login", "yes", True), ("login", "no", False), ("head", "yes", False),
])  # fmt: skip
def test_a_node_hides_processes_where_people_of_organizations_work(
    sandbox: Make, role: str, organizations: str, hidden: bool
) -> None:
    box = sandbox(role)
    called = take(box, organizations)
    assert [(box.root / file).exists() for file in FILES] == [hidden] * 2
    assert ("restart hpc-processes\n" in called, "reload dbus\n" in called) == (hidden, hidden)


def test_nothing_is_left_when_the_last_organization_has_left(sandbox: Make) -> None:
    box = sandbox("login")
    take(box, "yes")
    called = take(box, "no")
    assert not any((box.root / file).exists() for file in FILES)
    assert "disable -q --now --no-reload hpc-processes.service\n" in called
    assert called.endswith("reload dbus\n")
    assert take(box, "no") == ""
