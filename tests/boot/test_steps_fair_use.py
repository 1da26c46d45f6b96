"""Shares of users and their sessions: what the steps write, and what they leave when they no longer apply."""

import json
from collections.abc import Callable

import pytest

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

PAM = "account required pam_exec.so quiet stdout /opt/hpc/bin/hpc-admit # hpc sessions\n"
SHARES = "etc/systemd/system/user-.slice.d/50-hpc.conf"


def login(sandbox: Make, maximum: str, *mounts: str) -> Sandbox:
    """A login node with these shared file systems."""
    facts = sandbox("login").config["common/cluster.env"] + f"HPC_MAX_SESSIONS={maximum}\n"
    table = [{"mount": mount, "type": "nfs", "from": "fs:/", "options": "rw"} for mount in mounts]
    return sandbox("login", **{"common/cluster.env": facts, "common/mounts.json": json.dumps(table)})


@pytest.mark.parametrize(
    ("mounts", "directory"),
    [
        (("/fsx", "/home"), "/home/.hpc-sessions-lab"),
        (("/home", "/fsx"), "/home/.hpc-sessions-lab"),
        (("/fsx", "/work"), "/fsx/.hpc-sessions-lab"),
        ((), ""),
    ],
)
def test_login_nodes_meet_on_a_shared_file_system(sandbox: Make, mounts: tuple[str, ...], directory: str) -> None:
    box = login(sandbox, "3", *mounts)
    for mount in mounts:
        box.write(f"{mount[1:]}/file", "")
    box.step("login/sessions.sh", "sessions")
    assert json.loads(box.read("etc/hpc/sessions.json")) == {"maximum": 3, "directory": directory}
    if directory:
        made = (box.root / directory[1:]).stat()
        assert (made.st_uid, made.st_mode & 0o777) == (64030, 0o700)


def test_a_directory_that_can_not_be_made_leaves_each_node_its_own_count(sandbox: Make) -> None:
    box = login(sandbox, "3", "/fsx")
    box.write("fsx", "no directory")
    said = box.step("login/sessions.sh", "sessions")
    assert "sessions are counted on each node alone: cannot make /fsx/.hpc-sessions-lab for slurm" in said
    assert json.loads(box.read("etc/hpc/sessions.json"))["directory"] == ""


def test_the_step_does_not_follow_a_link_that_a_user_made(sandbox: Make) -> None:
    box = login(sandbox, "3", "/fsx")
    for folder in ("fsx", "etc/victim"):
        (box.root / folder).mkdir(parents=True)
    (box.root / "fsx/.hpc-sessions-lab").symlink_to("/etc/victim")
    assert "cannot make" in box.step("login/sessions.sh", "sessions")
    assert (box.root / "etc/victim").stat().st_uid == 0
    assert json.loads(box.read("etc/hpc/sessions.json"))["directory"] == ""


def test_a_maximum_that_is_removed_leaves_nothing(sandbox: Make) -> None:
    box = login(sandbox, "3")
    plain = box.then("login/sessions.sh", "others", "")
    box.write("etc/security/limits.d/91-hpc-sessions.conf", "* - maxlogins 3\n")
    box.step("login/sessions.sh", "sessions")
    assert box.read("etc/pam.d/sshd") == plain + PAM
    assert not (box.root / "etc/security/limits.d/91-hpc-sessions.conf").exists()
    assert box.step("login/sessions.sh", "sessions") == ""
    box.write(
        "opt/hpc/config/common/cluster.env", box.read("opt/hpc/config/common/cluster.env") + "HPC_MAX_SESSIONS=\n"
    )
    box.step("login/sessions.sh", "sessions")
    assert box.read("etc/pam.d/sshd") == plain
    for file in ("etc/hpc/sessions.json", "opt/hpc/bin/hpc-admit", "etc/ssh/sshd_config.d/50-hpc-sessions.conf"):
        assert not (box.root / file).exists()


