"""Users and administrators on two login nodes that really boot: sessions on both, and limits for all of them."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .cluster import Cluster, booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready
from .looking import files, journal, run_again, update

pytestmark = [pytest.mark.boot, pytest.mark.slow]

LOGIN = {"machine": "m7i.large", "max": 2, "max_sessions_per_user": 2, "per_user": {"cpus": 1, "memory": "1GiB"}}
REPORTS = "shared/.hpc-sessions-lab"

PEOPLE = r"""
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
useradd -m -u 13001 -s /bin/bash -p '*' bob
useradd -m -u 13002 -s /bin/bash -p '*' carol
echo 'hpc-admins:x:1999:carol' >>/etc/group
for name in alice bob carol; do
  install -d -o $name /home/$name/.ssh
  install -o $name -m 600 /root/.ssh/id_ed25519.pub /home/$name/.ssh/authorized_keys
done
"""

AGENT = """
import os, pty, pwd, sys, time
def start(name, terminal, seconds):
    pid = pty.fork()[0] if terminal else os.fork()
    if pid == 0:
        if not terminal:
            os.setsid()
        user = pwd.getpwnam(name)
        os.setgroups([]); os.setgid(user.pw_gid); os.setuid(user.pw_uid)
        os.execv("/bin/sh", ["sh", "-c", f"sleep {seconds}; true"])
start("bob", True, 601)
start("bob", False, 602)
time.sleep(1000)
"""
"""Opens a shell for a user without PAM, as agents of clouds do, and runs a program as cron does."""


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...]) -> Iterator[Cluster]:
    with booted(layers, spec(login_nodes=LOGIN)) as cluster:
        cluster.publish(configuration(cluster.described))
        (cluster.lab.files / "shared").chmod(0o1777)
        yield cluster


@pytest.fixture(scope="module")
def logins(cluster: Cluster) -> tuple[Machine, Machine]:
    cluster.boot_head()
    both = cluster.boot_login(1), cluster.boot_login(2)
    for login in both:
        wait_ready(login)
        login.run("sh", "-ec", PEOPLE)
    return both


Login = subprocess.Popen[str]


@pytest.fixture
def log_in() -> Iterator[Callable[[Machine, str], Login]]:
    """Opens sessions that last as long as the test; `communicate` gives what one shows until it ends."""
    opened: list[tuple[Machine, Login]] = []

    def open_one(machine: Machine, user: str) -> Login:
        ssh = ("ssh", "-tt", "-o", "StrictHostKeyChecking=no", f"{user}@127.0.0.1", "sleep 600")
        enter = ("nsenter", "-t", str(machine.init), "-a", "-r", "-w", "env", "-i", "HOME=/root", *ssh)
        login = subprocess.Popen(
            enter, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        opened.append((machine, login))
        return login

    yield open_one
    for machine in {id(machine): machine for machine, _ in opened if machine.alive}.values():
        machine.run("pkill", "-x", "ssh", check=False)
        wait_for(lambda machine=machine: not machine.run("pgrep", "-fx", "sleep 600", check=False), "all have ended")
    for _, login in opened:
        login.communicate(timeout=60)


def count(machine: Machine, user: str) -> int:
    """How many sessions of a user run what they came for."""
    return len(machine.run("pgrep", "-u", user, "-fx", "sleep 600", check=False).split())


def wait_looks(machine: Machine) -> None:
    """The machine's service has looked at all sessions that there are now, and ended those above the maximum."""
    kept = machine.seen("/run/hpc/sessions.json")
    for _ in range(2):
        before = kept.read_text()
        wait_for(lambda before=before: kept.read_text() != before, "it looks again", 60)


def wait_known(machine: Machine, uid: int, number: int) -> None:
    """The machine knows of so many sessions of a user on the other node."""
    kept = machine.seen("/run/hpc/sessions.json")

    def known() -> bool:
        return kept.exists() and sum(line[3] == uid for line in json.loads(kept.read_text())["sessions"]) == number

    wait_for(known, "it knows", 60)


