"""People of organizations that share a cluster which really boots: through the login node, a process of each person
tries what is not theirs. Then one organization joins, one leaves, and their jobs get nodes of their own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .cluster import Cluster, booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready
from .looking import update
from .people_scenarios import SSH, Key, with_homes

pytestmark = [pytest.mark.boot, pytest.mark.slow]

PEOPLE = {"ada": (2001, "acme"), "abe": (2002, "acme"), "bea": (2003, "birch"), "cy": (2004, "cedar")}
ORGANIZATIONS: dict[str, dict[str, Any]] = {
    "acme": {"gid": 3101, "administrators": ["ada"], "queues": ["own"]},
    "birch": {"gid": 3102},
    "cedar": {"gid": 3103},
}
DAY = "start=2026-11-02 end=2026-11-03"
"""A day on which all who have an account used an hour: usage of the current hour can't be reported yet."""

USED = """
insert into lab_assoc_usage_day_table select 0, 0, 0, id_assoc, 0, 1, unix_timestamp('2026-11-02'), 3600
  from lab_assoc_table where user != '';
insert into lab_usage_day_table (creation_time, mod_time, id_tres, time_start, count, alloc_secs)
  values (0, 0, 1, unix_timestamp('2026-11-02'), 4, 14400);
"""

SEES = f"""
said() {{ local words; words=$(tr -s '| ' '\\n\\n' | sed '/^$/d' | sort -u | paste -sd' '); echo "${{words:--}}"; }}
squeue -ho %u | said
scontrol -o show job | grep -oP 'UserId=\\K\\w+' | said
sacct -aXnPo user | said
sreport -nP cluster AccountUtilizationByUser {DAY} format=login,account | said
ps -eo user:9,args | grep -oP '^\\w+(?= +sleep 43)' | said
systemctl status user.slice 2>/dev/null | grep -o 'sleep 43..' | said
"""

FILES = """
for file in /home/organizations/{acme,birch}/result /home/{abe,bea}/own; do
  if cat $file >/dev/null 2>&1; then echo $file; fi
done
"""

ACTS = """
tried() {
  local said
  if said=$("$@" 2>&1 </dev/null); then echo done; return; fi
  grep -oEm1 'not permitted|Invalid account|Invalid user|denied by pam_slurm_adopt|denied' <<<"$said" || echo "$said"
}
tried sbatch -p own --wrap true
tried sbatch -A acme --wrap true
tried scancel $JOB
tried scontrol hold $JOB
tried scontrol update jobid=$JOB timelimit=1
tried ssh -o BatchMode=yes debug-1 true
tried touch /home/organizations/acme/by-others
"""


@dataclass
class Shared:
    """A cluster of organizations with two compute nodes: a job of abe's runs on the first, one of bea's on the
    second."""

    cluster: Cluster
    key: Key
    head: Machine
    login: Machine

    def describe(self, *organizations: str, separate: bool = False) -> None:
        """Let these organizations be in the description, and no others, and let the head node know now."""
        self.cluster.publish(files_for(self.key, *organizations, separate=separate))
        update(self.head)

    def ssh(self, user: str, script: str) -> str:
        """What a script of someone writes who came to the login node with a key."""
        return self.head.run(*SSH, f"{user}@{self.login.address}", script, check=False).strip()

    def sees(self, user: str) -> list[str]:
        return self.ssh(user, SEES).split("\n")

    def job(self, user: str, node: str, script: str = "sleep 4300") -> str:
        return self.ssh(user, f"sbatch --parsable -w {node} -o /dev/null --wrap {script!r}")

    def jobs(self) -> dict[str, str]:
        """The state of each job, by its id."""
        lines = self.head.run("squeue", "-ho", "%i %t").splitlines()
        assert all(len(line.split()) == 2 for line in lines), lines
        return dict(line.split() for line in lines)

    def unchanged(self, *jobs: str) -> str:
        """What a change of the description must leave as it is."""
        shown = [self.head.run("scontrol", "-o", "show", "job", each) for each in jobs]
        return " ".join(re.findall(r"(?:JobId|Restarts|StartTime|NodeList)=\S+", "".join(shown)))


