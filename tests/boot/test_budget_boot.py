"""A budget on nodes that really boot, with systemd: a person sees it on the login node, and it survives changes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec

from .cluster import Cluster, booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, services, wait_ready
from .looking import journal, run_again, state, update

pytestmark = [pytest.mark.boot, pytest.mark.slow]


def described(usd: float, at_limit: str = "finish") -> AwsClusterSpec:
    accounts = {"lab": {"users": ["alice"], "budget": {"monthly": usd}}, "grant": {"budget": {"total": 1000}}}
    queue = {"name": "debug", "machine": "c7i.xlarge", "max": 4, "smt": False, "slurm": {"DefaultTime": "60"}}
    return spec(
        queues=[queue],
        slurm={
            "version": "24.11",
            "accounting": {"accounts": accounts, "at_limit": at_limit, "cost_estimates": True},
        },
    )


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...]) -> Iterator[Cluster]:
    with booted(layers, described(100)) as cluster:
        cluster.publish(configuration(cluster.described))
        (cluster.lab.files / "shared").chmod(0o777)
        yield cluster


@pytest.fixture(scope="module")
def head(cluster: Cluster) -> Machine:
    machine = cluster.boot_head()
    wait_ready(machine)
    return machine


@pytest.fixture(scope="module")
def login(cluster: Cluster, head: Machine) -> Machine:
    machine = cluster.boot_login(1)
    wait_ready(machine)
    return machine


def limit(head: Machine) -> str:
    return head.run("sacctmgr", "-nP", "show", "assoc", "where", "account=lab", "user=", "format=grptresmins").strip()


def test_a_person_sees_the_budget_of_the_account_alone(head: Machine, login: Machine) -> None:
    for machine in (head, login):
        seen = json.loads(machine.run("hpc-bill", "budgets", "--format", "json", user="alice"))["budgets"]
        assert [(one["name"], one["limit_usd"]) for one in seen] == [("lab", "100")]
        assert "account lab" in machine.run("hpc-bill", "budgets", user="alice")
        assert "Permission denied" in machine.run("cat", "/etc/hpc/budgets.json", user="alice", check=False)


def test_the_reason_of_a_waiting_job_is_shown(login: Machine) -> None:
    submitted = login.run("sbatch", "--parsable", "-D", "/tmp", "-t", "365-0", "--wrap", "true", user="alice")
    job = submitted.split()[-1]  # after the cost
    waits = ("squeue", "-h", "-j", job, "-o", "%r")
    wait_for(lambda: login.run(*waits).strip() == "AssocGrpBillingMinutes", "the job waits for money")
    assert "the job costs more than the whole budget of 100.00 USD" in login.run("hpc-bill", "why", job, user="alice")
    login.run("scancel", job)


def test_limits_are_settled_whenever_slurmctld_starts(head: Machine) -> None:
    assert state(head, "hpc-settle.timer") == "active"
    before = head.run("cat", "/var/lib/hpc/budgets.settled")
    head.run("sacctmgr", "-iQ", "modify", "account", "where", "name=lab", "set", "grptresmins=billing=7")
    head.run("systemctl", "kill", "--signal=KILL", "slurmctld")
    wait_for(lambda: limit(head) == "billing=100000000", "the limit is settled", 120)
    wait_for(lambda: head.run("cat", "/var/lib/hpc/budgets.settled") != before, "that is noted")
    assert "1 of 2 limits changed" in journal(head, "-u", "hpc-settle")


def test_costs_of_ended_jobs_are_written_by_a_timer(head: Machine) -> None:
    assert state(head, "hpc-job-costs.timer") == "active"
    head.run("systemctl", "start", "hpc-job-costs")
    assert head.run("cat", "/var/lib/hpc/costs.written").isdigit()


def test_a_raised_budget_restarts_nothing(cluster: Cluster, head: Machine) -> None:
    wait_for(lambda: state(head, "slurmctld") == "active", "slurmctld runs again")
    before = services(head)
    cluster.publish(configuration(described(250)))
    update(head)
    assert limit(head) == "billing=250000000"
    assert services(head) == before


@pytest.mark.parametrize("role", ["head", "login"])
def test_run_again_it_writes_nothing(cluster: Cluster, head: Machine, login: Machine, role: str) -> None:
    update(login)
    said = run_again(cluster, {"head": head, "login": login}[role], role)
    assert not [line for line in said.splitlines() if line.startswith(("wrote", "started"))]


def test_the_service_that_ends_jobs_runs_again_when_it_is_killed(cluster: Cluster, head: Machine) -> None:
    assert state(head, "hpc-end-jobs") == "inactive"
    cluster.publish(configuration(described(250, "end")))
    update(head)
    process = ("systemctl", "show", "--value", "-p", "MainPID", "hpc-end-jobs")
    before = head.run(*process)
    head.run("systemctl", "kill", "--signal=KILL", "hpc-end-jobs")
    wait_for(lambda: head.run(*process) not in (before, "0\n"), "it runs again")
    assert state(head, "hpc-end-jobs") == "active"


def test_the_last_budget_leaves_nothing(cluster: Cluster, head: Machine) -> None:
    none = spec(queues=[described(1).queues[0].model_dump(exclude_defaults=True)])
    cluster.publish(configuration(none))
    update(head)
    assert state(head, "hpc-settle.timer") == state(head, "hpc-end-jobs") == "inactive"
    assert "No such file" in head.run("ls", "/opt/hpc/bin/hpc-bill", check=False)
