"""The files of monitoring, read by the programs that they are for."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from golden_files import assert_golden

from hpc_components.watch.alertmanager import alertmanager_yml
from hpc_components.watch.files import watch_files
from hpc_components.watch.node_exporter import services
from tests.boot.cluster import spec

GOLDEN = Path(__file__).parent / "golden"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:chat-AbCdEf"
ALERTS = {
    "mail": ["ops@example.org", "oncall@example.org"],
    "smtp": "smtp.example.org:587",
    "sender": "cluster@example.org",
    "smtp_user": "cluster",
    "smtp_password_secret": SECRET,
    "webhook_secret": SECRET,
}


def made(**monitoring: Any) -> dict[str, str]:
    return watch_files(spec(monitoring=monitoring))


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


def check(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", ["head/watch/prometheus.yml", "head/watch/alertmanager.yml"])
def test_the_file_is_as_reviewed(path: str) -> None:
    assert_golden(GOLDEN / path.rpartition("/")[2], made(alerts=ALERTS)[path])


@needs("promtool")
@pytest.mark.parametrize("alerts", [None, ALERTS])
def test_prometheus_accepts_its_configuration(tmp_path: Path, alerts: dict[str, Any] | None) -> None:
    for path, text in made(**({"alerts": alerts} if alerts else {})).items():
        file = tmp_path / path.removeprefix("head/watch/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    check("promtool", "check", "config", str(tmp_path / "prometheus.yml"))


@needs("amtool")
@pytest.mark.parametrize(
    "lacks", [(), ("webhook_secret",), ("mail", "smtp", "sender", "smtp_user", "smtp_password_secret")]
)
def test_alertmanager_accepts_its_configuration(tmp_path: Path, lacks: tuple[str, ...]) -> None:
    alerts = {key: value for key, value in ALERTS.items() if key not in lacks}
    (tmp_path / "alertmanager.yml").write_text(made(alerts=alerts)["head/watch/alertmanager.yml"])
    check("amtool", "check-config", str(tmp_path / "alertmanager.yml"))


@pytest.mark.parametrize(("port", "starttls"), [(587, True), (25, False), (465, False)])
def test_mail_is_encrypted_as_the_port_demands(port: int, starttls: bool) -> None:
    cluster = spec(monitoring={"alerts": {"mail": ["a@example.org"], "smtp": f"smtp.example.org:{port}"}})
    assert cluster.monitoring
    assert cluster.monitoring.alerts
    document = json.loads(alertmanager_yml(cluster, cluster.monitoring.alerts))
    assert document["global"]["smtp_require_tls"] is starttls
    assert document["global"]["smtp_from"] == "a@example.org"


def test_no_secret_is_in_the_files() -> None:
    text = "".join(text for path, text in made(alerts=ALERTS).items() if not path.endswith("_secret"))
    assert SECRET not in text


def test_metrics_are_bounded_in_time_and_size() -> None:
    options = made(retention="2d", size="8GiB")["head/watch/prometheus.options"].split()
    assert {"--storage.tsdb.retention.time=172800s", "--storage.tsdb.retention.size=8192MB"} <= set(options)


def test_nobody_is_asked_for_alerts_without_recipients() -> None:
    document = yaml.safe_load(made()["head/watch/prometheus.yml"])
    assert "alerting" not in document
    assert "alertmanager" not in {one["job_name"] for one in document["scrape_configs"]}


def test_services_that_the_cluster_lacks_raise_no_alert() -> None:
    assert {"slurmdbd", "mariadb"} <= set(services(spec()))
    assert not {"slurmdbd", "mariadb", "hpc-people"} & set(services(spec(slurm={"version": "24.11"})))


@needs("prometheus-node-exporter")
def test_node_exporter_knows_its_options(tmp_path: Path) -> None:
    help_text = subprocess.run(["prometheus-node-exporter", "--help"], capture_output=True, text=True)
    for path in ("common/node_exporter.options", "head/watch/node_exporter.options"):
        named = re.findall(r"(--[a-z.-]+)", made()[path])
        assert [option for option in named if option not in help_text.stdout + help_text.stderr] == []


def test_without_monitoring_there_are_no_files() -> None:
    assert watch_files(spec()) == {}
