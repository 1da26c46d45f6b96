"""The dashboards: for Grafana's types, for Prometheus's parser, and for the metrics that there are."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from golden_files import assert_golden

from hpc_components.watch.dashboards import dashboards
from hpc_components.watch.files import packaged_rules
from hpc_components.watch.prometheus import KEPT

GOLDEN = Path(__file__).parent / "golden"
TYPES = Path(__file__).parents[2] / "build" / "grafana"
MADE = dashboards()
DAEMON = re.compile(r"hpc_(elastic|slurm)_\w+")
SOURCES = Path(__file__).parents[2] / "hpc_components" / "elastic" / "report"


def expressions() -> Iterator[str]:
    for text in MADE.values():
        for panel in json.loads(text)["panels"]:
            yield from (target["expr"] for target in panel["targets"])


@pytest.mark.parametrize("name", MADE)
def test_the_dashboard_is_as_reviewed(name: str) -> None:
    assert_golden(GOLDEN / name, MADE[name])


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("node") is None or not TYPES.is_dir(), reason="needs node and tools/grafana_types.sh"
)
def test_grafana_knows_all_that_is_in_them(tmp_path: Path) -> None:
    for name, text in MADE.items():
        typed = (
            f'import type {{ Dashboard }} from "@grafana/schema";\nexport const made: Dashboard = {text.strip()};\n'
        )
        (tmp_path / f"{name}.ts").write_text(typed)
    (tmp_path / "node_modules").symlink_to(TYPES / "node_modules")
    options = ("--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler")
    compiler = str(TYPES / "node_modules" / "typescript" / "bin" / "tsc")
    files = [f"{name}.ts" for name in MADE]
    done = subprocess.run(["node", compiler, *options, *files], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool (Debian: prometheus)")
def test_prometheus_understands_their_expressions(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": text} for number, text in enumerate(expressions())]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", tmp_path / "rules.yml"], capture_output=True, text=True)
    assert f"{len(rules)} rules found" in done.stdout, done.stdout + done.stderr


def known(metric: str) -> bool:
    if DAEMON.fullmatch(metric):
        written = "".join(file.read_text() for file in SOURCES.glob("*metrics.py"))
        bare = metric.removeprefix("hpc_elastic_").removeprefix("hpc_slurm_")
        return f'"{bare}"' in written or bare in ("server_threads", "agent_queue", "dbd_agent_queue")
    recorded = {rule["record"] for group in rules_of("recording.yml") for rule in group["rules"]}
    return metric in recorded or re.fullmatch("|".join(KEPT), metric) is not None


def rules_of(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load(packaged_rules(name))["groups"]


def test_each_metric_is_one_that_is_kept() -> None:
    alerts = [
        rule["expr"]
        for name in ("alerts.yml", "recording.yml")
        for group in rules_of(name)
        for rule in group["rules"]
    ]
    named = {
        metric for text in (*expressions(), *alerts) for metric in re.findall(r"\b(?:queue:|hpc_|node_)[\w:]+", text)
    }
    assert len(named) > 50
    assert {metric for metric in named if not known(metric)} == {"node_systemd_unit_state"}, "of the head node alone"
