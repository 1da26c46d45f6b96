"""The head node's Prometheus in a rehearsal: it follows many nodes as they come and go, by the cluster's own files.

Each host has a real slurmd and a real node_exporter; Prometheus, with its configuration and rules as they are
generated, runs on the head node. Functions with `channel` run inside the sandbox.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hpc_components.boot.archive import node_archive
from hpc_components.elastic.model import Instance
from hpc_components.elastic.report.targets import PORT
from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.daemons import wait_until
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.cluster.setup import Setup, prepare
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.hosts.host import Host
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.hosts.sandbox_init import Channel
from hpc_components.watch.files import watch_files
from hpc_components.watch.node.command import FILE
from hpc_components.watch.prometheus import CONFIGURATION, DATA, TARGETS
from tests.rehearse.performing import ROOTS, lacks
from tests.rehearse.setups import changed

from .programs import PROGRAMS

RELEASE = "22.05"
SPOT_NODES, ON_DEMAND_NODES = 48, 16
NODES = SPOT_NODES + ON_DEMAND_NODES
QUEUES = [
    {"name": "debug", "machine": "c7i.large", "max": SPOT_NODES, "purchase": "spot"},
    {"name": "big", "machine": "m7i.xlarge", "max": ON_DEMAND_NODES},
]
LONG_SECONDS = 600
"""Time for all nodes to boot, and then for Prometheus to scrape them, on a busy machine with two cores."""
QUERY_URL = "http://127.0.0.1:9090/api/v1/query"
METRICS = "/opt/hpc/bin/hpc-metrics"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.timeout(3 * LONG_SECONDS),
    pytest.mark.skipif(
        any(shutil.which(program) is None for program in PROGRAMS),
        reason="needs prometheus and prometheus-node-exporter (Debian packages)",
    ),
]


@dataclass(frozen=True)
class Scraped:
    """What Prometheus knew. Each item is the labels of a series."""

    up: list[dict[str, str]]
    """Nodes that answered, while all were up."""
    answering: dict[str, str]
    """Names that the nodes' own kernels have, by the nodes' labels."""
    cpus: dict[str, float]
    """CPUs by queue, from hpc-metrics."""
    alerts: list[dict[str, str]]
    """Alerts that were pending or firing at any time."""


class MonitoredCluster(LocalCluster):
    """A cluster whose hosts run node_exporter, and whose head node runs Prometheus."""

    def open(self) -> None:
        super().open()
        self.watched = watch_files(self.setup.cluster)
        self.site.install(METRICS, node_archive("watch"), mode=0o755)

    def start_head(self) -> None:
        super().start_head()
        self._measure(self.head, "127.0.0.1", "head/watch/node_exporter.options")
        self.head.run("install", "-d", "-o", "slurm", "-g", "slurm", TARGETS)  # step `targets`
        self.head.run("install", "-d", DATA)
        for path in ("prometheus.yml", "rules/alerts.yml", "rules/recording.yml"):
            self.head.write(f"{CONFIGURATION}/{path}", self.watched[f"head/watch/{path}"])
        self._start(self.head, "prometheus", *self.watched["head/watch/prometheus.options"].split())

    def _start_services(self, machine: Instance, host: Host) -> None:
        self._measure(host, str(host.address), "common/node_exporter.options")
        super()._start_services(machine, host)

    def _measure(self, host: Host, address: str, options: str) -> None:
        host.run("mkdir", "-p", str(FILE.parent))
        host.run(METRICS)
        listen = f"--web.listen-address={address}:{PORT}"
        self._start(host, "prometheus-node-exporter", *self.watched[options].split(), listen)

    def _start(self, host: Host, program: str, *options: str) -> None:
        with open(self.logs / f"{host.name}-{program}.log", "ab") as log:
            host.start(program, *options, output=log)

    def query(self, expression: str) -> list[dict[str, Any]]:
        said = self.head.run("curl", "-sS", "-G", "--data-urlencode", f"query={expression}", QUERY_URL, check=False)
        return json.loads(said)["data"]["result"] if said.startswith("{") else []  # it has just started

    def series(self, expression: str) -> list[dict[str, str]]:
        """Return the labels of the series of an expression."""
        return [one["metric"] for one in self.query(expression)]


def _day(channel: Channel, setup: Setup) -> Scraped:
    cluster = MonitoredCluster(setup, EventLog(lambda event: None), channel.cgroup)
    cluster.open()
    cluster.start_head()
    for queue in setup.cluster.queues:
        cluster.head.run("scontrol", "update", f"nodename={queue.name}-[1-{queue.max}]", "state=power_up")
    wait_until("all nodes are up", lambda: len(cluster.series("up{job='nodes'} == 1")) == NODES, LONG_SECONDS)
    up = cluster.series("up{job='nodes'} == 1")
    answering = {one["instance"]: one["nodename"] for one in cluster.series("node_uname_info{job='nodes'}")}
    sums = cluster.query("sum by (queue) (hpc_cpus{job='nodes'})")
    cpus = {one["metric"]["queue"]: float(one["value"][1]) for one in sums}
    for queue in setup.cluster.queues:
        cluster.head.run("scontrol", "update", f"nodename={queue.name}-[1-{queue.max}]", "state=power_down")
    wait_until("no machine runs", lambda: not cluster.cloud.alive(), LONG_SECONDS)
    wait_until("Prometheus has no series of nodes", lambda: not cluster.series("{job='nodes'}"), LONG_SECONDS)
    return Scraped(up, answering, cpus, cluster.series("count_over_time(ALERTS[1h])"))


@pytest.fixture(scope="module")
def scraped() -> Iterator[Scraped]:
    if lacking := lacks(RELEASE):
        pytest.skip(lacking)
    cluster = changed("aws-dev", queues=QUEUES, monitoring={})
    # no node is idle for too long: the scene powers them down
    setup = prepare(cluster, root=ROOTS[RELEASE], times=Times(idle=3 * LONG_SECONDS, boot=LONG_SECONDS))
    with Sandbox(_day, setup) as sandbox:
        yield sandbox.result()


def test_all_nodes_are_up_with_the_labels_of_their_machines(scraped: Scraped) -> None:
    expected = {
        f"{queue['name']}-{number}": {
            "__name__": "up", "job": "nodes", "instance": f"{queue['name']}-{number}", "queue": queue["name"],
            "machine": queue["machine"], "zone": "use2-az2", "purchase": queue.get("purchase", "on_demand"),
        }
        for queue in QUEUES
        for number in range(1, queue["max"] + 1)
    }  # fmt: skip
    assert len(expected) == NODES
    assert {one["instance"]: one for one in scraped.up} == expected


def test_each_node_answers_under_its_own_name(scraped: Scraped) -> None:
    assert len(scraped.answering) == NODES
    assert all(label == name for label, name in scraped.answering.items())


def test_metrics_of_all_nodes_of_a_queue_add_up(scraped: Scraped) -> None:
    assert scraped.cpus["debug"] * ON_DEMAND_NODES == scraped.cpus["big"] * SPOT_NODES > 0


def test_nodes_that_are_off_raise_no_alert(scraped: Scraped) -> None:
    unexpected = [one for one in scraped.alerts if one["alertname"] != "ClockNotSynchronized"]  # this machine's own
    assert [one for one in unexpected if one["alertstate"] == "firing" or one.get("job") == "nodes"] == []
