"""Benchmark of Prometheus on the head node: memory, CPU and disk for 64 and 4,000 nodes that are all up.

One process answers for all nodes, with as many series as a node has at most, whose counters grow. Prometheus runs
with the cluster's own configuration and rules. `bench.py` runs it too.
"""

import json
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog.prometheus import series_per_node
from hpc_components.watch.files import watch_files

COUNTS = (64, 4000)
SECONDS = 240
"""Time for which Prometheus scrapes, in seconds: four scrapes of each node."""
PORT = 19090


def measure() -> None:
    """Measure each number of nodes, and print a line for it."""
    if shutil.which("prometheus") is None:
        print("Prometheus is not installed: no benchmark of metrics")
        return
    for count in COUNTS:
        print(_line(count))


def _line(count: int) -> str:
    with (
        tempfile.TemporaryDirectory() as folder,
        _nodes() as port,
        _prometheus(Path(folder), count, port) as process,
    ):
        time.sleep(SECONDS)
        series = _value("prometheus_tsdb_head_series")
        rate = _value("rate(prometheus_tsdb_head_samples_appended_total[2m])")
        appended, wal = _value("prometheus_tsdb_head_samples_appended_total"), _size(Path(folder) / "data")
        memory, busy = _memory(process.pid), _cpu_seconds(process.pid) / SECONDS
        up = _value("count(up{job='nodes'} == 1)")
    return (
        f"metrics of {count:5,} nodes: {up:5,.0f} up, {series:9,.0f} series, {rate:7,.0f} samples/s, "
        f"{memory / 2**20:6,.0f} MiB, {busy:6.1%} of a core, {wal / max(appended, 1):4.1f} bytes a sample in the log"
    )


class _Node(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        now = time.time()
        rows = (series_per_node() - 10) // 2
        lines = [
            f'node_network_receive_bytes_total{{device="eth{row}"}} {now * (1000 + row):.0f}' for row in range(rows)
        ]
        lines += [f'node_disk_read_bytes_total{{device="nvme{row}"}} {now * row:.0f}' for row in range(rows)]
        lines += [f'hpc_cpu_seconds_total{{mode="{mode}"}} {now * 90:.2f}' for mode in ("user", "system", "idle")]
        lines += ["hpc_cpus 96", "node_load1 95.3", "node_timex_sync_status 1"]
        lines += [f"node_memory_{name}_bytes {2**38 - now:.0f}" for name in ("MemTotal", "MemAvailable", "Cached")]
        body = "\n".join(lines).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _Nodes(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a Prometheus that was ended."""


@contextmanager
def _nodes() -> Generator[int]:
    server = _Nodes(("127.0.0.1", 0), _Node)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()


@contextmanager
def _prometheus(folder: Path, count: int, port: int) -> Generator[subprocess.Popen[bytes]]:
    described = {
        "cloud": "aws", "name": "bench", "region": "us-east-2", "zone": "use2-az2",
        "network": {"cidr": "10.20.0.0/16"}, "head_node": {"machine": "m7i.2xlarge"},
        "queues": [{"name": "q", "machine": "c7i.xlarge", "max": count}], "monitoring": {},
    }  # fmt: skip
    files = watch_files(AwsClusterSpec.model_validate(described))
    document = yaml.safe_load(files["head/watch/prometheus.yml"])
    jobs = {job["job_name"]: job for job in document["scrape_configs"]}
    own, nodes = jobs["prometheus"], jobs["nodes"]
    own["static_configs"][0]["targets"] = [f"127.0.0.1:{PORT}"]
    nodes["file_sd_configs"] = [{"files": [f"{folder}/nodes.json"]}]
    (folder / "rules").mkdir()
    for name in ("alerts.yml", "recording.yml"):
        (folder / "rules" / name).write_text(files[f"head/watch/rules/{name}"])
    labels = (
        {"instance": f"q-{number}", "queue": "q", "machine": "m", "zone": "z"} for number in range(1, count + 1)
    )
    targets = [{"targets": [f"127.0.0.1:{port}"], "labels": each} for each in labels]
    (folder / "nodes.json").write_text(json.dumps(targets))
    (folder / "prometheus.yml").write_text(yaml.safe_dump(document | {"scrape_configs": [own, nodes]}))
    command = [
        "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
        "--storage.tsdb.wal-compression", f"--web.listen-address=127.0.0.1:{PORT}",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()  # its data is thrown away
        process.wait()


def _value(expression: str) -> float:
    url = f"http://127.0.0.1:{PORT}/api/v1/query?query={urllib.parse.quote(expression)}"
    with urllib.request.urlopen(url, timeout=60) as answer:
        result = json.load(answer)["data"]["result"]
    return float(result[0]["value"][1]) if result else 0.0


def _memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100  # clock ticks


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    measure()
