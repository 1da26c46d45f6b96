"""A real Prometheus with the generated configuration sends metrics to a receiver of this test."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from clouds.descriptions import cluster_of
from serving import HttpServer, serving

from hpc_components.aws import boot
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.monitoring import TOKEN_FILE
from hpc_components.watch.prometheus import prometheus_yml
from hpc_components.watch.remote_write import URL
from tests.boot.cluster import spec

from .programs import PROGRAMS, free_port, started
from .waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(shutil.which(program) is None for program in PROGRAMS), reason="needs prometheus (Debian package)"
    ),
]

AZURE = {
    "cloud": "azure", "name": "lab", "region": "eastus", "zone": "eastus-1", "os": "ubuntu-24.04",
    "network": {"cidr": "10.20.0.0/16"}, "head_node": {"machine": "Standard_D4s_v5"},
    "queues": [{"name": "cpu", "machine": "Standard_D16s_v5", "max": 4}],
}  # fmt: skip
SIGNER = "http://127.0.0.1:9819"
PATH = "/workspaces/ws-1/api/v1/remote_write"
EXPOSED = {
    "/elastic": "hpc_elastic_healthy 1\ngo_goroutines 9\n",
    "/head": "node_load1 0.5\n",
    "/nodes": "node_load1 0.5\nhpc_cpus 4\n",
}


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Service:
    """What reaches the receiver, and the status with which it responds."""

    status: int = 200
    received: list[Received] = field(default_factory=list)

    def series(self) -> str:
        return "".join(_uncompressed(each.body).decode(errors="replace") for each in self.received)


def _uncompressed(block: bytes) -> bytes:
    """Decode Snappy's block format. Source: google/snappy, format_description.txt."""
    at, out = 0, bytearray()
    while block[at] & 0x80:  # the length, a varint
        at += 1
    at += 1
    while at < len(block):
        tag, at = block[at], at + 1
        if tag & 3 == 0:
            length, extra = tag >> 2, max(0, (tag >> 2) - 59)
            if extra:
                length, at = int.from_bytes(block[at : at + extra], "little"), at + extra
            out += block[at : at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, offset, at = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | block[at], at + 1
        else:
            size = 2 if tag & 3 == 2 else 4
            length, offset, at = (tag >> 2) + 1, int.from_bytes(block[at : at + size], "little"), at + size
        for _ in range(length):
            out.append(out[-offset])
    return bytes(out)


class _Receiver(BaseHTTPRequestHandler):
    service: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.service.received.append(Received(self.path, headers, body))
        self.send_response(self.service.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(EXPOSED[self.path].encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def signing(url: str, folder: Path) -> Iterator[str]:
    """Run the program that signs, with credentials in place of the metadata service's."""
    port = free_port()
    settings = {
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "HPC_METRICS_URL": url,
        "HPC_METRICS_REGION": "eu-west-1", "HPC_METRICS_PORT": str(port),
    }  # fmt: skip
    program = Path(boot.__file__).parent / "scripts/head/metrics_signer.py"
    with patch.dict(os.environ, settings), started([sys.executable, str(program)], folder / "signer.log"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def sending(cluster: ClusterSpec, folder: Path) -> Iterator[Service]:
    """Run Prometheus as the description says, except for addresses and for intervals, which are a second."""
    service = Service()
    with ExitStack() as stack:
        handler = type("Receiver", (_Receiver,), {"service": service})
        server = stack.enter_context(serving(HttpServer(("127.0.0.1", 0), handler)))
        here = f"127.0.0.1:{server.server_address[1]}"
        text = prometheus_yml(cluster).replace(URL, f"http://{here}{PATH}").replace(TOKEN_FILE, f"{folder}/token")
        if SIGNER in text:
            text = text.replace(SIGNER, stack.enter_context(signing(f"http://{here}{PATH}", folder)))
        document = yaml.safe_load(text)
        document["global"] |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
        document["rule_files"] = []
        jobs = [job for job in document["scrape_configs"] if job["job_name"] in ("elastic", "head", "nodes")]
        for job in jobs:
            job.pop("file_sd_configs", None)
            job |= {"static_configs": [{"targets": [here]}], "scrape_interval": "1s", "scrape_timeout": "1s"}
            job["metrics_path"] = f"/{job['job_name']}"
        document["scrape_configs"] = jobs
        (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
        command = [
            "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{free_port()}",
        ]  # fmt: skip
        stack.enter_context(started(command, folder / "prometheus.log"))
        yield service


def test_requests_to_amazon_are_signed_for_the_workspace_s_region(tmp_path: Path) -> None:
    with sending(spec(monitoring={"remote_write": {}}), tmp_path) as service:
        wait_for(lambda: service.received, "Prometheus has sent something")
        first = service.received[0]
        service.status = 503
        refused = len(service.received)
        wait_for(lambda: len(service.received) > refused, "the service refuses")
        last = service.received[-1].body
        service.status = 200
        wait_for(lambda: [each.body for each in service.received].count(last) > 1, "it is sent again")
    assert first.path == PATH
    signed = (
        r"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\d{8}/eu-west-1/aps/aws4_request, SignedHeaders=.*host;x-amz-date"
    )
    assert re.match(signed, first.headers["authorization"])
    assert first.headers["content-encoding"] == "snappy"
    assert first.headers["x-prometheus-remote-write-version"] == "0.1.0"


def test_a_renewed_token_is_used_without_a_restart(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("first\n")
    with sending(cluster_of(AZURE | {"monitoring": {"remote_write": {}}}), tmp_path) as service:
        wait_for(lambda: service.received, "Prometheus has sent something")
        new = tmp_path / "token.new"
        new.write_text("second\n")
        new.rename(tmp_path / "token")
        wait_for(lambda: "Bearer second" in given(service), "Prometheus uses the new token")
        assert given(service) == {"Bearer first", "Bearer second"}


def test_a_token_that_comes_late_loses_no_sample(tmp_path: Path) -> None:
    with sending(cluster_of(AZURE | {"monitoring": {"remote_write": {}}}), tmp_path) as service:
        log = tmp_path / "prometheus.log"
        wait_for(lambda: "unable to read authorization credentials" in log.read_text(), "Prometheus misses the token")
        assert not service.received
        (tmp_path / "token").write_text("late\n")
        wait_for(lambda: "hpc_elastic_healthy" in service.series(), "Prometheus has sent what waited")


def test_what_is_refused_because_the_service_is_busy_is_sent_again(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("token\n")
    with sending(cluster_of(AZURE | {"monitoring": {"remote_write": {}}}), tmp_path) as service:
        service.status = 429
        wait_for(lambda: service.received, "Prometheus has sent something")
        refused = service.received[0].body
        service.status = 200
        wait_for(lambda: [each.body for each in service.received].count(refused) > 1, "it is sent again")


@pytest.mark.parametrize("nodes", [False, True])
def test_metrics_of_nodes_are_sent_only_if_wanted(tmp_path: Path, nodes: bool) -> None:
    (tmp_path / "token").write_text("token\n")
    with sending(cluster_of(AZURE | {"monitoring": {"remote_write": {"nodes": nodes}}}), tmp_path) as service:
        wait_for(lambda: {"hpc_elastic_healthy", "node_load1"} <= words(service), "both jobs are sent")
        wait_for(lambda: not nodes or "hpc_cpus" in words(service), "nodes are sent")
        assert ("nodes" in words(service)) is nodes
        assert {"cluster", "lab", "instance"} <= words(service)
        assert ("go_goroutines" in words(service)) is nodes


def given(service: Service) -> set[str]:
    return {each.headers["authorization"] for each in service.received}


def words(service: Service) -> set[str]:
    """Return the names and values of labels, which are plain text in protobuf."""
    return set(re.findall(r"\w+", service.series()))