def described(key: Key, *organizations: str, separate: bool = False) -> Any:
    users: dict[str, Any] = {
        name: {"uid": uid, "organization": its, "keys": [key.public]}
        for name, (uid, its) in PEOPLE.items()
        if its in organizations
    }
    users["olga"] = {"uid": 2009, "admin": True, "account": "operations", "keys": [key.public]}
    queue = {"machine": "c7i.xlarge", "smt": False}
    return spec(
        queues=[queue | {"name": "debug", "max": 2}, queue | {"name": "own", "max": 1}],
        slurm={
            "version": "24.11",
            "accounting": {"accounts": {"operations": {}}},
            "separate_organizations": separate,
        },
        storage={"home": {"type": "efs", "mount": "/home"}},
        organizations={name: ORGANIZATIONS[name] for name in organizations},
        people={"users": users},
    )


def files_for(key: Key, *organizations: str, separate: bool = False) -> dict[str, str]:
    return with_homes(configuration(described(key, *organizations, separate=separate)))


@pytest.fixture(scope="module")
def shared(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    with booted(layers, described(key, "acme", "birch")) as cluster:
        (cluster.lab.files / "shared").chmod(0o777)
        (cluster.lab.files / "shared/home").mkdir()
        cluster.publish(files_for(key, "acme", "birch"))
        head, login = cluster.boot_head(), cluster.boot_login()
        for machine in (head, login):
            wait_ready(machine)
        (head.root / "root/key").touch(mode=0o600)
        (head.root / "root/key").write_text(key.file.read_text())
        head.run("mariadb", "slurm_acct_db", "-e", USED)
        site = Shared(cluster, key, head, login)
        for node, (user, its) in enumerate((("abe", "acme"), ("bea", "birch")), 1):
            written = f"id >/home/organizations/{its}/result; id >own; sleep 4300"
            assert site.job(user, f"debug-{node}", written) == str(node)
        wait_for(lambda: site.jobs() == {"1": "R", "2": "R"}, "both jobs run")
        yield site


@pytest.fixture(scope="module")
def working(shared: Shared) -> None:
    """Someone of each organization is at work on the login node."""
    for user in ("abe", "bea"):
        shared.head.run("systemd-run", "-q", *SSH, f"{user}@{shared.login.address}", "sleep 4301")
        wait_for(lambda: shared.login.run("pgrep", "-U", user, "sleep", check=False), "the program runs")  # noqa: B023


@pytest.mark.usefixtures("working")
def test_people_see_their_own_and_administrators_their_organizations(shared: Shared) -> None:
    assert shared.sees("abe") == ["abe", "abe", "abe", "abe acme", "abe", "-"]
    assert shared.sees("bea") == ["bea", "bea", "bea", "bea birch", "bea", "-"]
    assert shared.sees("ada") == ["abe", "abe", "abe", "abe acme ada", "-", "-"]
    everyone = "abe acme ada bea birch olga operations root"
    assert shared.sees("olga") == ["abe bea", "abe bea", "abe bea", everyone, "-", "-"]
    assert shared.ssh("olga", "sudo ps -eo args | grep -c '^sleep 4301'") == "2"
    assert shared.ssh("olga", "sudo systemctl status user.slice").count(" sleep 4301") == 2


def test_people_see_processes_of_their_own_on_a_node_that_they_share(shared: Shared) -> None:
    other = shared.job("abe", "debug-2", "sleep 4302")
    wait_for(lambda: shared.jobs()[other] == "R", "both have a job there")
    shown = shared.ssh("bea", "ssh -o BatchMode=yes debug-2 ps -eo user:9,args").splitlines()
    assert {line.split()[0] for line in shown[1:]} <= {"bea", "root"}
    assert any("sleep 4300" in line for line in shown)
    assert shared.ssh("olga", "ssh -o BatchMode=yes debug-2 sudo ps -eo args").count("\nsleep 4302") == 1
    shared.ssh("abe", f"scancel {other}")
    wait_for(lambda: len(shared.jobs()) == 2, "the job ends")


def test_people_read_files_of_their_own_organization(shared: Shared) -> None:
    """Files that jobs have written."""
    of_acme, of_birch = (f"/home/organizations/{name}/result" for name in ("acme", "birch"))
    readable = {user: shared.ssh(user, FILES).split() for user in ("abe", "ada", "bea", "olga")}
    assert readable == {
        "abe": [of_acme, "/home/abe/own"],
        "ada": [of_acme],
        "bea": [of_birch, "/home/bea/own"],
        "olga": [],
    }
    assert shared.login.run("stat", "-c", "%U %G", of_acme).strip() == "abe acme"


def test_nobody_acts_on_another_organization(shared: Shared) -> None:
    refused = [
        "not permitted",
        "Invalid account",
        "denied",
        *["Invalid user"] * 2,
        "denied by pam_slurm_adopt",
        "denied",
    ]
    assert shared.ssh("bea", f"JOB=1\n{ACTS}").split("\n") == refused
    assert shared.ssh("ada", "scancel 2").endswith("denied")
    assert shared.ssh("bea", "ssh -o BatchMode=yes debug-2 id -un") == "bea"
    assert shared.ssh("olga", "ssh -o BatchMode=yes debug-2 id -un") == "olga"
    assert shared.jobs() == {"1": "R", "2": "R"}


def test_organizations_join_and_leave_while_jobs_run(shared: Shared) -> None:
    head = shared.head
    controller, first, second = head.run("pidof", "slurmctld"), shared.unchanged("1"), shared.unchanged("2")
    shared.describe("acme", "birch", "cedar")
    wait_for(lambda: shared.ssh("cy", "pwd") == "/home/cy", "cy logs in", 60)
    submits = "sbatch -Q --hold -o /dev/null --wrap true"
    assert shared.ssh("cy", f"squeue -ho %u; {submits}; squeue -ho '%u %a'") == "cy cedar"
    shared.ssh("cy", "scancel -u cy")
    assert (shared.unchanged("1"), shared.unchanged("2")) == (first, second)
    shared.describe("acme", "cedar")
    wait_for(lambda: shared.jobs() == {"1": "R"}, "the job of one who left ends")
    assert shared.unchanged("1") == first
    assert head.run("pidof", "slurmctld") == controller
    assert shared.login.run("stat", "-c", "%a %u %g", "/home/organizations/birch").strip() == "2770 0 3102"
    assert "former organization birch" in head.run("sacctmgr", "-n", "show", "account", "birch", "format=desc%40")
    assert "bea" in shared.ssh("olga", "sacct -aXnPo user").split()


def test_organizations_do_not_share_nodes_if_that_is_described(shared: Shared) -> None:
    """The jobs of one share them. A job that runs already has its node to itself."""
    before = shared.unchanged("1")
    shared.describe("acme", "cedar", separate=True)
    wait_for(lambda: "mcs/group" in shared.head.run("scontrol", "show", "config", check=False), "it is set", 60)
    assert shared.unchanged("1") == before
    beside_old, alone = shared.job("cy", "debug-1"), shared.job("cy", "debug-2")
    wait_for(lambda: shared.jobs()[alone] == "R", "a job has an empty node")
    of_others, together = shared.job("abe", "debug-2"), shared.job("cy", "debug-2")
    wait_for(lambda: shared.jobs()[together] == "R", "a job of the same organization runs beside it")
    assert shared.jobs() == {"1": "R", beside_old: "PD", alone: "R", of_others: "PD", together: "R"}
    shared.ssh("cy", f"scancel {alone} {together}")
    wait_for(lambda: shared.jobs().get(of_others) == "R", "the node is the next organization's")


def test_users_see_all_processes_when_the_last_organization_has_left(shared: Shared) -> None:
    shared.describe()
    shared.login.run("systemctl", "start", "hpc-update.service")
    assert "hidepid" not in shared.login.run("findmnt", "-no", "OPTIONS", "/proc")
    assert "sshd" in shared.ssh("olga", "systemctl status ssh")
