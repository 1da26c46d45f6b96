"""Every alert, evaluated by Prometheus's own promtool: it fires when it must, and no earlier."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from hpc_components.catalog.health_checks import fatal_xids
from hpc_components.watch.files import packaged_rules

from .alert_scenarios import SCENARIOS, Scenario, Series

PAGE = Path(__file__).parents[2] / "docs" / "watch.md"

needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool (Debian: prometheus)")


def rules(name: str) -> Iterator[Mapping[str, Any]]:
    for group in yaml.safe_load(packaged_rules(name))["groups"]:
        yield from group["rules"]


ALERTS = {rule["alert"]: rule for rule in rules("alerts.yml")}


def group(series: Series, minutes: int, alert: str, expected: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": f'ALERTS{{alertname="{alert}",alertstate="firing"}}',
                "eval_time": f"{minutes}m",
                "exp_samples": expected,
            }
        ],
    }


def firing(scenario: Scenario) -> dict[str, Any]:
    labels = {
        "alertname": scenario.alert,
        "alertstate": "firing",
        "severity": ALERTS[scenario.alert]["labels"]["severity"],
        **scenario.fires,
    }
    shown = ",".join(f'{name}="{value}"' for name, value in labels.items())
    return {"labels": f"ALERTS{{{shown}}}", "value": 1}


@needs_promtool
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.alert)
def test_the_alert_fires_when_it_must_and_not_otherwise(scenario: Scenario, tmp_path: Path) -> None:
    quiet = [group(series, scenario.minutes, scenario.alert, []) for series in scenario.good]
    document = {
        "rule_files": ["alerts.yml"],
        "evaluation_interval": "1m",
        "tests": [group(scenario.bad, scenario.minutes, scenario.alert, [firing(scenario)]), *quiet],
    }
    (tmp_path / "alerts.yml").write_text(packaged_rules("alerts.yml"))
    (tmp_path / "test.yml").write_text(yaml.safe_dump(document))
    done = subprocess.run(["promtool", "test", "rules", tmp_path / "test.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_each_fatal_xid_raises_the_alert_about_gpus(tmp_path: Path) -> None:
    """The same codes by which `hpc-health` drains a node, and no others."""
    scenarios = [
        group(_xid(code), 30, "GpuError", [_gpu_error(code)] if code in fatal_xids() else [])
        for code in range(1, 170)
    ]
    (tmp_path / "alerts.yml").write_text(packaged_rules("alerts.yml"))
    document = {"rule_files": ["alerts.yml"], "evaluation_interval": "1m", "tests": scenarios}
    (tmp_path / "test.yml").write_text(yaml.safe_dump(document))
    done = subprocess.run(["promtool", "test", "rules", tmp_path / "test.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _xid(code: int) -> Series:
    return {f'hpc_gpu_xid_total{{instance="gpu-1",gpu="3",xid="{code}"}}': "0x25 1x5"}


def _gpu_error(code: int) -> dict[str, Any]:
    labels = f'alertname="GpuError",alertstate="firing",gpu="3",instance="gpu-1",severity="warning",xid="{code}"'
    return {"labels": f"ALERTS{{{labels}}}", "value": 1}


def test_each_alert_has_a_scenario() -> None:
    assert ALERTS.keys() == {scenario.alert for scenario in SCENARIOS}


@needs_promtool
@pytest.mark.parametrize("name", ["alerts.yml", "recording.yml"])
def test_prometheus_accepts_the_rules(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(packaged_rules(name))
    done = subprocess.run(["promtool", "check", "rules", tmp_path / name], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ALERTS)
def test_the_alert_explains_itself(name: str) -> None:
    rule = ALERTS[name]
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert rule["annotations"].keys() == {"summary", "description", "runbook"}
    assert rule["annotations"]["summary"][-1] != "."
    assert rule["annotations"]["description"].strip()[-1] == "."


def test_the_page_explains_each_alert() -> None:
    explained = re.findall(r"^#### (\w+)$", PAGE.read_text(encoding="utf-8"), re.M)
    assert explained == list(ALERTS)
