"""People of a description on nodes that boot: they log in, work, are added, and leave, while the cluster runs."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .cluster import Cluster, booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready

pytestmark = [pytest.mark.boot, pytest.mark.slow]

MINUTES = 120
"""Seconds within which a change must be known on all nodes."""

HOMES = {"mount": "/home", "type": "none", "from": "/lab/home", "options": "bind"}


def described(key: str, *names: str) -> dict[str, Any]:
    ids = {"ada": 2001, "bob": 2002, "cleo": 2001}
    users = {name: {"uid": ids[name], "keys": [key], "groups": ["cfd"]} for name in names}
    return {"users": users, "groups": {"cfd": {"gid": 3001}}}


def files_for(people: dict[str, Any]) -> dict[str, str]:
    files = configuration(spec(people=people))
    return {**files, "common/mounts.json": json.dumps([*json.loads(files["common/mounts.json"]), HOMES])}


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


@pytest.fixture(scope="module")
def public(key: Path) -> str:
    return key.with_suffix(".pub").read_text().strip()


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...], public: str) -> Iterator[Cluster]:
    people = described(public, "ada")
    with booted(layers, spec(people=people)) as cluster:
        shared = cluster.lab.files / "shared"
        shared.chmod(0o777)
        (shared / "home").mkdir()
        cluster.publish(files_for(people))
        yield cluster


@pytest.fixture(scope="module")
def head(cluster: Cluster, key: Path) -> Machine:
    machine = cluster.boot_head()
    wait_ready(machine)
    (machine.root / "root/key").write_text(key.read_text())
    (machine.root / "root/key").chmod(0o600)
    return machine


@pytest.fixture(scope="module")
def login(cluster: Cluster, head: Machine) -> Machine:
    machine = cluster.boot_login(1)
    wait_ready(machine)
    return machine


def ssh(head: Machine, user: str, at: str, *command: str, check: bool = True) -> str:
    """Run a command as someone with the key, who comes from elsewhere."""
    options = ("-i", "/root/key", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR")
    return head.run("ssh", *options, f"{user}@{at}", *command, check=check)


@pytest.fixture(scope="module")
def node(cluster: Cluster, head: Machine, login: Machine) -> Machine:
    """A compute node, on which a job of ada's runs."""
    ssh(head, "ada", login.address, "sbatch --wrap 'id > job.out; sleep 3600'")
    machine = wait_for(lambda: next(iter(cluster.nodes.values()), None), "a machine")
    wait_ready(machine)
    wait_for(lambda: "R" in head.run("squeue", "-h", "-o", "%t"), "the job runs")
    return machine


def test_a_person_logs_in_and_works_in_a_home_of_their_own(head: Machine, login: Machine, node: Machine) -> None:
    said = wait_for(lambda: ssh(head, "ada", login.address, "cat job.out"), "the job wrote")
    assert said.strip() == "uid=2001(ada) gid=2001(ada) groups=2001(ada),3001(cfd)"
    assert login.run("stat", "-c", "%a %U %G", "/home/ada").strip() == "700 ada ada"


def test_a_person_is_added_while_nodes_run(
    cluster: Cluster, head: Machine, login: Machine, node: Machine, public: str
) -> None:
    assert "no such user" in login.run("id", "bob", check=False)
    cluster.publish(files_for(described(public, "ada", "bob")))
    for machine in (head, login, node):
        wait_for(lambda: "3001(cfd)" in machine.run("id", "bob", check=False), "bob is known", MINUTES)  # noqa: B023
    assert ssh(head, "bob", login.address, "pwd").strip() == "/home/bob"
    assert "Permission denied" in ssh(head, "bob", login.address, "ls", "/home/ada", check=False)


def test_a_person_who_is_removed_has_nothing_that_runs(
    cluster: Cluster, head: Machine, login: Machine, node: Machine, public: str
) -> None:
    login.run("install", "-D", "-o", "ada", "-m", "600", "/dev/null", "/var/spool/cron/crontabs/ada")
    login.run("systemd-run", "--quiet", "--uid=2001", "sleep", "3600")
    cluster.publish(files_for(described(public, "bob")))
    for machine in (head, login, node):
        wait_for(lambda: "former-ada" in machine.run("id", "2001", check=False), "ada has left", MINUTES)  # noqa: B023
        wait_for(lambda: not machine.run("pgrep", "-U", "2001", check=False), "nothing of ada runs", MINUTES)  # noqa: B023
    wait_for(lambda: not head.run("squeue", "-h", "-t", "R,PD"), "the job is cancelled", MINUTES)
    assert "Permission denied" in ssh(head, "ada", login.address, "true", check=False)
    assert not login.seen("/var/spool/cron/crontabs/ada").exists()
    assert login.run("stat", "-c", "%U", "/home/ada/job.out").strip() == "former-ada"
    assert ssh(head, "bob", login.address, "pwd").strip() == "/home/bob"


def test_an_id_is_not_given_again_by_a_new_head_node(
    cluster: Cluster, head: Machine, login: Machine, node: Machine, public: str
) -> None:
    head.kill()
    cluster.publish(files_for(described(public, "bob", "cleo")))
    new = cluster.boot_head()
    wait_for(
        lambda: "2001 is or was the id of user ada" in new.run("cat", "/var/log/hpc-boot.log", check=False), "told"
    )
    wait_for(lambda: "2002(bob)" in new.run("id", "bob", check=False), "bob is known")
    assert "no such user" in new.run("id", "cleo", check=False)
    assert "former-ada" in new.run("id", "2001")
