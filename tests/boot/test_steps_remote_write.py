"""What the head node sets up to send metrics to the cloud's managed service, and takes away again."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from clouds.descriptions import cluster_of

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .azure_stage import azure_tags
from .fake_imds import Vm
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

URL = (
    "https://cfd.eastus-1.metrics.ingest.monitor.azure.com/dataCollectionRules/dcr-1/streams/x?api-version=2023-04-24"
)
AZURE = {
    "cloud": "azure", "name": "lab", "region": "eastus", "zone": "eastus-1", "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "Standard_D4s_v5"}, "queues": [{"name": "cpu", "machine": "Standard_D16s_v5", "max": 4}],
    "monitoring": {"remote_write": {}},
}  # fmt: skip


def sent_to(box: Sandbox) -> dict[str, Any]:
    (remote,) = yaml.safe_load(box.read("etc/hpc/prometheus/prometheus.yml"))["remote_write"]
    return remote


def without(box: Sandbox, **monitoring: Any) -> None:
    """Let the description say no more that metrics are sent."""
    for path, text in boot_files(spec(**monitoring)).items():
        box.write(f"opt/hpc/config/{path}", text)
    (box.root / "opt/hpc/config/head/watch/remote_write").unlink()


def test_what_prometheus_sends_to_amazon_is_signed(sandbox: Make) -> None:
    address = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1/api/v1/remote_write"
    files = boot_files(spec(monitoring={"remote_write": {}}))
    box = sandbox("head", **files, **{"head/watch/remote_write": f"{address} eu-west-1\n"})
    box.fake("nft", "exit 0")
    box.step("head/watch.sh", "prometheus")
    assert sent_to(box)["url"] == "http://127.0.0.1:9819"
    assert box.read("etc/hpc/metrics-signer.env").split() == [
        f"HPC_METRICS_URL={address}", "HPC_METRICS_REGION=eu-west-1",
    ]  # fmt: skip
    assert "hpc-metrics-signer" in box.read("running").split()
    assert "9819" in box.read("etc/hpc/metrics.nft")
    said = box.run("systemd-analyze", "verify", "--man=no", "/etc/systemd/system/hpc-metrics-signer.service")
    assert said.returncode == 0, said.stdout
    assert box.step("head/watch.sh", "prometheus") == ""


@pytest.mark.parametrize("monitoring", [{}, {"monitoring": {}}])
def test_nothing_is_signed_any_more_once_the_key_is_gone(sandbox: Make, monitoring: dict[str, Any]) -> None:
    files = boot_files(spec(monitoring={"remote_write": {}}))
    box = sandbox("head", **files, **{"head/watch/remote_write": "https://aps.example.org eu-west-1\n"})
    box.fake("nft", "exit 0")
    box.step("head/watch.sh", "prometheus")
    without(box, **monitoring)
    box.step("head/watch.sh", "prometheus")
    left = {path.name for path in (box.root / "etc").rglob("*") if path.is_file()}
    assert not {name for name in left if "signer" in name}
    assert not (box.root / "opt/hpc/bin/hpc-metrics-signer").exists()


def test_prometheus_gets_a_token_for_azure_monitor(azure_sandbox: Make, azure: Any) -> None:
    azure.imds.machines[""] = Vm(azure_tags("head", azure.url), "id", "10.90.128.20", "")
    files = boot_files(cluster_of(AZURE))
    box = azure_sandbox("head", **files, **{"head/watch/remote_write": f"{URL}\n"})
    box.fake("nft", "exit 0")
    box.step("head/watch.sh", "prometheus")
    assert sent_to(box)["url"] == URL
    assert "hpc-metrics-token.timer" in box.read("running").split()
    unit = box.read("etc/systemd/system/hpc-metrics-token.service")
    assert "source head/metrics_token.sh; metrics_token" in unit
    box.run("/bin/bash", "-Eeuo", "pipefail", "-c", "cd /opt/hpc/config; source head/metrics_token.sh; metrics_token")
    token = sent_to(box)["authorization"]["credentials_file"].removeprefix("/")
    assert azure.imds.tokens[box.read(token).strip()].resource == "https://monitor.azure.com/"
    assert (box.root / token).stat().st_mode & 0o777 == 0o640
    said = box.run("systemd-analyze", "verify", "--man=no", *(
        f"/etc/systemd/system/hpc-metrics-token.{kind}" for kind in ("service", "timer")
    ))  # fmt: skip
    assert said.returncode == 0, said.stdout
