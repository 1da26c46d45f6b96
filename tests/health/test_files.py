"""What nodes learn about a healthy node, and what Slurm is told to run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hpc_components.boot.files import boot_files
from hpc_components.catalog import machine
from hpc_components.catalog.health_checks import fabric_ports, health_checks
from hpc_components.health.files import WANTED, health_files
from hpc_components.slurm import slurm_files
from hpc_components.slurm.health import health_settings
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.load import load_cluster
from hpc_components.spec.project import find_project
from tests.slurm.described import cluster, queue

ROOT = Path(__file__).parents[2]
STACKS = sorted(path.stem.removeprefix("Pulumi.") for path in (ROOT / "stacks/config").glob("Pulumi.*.yaml"))


def stack(name: str) -> ClusterSpec:
    return load_cluster(find_project(ROOT / "stacks").open(name).cluster.data)


def wanted(described: ClusterSpec) -> dict[str, Any]:
    return json.loads(health_files(described)[WANTED])


@pytest.mark.parametrize("name", STACKS)
def test_each_queue_wants_what_its_machines_have(name: str) -> None:
    described = stack(name)
    queues = wanted(described)["queues"]
    assert list(queues) == [one.name for one in described.queues]
    for one in described.queues:
        has, found = queues[one.name], machine(one.cloud, one.machine)
        assert found
        gpus = found.gpu.count if found.gpu and found.gpu.manufacturer == "NVIDIA" else 0
        assert has["gpus"] == gpus
        assert ("xid" in has["checks"]) is (gpus > 0)
        assert ("scratch" in has["checks"]) is bool(has["scratch"]) is (one.local_scratch is not None)
        assert ("ports" in has) is ("fabric" in has["checks"])
        assert "dcgm" not in has["checks"]


def test_infiniband_ports_have_the_number_and_rate_of_the_catalogue() -> None:
    assert wanted(stack("azure-nd"))["queues"]["gpu"]["ports"] == {
        "count": 8,
        "gbps": 400,
        "link_layer": "InfiniBand",
    }


def test_uncertain_numbers_of_ports_are_not_required() -> None:
    queues = wanted(stack("gcp-h4d"))["queues"].values()
    assert {one["ports"]["count"] for one in queues if "ports" in one} == {0}


def test_every_fabric_of_the_catalogues_has_a_record() -> None:
    kinds = {found.fabric.kind for name in STACKS for one in stack(name).queues
             if (found := machine(one.cloud, one.machine)) and found.fabric}  # fmt: skip
    assert [kind for kind in kinds if fabric_ports(kind) is None] == []


def test_a_cluster_without_checks_gets_nothing() -> None:
    plain = cluster(queue(), health={"enabled": False})
    assert health_files(plain) == health_settings(plain) == {}
    assert not [path for path in boot_files(plain) if "health" in Path(path).name and path != "compute/health.sh"]
    assert "Prolog=" not in slurm_files(plain)["slurm.conf"]
    assert "nohold_on_prolog_fail" not in slurm_files(plain)["slurm.conf"]


@pytest.mark.parametrize(("version", "prolog"), [("22.05", False), ("23.11", True), ("24.11", True), ("25.11", True)])
def test_slurm_runs_the_checks_where_it_can(version: str, prolog: bool) -> None:
    text = slurm_files(cluster(queue(), health={"interval": "10m"}), version=version)["slurm.conf"]
    assert (
        "HealthCheckProgram=/opt/hpc/bin/hpc-health-idle\nHealthCheckInterval=600\nHealthCheckNodeState=IDLE\n"
        in text
    )
    assert ("\nProlog=hpc-job-prolog\n" in text) is prolog
    assert ("nohold_on_prolog_fail" in text) is prolog


def test_a_program_of_the_user_s_own_is_kept() -> None:
    settings = {"HealthCheckProgram": "/usr/sbin/nhc", "HealthCheckInterval": 120}
    text = slurm_files(cluster(queue(), slurm={"settings": settings}))["slurm.conf"]
    kept = {f"{key}={value}" for key, value in settings.items()}
    assert set(re.findall("^HealthCheck.*", text, re.M)) == kept


def test_checks_can_be_switched_off_and_on_one_by_one() -> None:
    found = wanted(cluster(queue(), health={"checks": {"clock": False, "dcgm": True}}))["checks"]
    assert set(health_checks()) - set(found) == {"clock"}


def test_the_page_has_each_check_with_its_moments() -> None:
    page = (ROOT / "docs/health.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| .*? \| ([a-z, ]+) \|", page, re.M))
    assert rows == {name: ", ".join(one.at) for name, one in health_checks().items()}