@pytest.mark.parametrize(
    ("program", "admitted"),
    [("exit 3", False), ("exit 0", True), ("exit 1", True), ("kill -KILL $$", True), (None, True)],
)
def test_only_a_refusal_refuses(sandbox: Make, program: str | None, admitted: bool) -> None:
    """Not a program that fails, ends or is missing: nobody must be locked out by that."""
    box = login(sandbox, "3")
    box.step("login/sessions.sh", "sessions")
    if program:
        box.write("opt/hpc/bin/hpc-fair-use", f"#!/bin/sh\n{program}\n")
        (box.root / "opt/hpc/bin/hpc-fair-use").chmod(0o755)
    assert (box.run("/opt/hpc/bin/hpc-admit").returncode == 0) is admitted


def shares(sandbox: Make, role: str, **facts: str) -> Sandbox:
    lines = "".join(f"HPC_{name}={value}\n" for name, value in facts.items())
    box = sandbox(role, **{"common/cluster.env": sandbox(role).config["common/cluster.env"] + lines})
    box.fake("getconf", "echo 16")
    box.fake("systemd-run", 'echo "$@" >>/applied')
    box.step("common/fair_use.sh", "fair_use")
    return box


def test_a_user_gets_half_of_the_node_by_default(sandbox: Make) -> None:
    box = shares(sandbox, "login")
    share = dict(line.split("=") for line in box.read(SHARES).splitlines()[1:])
    total = int(box.run("awk", "/^MemTotal/ { print $2 * 1024 }", "/proc/meminfo").stdout)
    assert share == {"CPUQuota": "800%", "MemoryMax": str(total // 2), "MemorySwapMax": "0", "TasksMax": "2048"}
    assert "You can use 8 CPUs" in box.read("etc/profile.d/hpc-fair-use.sh")
    assert "--slice=user.slice true" in box.read("applied")


@pytest.mark.parametrize(("cpus", "quota"), [(1, "200%"), (2, "200%"), (3, "200%"), (4, "200%"), (7, "300%")])
def test_half_of_the_cpus_are_at_least_two(sandbox: Make, cpus: int, quota: str) -> None:
    box = sandbox("login")
    box.fake("getconf", f"echo {cpus}")
    box.fake("systemd-run", "true")
    box.step("common/fair_use.sh", "fair_use")
    assert f"CPUQuota={quota}\n" in box.read(SHARES)


def test_a_head_node_has_shares_only_where_users_log_in(sandbox: Make) -> None:
    """Login nodes that are added to a cluster take the users with them."""
    box = shares(sandbox, "head", USERS_ON="head")
    assert "hpc-fair-use" in box.read("running").split()
    box.write(
        "opt/hpc/config/common/cluster.env", box.read("opt/hpc/config/common/cluster.env") + "HPC_USERS_ON=login\n"
    )
    box.step("common/fair_use.sh", "fair_use")
    for file in (SHARES, "etc/systemd/system/hpc-fair-use.service", "etc/profile.d/hpc-fair-use.sh"):
        assert not (box.root / file).exists()
    assert shares(sandbox, "head").root.joinpath(SHARES).exists() is False


@pytest.mark.parametrize("role", ["head", "login", "compute"])
def test_sudo_knows_the_administrators(sandbox: Make, role: str) -> None:
    box = sandbox(role)
    box.step("common/administrators.sh", "administrators")
    assert box.run("visudo", "-c").returncode == 0
    assert (box.root / "etc/sudoers.d/hpc-admins").stat().st_mode & 0o777 == 0o440


def test_a_file_that_sudo_can_not_read_is_not_installed(sandbox: Make) -> None:
    box = sandbox("login", **{"common/hpc-admins.sudoers": "%hpc-admins ALL=(ALL\n"})
    assert "hpc-admins.sudoers:1:" in box.failing("common/administrators.sh", "administrators")
    assert not (box.root / "etc/sudoers.d/hpc-admins").exists()
