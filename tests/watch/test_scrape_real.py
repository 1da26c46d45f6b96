"""A real Prometheus that follows the nodes as the daemon names them, and scrapes a real node_exporter."""

import json
import shutil
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from hpc_components.catalog.prometheus import series_per_node
from hpc_components.elastic.model import LoginNode, Node
from hpc_components.elastic.report.events import CycleReport
from hpc_components.elastic.report.metrics import LOGIN_TARGETS, Exporter
from hpc_components.elastic.report.targets import PORT, Targets, login_targets
from hpc_components.watch.files import watch_files
from hpc_components.watch.node.command import main as write_metrics
from tests.boot.cluster import spec

from .programs import PROGRAMS, free_port, started
from .waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(shutil.which(program) is None for program in PROGRAMS),
        reason="needs prometheus and prometheus-node-exporter (Debian packages)",
    ),
]

NODES = tuple(f"debug-{number}" for number in range(1, 4))


class Scraper:
    """Prometheus with the cluster's configuration for nodes, asked every second."""

    def __init__(self, folder: Path, exporter: int) -> None:
        self.port = free_port()
        self.exporter = exporter
        self._file = folder / "targets" / "nodes.json"
        self._file.parent.mkdir()
        self._targets = Targets(folder / "daemon" / "nodes.json")
        (folder / "daemon").mkdir()
        self.login_nodes: list[LoginNode] | None = []
        """What the cloud lists; None while it does not answer."""

    def login_targets(self) -> str:
        """Answer Prometheus as the daemon does. All login nodes are this machine's node_exporter."""
        if self.login_nodes is None:
            raise OSError("the cloud does not answer")
        return login_targets(self.login_nodes).replace(f":{PORT}", f":{self.exporter}")

    def name(self, *nodes: str) -> None:
        """Let these nodes be up, as a cycle of the daemon sees them. All are this machine's node_exporter."""
        seen = (Node(name=name, states=frozenset({"CLOUD", "IDLE"}), address="127.0.0.1") for name in nodes)
        self._targets.follow(CycleReport(time=1.0, pause=5.0, nodes=tuple(seen)))
        written = (self._file.parents[1] / "daemon" / "nodes.json").read_text()
        new = self._file.with_name(".new")
        new.write_text(written.replace(f":{PORT}", f":{self.exporter}"))
        new.rename(self._file)

    def query(self, expression: str) -> list[dict[str, Any]]:
        url = f"http://127.0.0.1:{self.port}/api/v1/query?query={urllib.parse.quote(expression)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:  # it has just started
            return []

    def failed_lists(self) -> float:
        """Return what Prometheus counts in its own metrics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[1]) for line in lines if line.startswith("prometheus_sd_http_failures_total"))

    def up(self) -> set[str]:
        return {one["metric"]["instance"] for one in self.query("up == 1")}


@pytest.fixture(scope="module")
def scraper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraper]:
    folder = tmp_path_factory.mktemp("scraped")
    made = Scraper(folder, free_port())
    made.name()
    files = watch_files(spec(monitoring={}))
    document = yaml.safe_load(files["head/watch/prometheus.yml"])
    nodes = next(one for one in document["scrape_configs"] if one["job_name"] == "nodes")
    nodes |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
    nodes["file_sd_configs"] = [{"files": [str(folder / "targets" / "nodes.json")], "refresh_interval": "1s"}]
    login = next(one for one in document["scrape_configs"] if one["job_name"] == "login")
    login |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
    assert login["http_sd_configs"][0]["url"].endswith(LOGIN_TARGETS)
    daemon = Exporter("127.0.0.1:0", {LOGIN_TARGETS: made.login_targets})
    login["http_sd_configs"] = [{"url": f"http://127.0.0.1:{daemon.port}{LOGIN_TARGETS}", "refresh_interval": "1s"}]
    document |= {"scrape_configs": [nodes, login], "rule_files": []}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
    (folder / "textfile").mkdir()
    write_metrics([str(folder / "textfile" / "hpc.prom")])
    exporter = [
        "prometheus-node-exporter", *files["common/node_exporter.options"].split(),
        f"--web.listen-address=127.0.0.1:{made.exporter}", f"--collector.textfile.directory={folder / 'textfile'}",
    ]  # fmt: skip
    prometheus = [
        "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{made.port}",
    ]  # fmt: skip
    with (
        closing(daemon),
        started(exporter, folder / "exporter.log"),
        started(prometheus, folder / "prometheus.log"),
    ):
        yield made


def test_nodes_are_scraped_while_they_are_up(scraper: Scraper) -> None:
    scraper.name(*NODES)
    wait_for(lambda: scraper.up() == set(NODES), "all nodes are scraped")
    scraper.name("debug-2")
    wait_for(lambda: {one["metric"]["instance"] for one in scraper.query("up")} == {"debug-2"}, "two nodes are gone")


def test_a_node_has_no_more_series_than_the_estimate_says(scraper: Scraper) -> None:
    scraper.name("debug-1")
    wait_for(lambda: scraper.up() == {"debug-1"}, "the node is scraped")
    (kept,) = scraper.query("scrape_samples_post_metric_relabeling")
    devices = scraper.query("count(count by (device) (node_disk_io_time_seconds_total))")
    of_disks = 3 * int(devices[0]["value"][1]) if devices else 0
    assert 40 < int(kept["value"][1]) - of_disks < series_per_node()


def test_metrics_of_the_node_itself_are_there(scraper: Scraper) -> None:
    scraper.name("debug-1")
    for name in ("node_memory_MemAvailable_bytes", "node_load1", "hpc_cpus", 'hpc_cpu_seconds_total{mode="idle"}'):
        wait_for(lambda name=name: scraper.query(name), f"{name} is scraped")
    assert not scraper.query("node_cpu_seconds_total")
    assert not scraper.query("go_goroutines{job='nodes'}")


def test_login_nodes_are_scraped_while_the_cloud_lists_them(scraper: Scraper) -> None:
    def listed() -> set[str]:
        return {one["metric"]["instance"] for one in scraper.query("up{job='login'} == 1")}

    first, second = (LoginNode(address=f"127.0.0.{end}", machine="m6i.large", zone="use2-az2") for end in (1, 2))
    scraper.login_nodes = [first, second]
    wait_for(lambda: scraper.query("up{instance='login-127-0-0-2'}"), "both are scraped")
    scraper.login_nodes = None
    wait_for(lambda: scraper.failed_lists() > 1, "the list has failed twice")
    assert {one["metric"]["instance"] for one in scraper.query("up{job='login'}")} == {first.name, second.name}
    scraper.login_nodes = [first]
    wait_for(lambda: listed() == {first.name}, "the other one is gone")
    (up,) = scraper.query("up{job='login'} == 1")
    assert up["metric"].items() >= {"role": "login", "machine": "m6i.large", "zone": "use2-az2"}.items()
    scraper.login_nodes = []
    wait_for(lambda: not scraper.query("up{job='login'}"), "no login node is left")