def test_a_user_can_not_have_more_sessions_on_both_nodes_together(
    logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    for machine in logins:
        log_in(machine, "alice")
        wait_for(lambda machine=machine: count(machine, "alice") == 1, "a session")
    for machine in logins:
        wait_known(machine, 12000, 1)
        told = log_in(machine, "alice").communicate(timeout=60)[0]
        assert "Each user can have 2 sessions on all login nodes together, and you have:" in told
        for login in logins:
            assert f"on {login.run('hostname').strip()} since" in told
    assert [count(machine, "alice") for machine in logins] == [1, 1]
    log_in(logins[1], "bob")
    wait_for(lambda: count(logins[1], "bob") == 1, "another user is not concerned")


def test_administrators_have_no_maximum(
    logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    first, _ = logins
    for number in range(1, 4):
        log_in(first, "carol")
        wait_for(lambda number=number: count(first, "carol") == number, f"session {number}")
    wait_looks(first)
    assert count(first, "carol") == 3


def test_logins_at_the_same_time_leave_the_oldest_sessions(
    logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    """They know nothing of each other when they are admitted."""
    first, _ = logins
    oldest = log_in(first, "alice")
    wait_for(lambda: count(first, "alice") == 1, "a session")
    both = [log_in(machine, "alice") for machine in logins]
    wait_for(lambda: [each.poll() is None for each in both].count(True) == 1, "one of them ends")
    for machine in logins:
        wait_looks(machine)
    assert oldest.poll() is None
    assert [each.poll() is None for each in both].count(True) == 1
    told = next(each for each in both if each.poll() is not None).communicate(timeout=60)[0]
    assert "each user can have 2" in told.lower()
    assert sum(count(machine, "alice") for machine in logins) == 2


def test_a_node_without_the_shared_directory_admits_by_its_own_count(
    logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    first, second = logins
    wait_known(first, 12000, 0)  # not the sessions of the test before
    for number in (1, 2):
        log_in(first, "alice")
        wait_for(lambda number=number: count(first, "alice") == number, "a session")
    wait_known(second, 12000, 2)
    second.run("umount", "--lazy", "/shared")
    wait_known(second, 12000, 0)
    newest = log_in(second, "alice")
    wait_for(lambda: count(second, "alice") == 1, "it is admitted")
    wait_for(lambda: "/shared is not mounted" in journal(second, "--unit=hpc-fair-use"), "it says why")
    second.run("mount", "/shared")
    told = newest.communicate(timeout=60)[0]
    assert "This session ends: each user can have 2 on all login nodes together, and you have session" in told
    assert count(first, "alice") == 2


def test_programs_that_a_service_starts_for_a_user_are_under_the_users_limits(
    logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    """A session that an agent opens without PAM counts as others do."""
    first, _ = logins
    (first.root / "root/agent.py").write_text(AGENT)
    first.run("systemd-run", "--unit=agent", "/usr/bin/python3", "/root/agent.py")

    def cgroup(seconds: int) -> str:
        pid = first.run("pgrep", "-u", "bob", "-fx", f"sleep {seconds}", check=False).strip()
        return first.run("grep", "-o", "/user.slice/.*", f"/proc/{pid}/cgroup", check=False) if pid else ""

    ours = "/user.slice/user-13001.slice/hpc-session-"
    wait_for(lambda: all(cgroup(seconds).startswith(ours) for seconds in (601, 602)), "they are moved")
    log_in(first, "bob")
    wait_for(lambda: count(first, "bob") == 1, "the program without a terminal does not count")
    told = log_in(first, "bob").communicate(timeout=60)[0]
    assert "Each user can have 2 sessions" in told
    assert "session hpc-session-" not in told.replace("session hpc-session-", "", 1), "one session of the agent"
    first.run("systemctl", "stop", "agent")


def test_limits_are_those_of_the_description(
    logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    first, _ = logins
    log_in(first, "alice")
    wait_for(lambda: count(first, "alice") == 1, "a session")

    def shown(slice_: str) -> dict[str, str]:
        keys = ("CPUQuotaPerSecUSec", "MemoryMax", "MemorySwapMax", "TasksMax", "CPUWeight")
        text = first.run("systemctl", "show", slice_, *(f"--property={key}" for key in keys))
        return dict(line.split("=", 1) for line in text.splitlines())

    alice, root, together = map(shown, ("user-12000.slice", "user-0.slice", "user.slice"))
    assert (alice["CPUQuotaPerSecUSec"], alice["MemorySwapMax"]) == ("1s", "0")
    assert (alice["MemoryMax"], alice["TasksMax"]) == (str(2**30), "2048")
    assert (root["MemoryMax"], root["TasksMax"]) == ("infinity", "infinity")
    assert (together["CPUWeight"], together["MemoryMax"] == "infinity") == ("50", False)


def test_users_are_told_at_login_what_they_can_use(logins: tuple[Machine, Machine]) -> None:
    login, _ = logins
    welcome = (
        "You can use 1 CPUs, 1 GiB of memory and 2048 processes on this node, and 2 sessions on all login nodes.\n"
        "Longer or larger work belongs in a job: sbatch SCRIPT, or salloc for an interactive one.\n"
    )
    assert welcome in login.run("bash", "-lic", "true", user="bob")
    assert login.run("bash", "-lc", "true", user="bob") == ""


def test_administrators_use_sudo_without_a_password_and_others_do_not(logins: tuple[Machine, Machine]) -> None:
    login, _ = logins
    assert login.run("sudo", "-n", "id", "-un", user="carol") == "root\n"
    assert "password is required" in login.run("sudo", "-n", "id", "-un", user="bob", check=False)
    recorded = re.compile(r"^ *carol : .*COMMAND=/usr/bin/id -un$", re.M)
    wait_for(lambda: recorded.search(journal(login, "--identifier=sudo")), "it is recorded")


def test_the_reports_are_for_no_user(cluster: Cluster, logins: tuple[Machine, Machine]) -> None:
    login, _ = logins
    assert login.run("ls", "/shared/.hpc-sessions-lab", user="alice", check=False).endswith("Permission denied\n")
    assert login.run("stat", "-c", "%U %a", "/shared/.hpc-sessions-lab").strip() == "slurm 700"


def test_a_second_run_of_the_steps_changes_nothing(cluster: Cluster, logins: tuple[Machine, Machine]) -> None:
    login, _ = logins
    before = files(login)
    said = run_again(cluster, login, "login")
    assert "hpc-boot: ready after" in said
    assert not [line for line in said.splitlines() if line.startswith(("wrote ", "started "))], said
    assert files(login) == before


def test_sessions_of_a_node_that_is_gone_are_forgotten(
    cluster: Cluster, logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    first, second = logins
    for number in (1, 2):
        log_in(first, "alice")
        wait_for(lambda number=number: count(first, "alice") == number, "a session")
    wait_known(second, 12000, 2)
    name = first.run("hostname").strip()
    first.kill()
    report = cluster.lab.files / REPORTS / f"{name}.json"
    older = json.loads(report.read_text())
    assert time.time() - older["written"] < 60
    report.write_text(json.dumps(older | {"written": older["written"] - 50}))  # not to wait for the whole minute
    assert "Each user can have 2 sessions" in log_in(second, "alice").communicate(timeout=60)[0]
    wait_known(second, 12000, 0)
    log_in(second, "alice")
    wait_for(lambda: count(second, "alice") == 1, "it is admitted")


def test_without_a_maximum_nothing_of_it_is_left(
    cluster: Cluster, logins: tuple[Machine, Machine], log_in: Callable[[Machine, str], Login]
) -> None:
    _, login = logins
    unlimited = {key: value for key, value in LOGIN.items() if key != "max_sessions_per_user"}
    cluster.publish(configuration(spec(login_nodes=unlimited)))
    update(login)
    assert "hpc" not in login.run("cat", "/etc/pam.d/sshd")
    for file in ("/etc/hpc/sessions.json", "/etc/ssh/sshd_config.d/50-hpc-sessions.conf", "/opt/hpc/bin/hpc-admit"):
        assert not login.seen(file).exists()
    for number in range(1, 4):
        log_in(login, "alice")
        wait_for(lambda number=number: count(login, "alice") == number, f"session {number}")
