"""Prometheus on a head node that boots: what it scrapes, who reaches it, and an alert."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from .cluster import Cluster, booted, spec
from .lab import Machine, wait_for
from .lab_cluster import configuration, wait_ready
from .looking import files, run_again

pytestmark = [pytest.mark.boot, pytest.mark.slow]

MONITORING = {"retention": "2d", "alerts": {"mail": ["hpc-admins@example.org"], "smtp": "10.90.0.9:587"}}
HEAD_JOBS = {"alertmanager", "elastic", "head", "prometheus", "slurm"}


@pytest.fixture(scope="module")
def cluster(layers: tuple[Path, ...]) -> Iterator[Cluster]:
    with booted(layers, spec(monitoring=MONITORING)) as cluster:
        cluster.publish(configuration(cluster.described))
        (cluster.lab.files / "shared").chmod(0o777)
        yield cluster


@pytest.fixture(scope="module")
def head(cluster: Cluster) -> Machine:
    machine = cluster.boot_head()
    wait_ready(machine)
    return machine


@pytest.fixture(scope="module")
def node(cluster: Cluster, head: Machine) -> Machine:
    """A node on which a job runs, scraped by Prometheus."""
    head.run("sbatch", "-D", "/tmp", "-o", "/dev/null", "--wrap", "sleep 3600", user="alice")
    wait_for(lambda: "debug-1" in up(head), "Prometheus scrapes the job's node")
    (machine,) = cluster.nodes.values()
    return machine


def ask(head: Machine, path: str) -> Any:
    return json.loads(head.run("curl", "-sS", "-m", "20", f"http://127.0.0.1:9090/api/v1/{path}"))["data"]


def query(head: Machine, expression: str) -> list[Mapping[str, Any]]:
    return ask(head, f"query?query={quote(expression)}")["result"]


def up(head: Machine) -> set[str]:
    """Names of nodes, and jobs on the head node, that answered the last scrape."""
    found = (one["metric"] for one in query(head, "up == 1"))
    return {one["job"] if one["instance"] == "head" else one["instance"] for one in found}


def refused(machine: Machine, address: str, user: str) -> bool:
    said = machine.run("curl", "-sS", "-m", "5", f"http://{address}/metrics", user=user, check=False)
    return said.startswith(("curl: (7)", "curl: (28)"))


def test_the_head_node_is_scraped(head: Machine) -> None:
    wait_for(lambda: up(head) == HEAD_JOBS, "all jobs on the head node are scraped")
    units = {one["metric"]["name"] for one in query(head, 'node_systemd_unit_state{state="active"} == 1')}
    # chrony does not run in a container: its unit has a condition
    running = ("hpc-elastic", "hpc-name-server", "hpc-names", "mariadb", "munge", "slurmctld", "slurmdbd")
    assert units == {f"{name}.service" for name in running}


def test_rules_and_recipients_are_loaded(head: Machine) -> None:
    groups = ask(head, "rules")["groups"]
    assert {rule["health"] for group in groups for rule in group["rules"]} <= {"ok", "unknown"}
    assert "SlurmctldSilent" in {rule["name"] for group in groups for rule in group["rules"]}
    assert ask(head, "alertmanagers")["activeAlertmanagers"] == [{"url": "http://127.0.0.1:9093/api/v2/alerts"}]
    assert head.run("stat", "-c", "%a %G", "/etc/hpc/alertmanager/alertmanager.yml").split() == ["640", "prometheus"]


def test_users_of_the_head_node_reach_no_metrics(head: Machine) -> None:
    ports = (9090, 9093, 9100, 9818)
    assert [refused(head, f"127.0.0.1:{port}", "alice") for port in ports] == [True] * len(ports)
    assert [refused(head, f"127.0.0.1:{port}", "root") for port in ports] == [False] * len(ports)


def test_a_node_is_scraped_while_it_is_up(cluster: Cluster, head: Machine, node: Machine) -> None:
    (cpus,) = query(head, "hpc_cpus{instance='debug-1'}")
    assert cpus["metric"].items() >= {"queue": "debug", "machine": "c7i.xlarge", "purchase": "on_demand"}.items()
    wait_for(lambda: query(head, "node_memory_MemTotal_bytes{instance='debug-1'}"), "the node's memory is known")
    assert query(head, "sum(scrape_samples_post_metric_relabeling{job='nodes'}) < 200")


def test_users_of_a_node_reach_no_metrics(head: Machine, node: Machine) -> None:
    address = head.run("getent", "hosts", "debug-1").split()[0]
    assert refused(node, f"{address}:9100", "alice")
    assert refused(node, "127.0.0.1:9100", "alice")


def test_a_node_that_is_off_is_forgotten(head: Machine, node: Machine) -> None:
    head.run("scancel", "-u", "alice")
    head.run("scontrol", "update", "nodename=debug-1", "state=power_down_force", "reason=test")
    wait_for(lambda: up(head) == HEAD_JOBS, "the node is no longer scraped")
    wait_for(lambda: not query(head, "up{job='nodes'}"), "the node has no series")
    firing = {one["metric"]["alertname"] for one in query(head, "ALERTS{alertstate='firing'}")}
    assert firing <= {"ServiceDown", "ClockNotSynchronized"}, "chrony does not run in a container"


def test_steps_change_nothing_when_they_run_again(cluster: Cluster, head: Machine) -> None:
    units = ("prometheus", "prometheus-alertmanager", "prometheus-node-exporter", "hpc-metrics-fence")
    before = files(head), head.run("systemctl", "show", "-P", "InvocationID", *units)
    said = run_again(cluster, head, "head")
    assert said.rstrip().splitlines()[-1].startswith("hpc-boot: ready"), said
    assert (files(head), head.run("systemctl", "show", "-P", "InvocationID", *units)) == before
