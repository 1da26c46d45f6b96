"""The steps that set up Prometheus, Alertmanager and node_exporter, and that take them away again."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from hpc_components.boot.files import boot_files
from hpc_components.spec.addresses import head_address
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

ARN = "arn:aws:secretsmanager:us-east-2:123456789012:secret:{}-AbCdEf"
PASSWORD, WEBHOOK = ARN.format("smtp"), ARN.format("chat")
MAIL = {"mail": ["hpc@example.org"], "smtp": "smtp.example.org:587"}
DROP_INS = "etc/systemd/system/{}.service.d/hpc.conf"
ALERTS = "etc/hpc/alertmanager/alertmanager.yml"


def files(alerts: dict[str, Any] | None = None) -> dict[str, str]:
    monitoring = {"alerts": alerts} if alerts else {}
    return boot_files(spec(monitoring=monitoring))


def head(sandbox: Make, alerts: dict[str, Any] | None = None) -> Sandbox:
    box = sandbox("head", **files(alerts))
    box.fake("nft", "exit 0")
    return box


def without(box: Sandbox) -> None:
    """Let the description have no monitoring."""
    box.write("opt/hpc/config/common/cluster.env", boot_files(spec())["common/cluster.env"])


def running(box: Sandbox) -> list[str]:
    return box.read("running").split()


def test_prometheus_keeps_metrics_on_the_state_volume(sandbox: Make) -> None:
    box = head(sandbox, MAIL)
    box.step("head/watch.sh", "prometheus")
    command = box.read(DROP_INS.format("prometheus"))
    assert "--storage.tsdb.path=/var/lib/hpc/prometheus " in command
    assert "--web.listen-address=127.0.0.1:9090 " in command
    assert running(box) == [
        "hpc-metrics-fence", "hpc-metrics.timer", "prometheus-node-exporter", "prometheus", "prometheus-alertmanager",
    ]  # fmt: skip
    assert box.step("head/watch.sh", "prometheus") == ""


def test_the_units_are_right_for_systemd(sandbox: Make) -> None:
    box = head(sandbox, MAIL)
    box.step("head/watch.sh", "prometheus")
    units = ("prometheus.service", "prometheus-alertmanager.service", "prometheus-node-exporter.service")
    own = ("hpc-metrics.service", "hpc-metrics.timer", "hpc-metrics-fence.service")
    said = box.run("systemd-analyze", "verify", "--man=no", *(f"/etc/systemd/system/{each}" for each in own), *units)
    assert said.returncode == 0, said.stdout
    assert "hpc" not in said.stdout, said.stdout


def test_without_recipients_no_alertmanager_runs(sandbox: Make) -> None:
    box = head(sandbox)
    box.step("head/watch.sh", "prometheus")
    assert "prometheus-alertmanager" not in running(box)
    assert not (box.root / DROP_INS.format("prometheus-alertmanager")).exists()


def test_secrets_of_alerts_are_read_on_the_head_node_only(sandbox: Make, aws: Any) -> None:
    alerts = {**MAIL, "smtp_user": "hpc", "smtp_password_secret": PASSWORD, "webhook_secret": WEBHOOK}
    made = files(alerts)
    assert not [
        path for path, text in made.items() if "smtp_auth_password" in text and path.startswith("head/watch/")
    ]
    aws.secrets |= {PASSWORD: {"1": b"s3cret'\""}, WEBHOOK: {"1": b"https://chat.example.org/hooks/1"}}
    box = sandbox("head", **made)
    box.fake("nft", "exit 0")
    box.step("head/watch.sh", "prometheus")
    assert json.loads(box.read(ALERTS))["global"]["smtp_auth_password"] == "s3cret'\""
    assert box.read("etc/hpc/alertmanager/webhook").strip() == "https://chat.example.org/hooks/1"
    assert {(box.root / path).stat().st_mode & 0o777 for path in (ALERTS, "etc/hpc/alertmanager/webhook")} == {0o640}


def test_a_secret_that_cannot_be_read_stops_no_other_alert(sandbox: Make) -> None:
    box = head(sandbox, {**MAIL, "webhook_secret": WEBHOOK})
    said = box.step("head/watch.sh", "prometheus")
    assert "monitoring.alerts.webhook_secret: the secret can't be read" in said
    assert "prometheus-alertmanager" in running(box)


@pytest.mark.parametrize("role", ["login", "compute"])
def test_a_node_answers_the_head_node_only(sandbox: Make, role: str) -> None:
    box = sandbox(role, **files())
    box.step("common/node_metrics.sh", "node_metrics")
    unit = box.read(DROP_INS.format("prometheus-node-exporter"))
    assert f"tcp dport 9100 ip saddr != {head_address(spec())} reject" in box.read("etc/hpc/metrics.nft")
    assert " --web.listen-address=0.0.0.0" not in unit
    assert "$$" in unit
    box.run("/opt/hpc/bin/hpc-metrics", "/tmp/out")
    assert "\nhpc_cpus " in box.read("tmp/out")
    assert box.step("common/node_metrics.sh", "node_metrics") == ""


@pytest.mark.parametrize(("file", "step", "role"), [
    ("head/watch.sh", "prometheus", "head"), ("common/node_metrics.sh", "node_metrics", "login"),
])  # fmt: skip
def test_nothing_is_left_without_monitoring(sandbox: Make, file: str, step: str, role: str) -> None:
    box = sandbox(role, **files(MAIL))
    box.fake("nft", "exit 0")
    box.step(file, step)
    without(box)
    box.step(file, step)
    left = {str(path.relative_to(box.root)) for path in (box.root / "etc").rglob("*") if path.is_file()}
    assert not {path for path in left if "prometheus" in path or "metrics" in path or "alertmanager" in path}
    assert not (box.root / "opt/hpc/bin/hpc-metrics").exists()
    assert box.step(file, step) == ""


def test_targets_of_a_cluster_without_monitoring_are_not_written(sandbox: Make) -> None:
    box = sandbox("head", **files())
    box.step("head/watch.sh", "targets")
    assert (box.root / "var/lib/hpc/targets").is_dir()
    without(box)
    box.step("head/watch.sh", "targets")
    assert not (box.root / "var/lib/hpc/targets").exists()
