"""`hpc compare`, over stacks of different clouds."""

import json
from pathlib import Path

import pytest

from hpc_components.catalog import machine
from tests.cli.running import error, hpc
from tests.cli.test_bad_input import CLUSTER


@pytest.fixture(scope="module")
def document() -> dict:
    done = hpc("compare", "aws-cfd", "azure-hbv4", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_a_stack_is_what_its_plan_says(document: dict) -> None:
    plan = json.loads(hpc("preview", "aws-cfd", "--format", "json").stdout)
    stack = document["stacks"][0]
    assert (stack["stack"], stack["cloud"], stack["region"]) == ("aws-cfd", "aws", "us-east-2")
    assert (stack["idle"], stack["full"]) == (plan["cost"]["idle"], plan["cost"]["full"])
    assert [queue["core_hour"] for queue in stack["queues"]] == [each["core_hour"] for each in plan["cost"]["queues"]]
    assert stack["warnings"] == len([each for each in plan["findings"] if each["level"] == "warning"])


def test_a_queue_has_what_its_machine_has_and_uses(document: dict) -> None:
    compute, spot = document["stacks"][0]["queues"]
    facts = machine("aws", "hpc6a.48xlarge")
    assert facts
    assert facts.fabric
    assert (compute["cores"], compute["memory_gib"]) == (facts.cores, facts.memory_gib)
    assert (compute["fabric"], compute["fabric_gbps"]) == (facts.fabric.name, facts.fabric.gbps)
    assert compute["placement"] == "cluster placement group"
    assert (spot["machine"], spot["fabric"], spot["fabric_gbps"]) == ("c7i.48xlarge", None, 0), "fabric: false"


def test_cores_are_those_of_all_queues_at_their_most(document: dict) -> None:
    for stack in document["stacks"]:
        assert stack["cores"] == sum(queue["max"] * queue["cores"] for queue in stack["queues"])
        assert stack["gpus"] == 0


def test_gpus_are_counted_and_priced() -> None:
    done = hpc("compare", "azure-nd", "--format", "json")
    (stack,) = json.loads(done.stdout)["stacks"]
    (queue,) = stack["queues"]
    assert (stack["gpus"], queue["gpus"], queue["gpu"]) == (24, 8, "H100")
    assert queue["gpu_hour"] == pytest.approx(queue["node_hour"] / 8, abs=1e-4)
    shown = hpc("compare", "azure-nd").stdout
    assert "  GPUs a node " in shown
    assert "  USD a GPU-hour " in shown


def test_queues_of_one_name_share_a_section() -> None:
    done = hpc("compare", "aws-cfd", "azure-hbv4")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["aws-cfd", "azure-hbv4"] in rows
    assert ["compute-queue", "hpc6a.48xlarge", "Standard_HB176rs_v4"] in rows
    assert ["cloud", "AWS", "Azure"] in rows
    assert "GPU" not in done.stdout


def test_a_queue_that_a_stack_lacks_is_a_dash() -> None:
    rows = [line.split() for line in hpc("compare", "aws-cfd", "azure-dev").stdout.splitlines()]
    assert ["compute-queue", "hpc6a.48xlarge", "-"] in rows


def test_markdown_is_one_table() -> None:
    lines = hpc("compare", "aws-cfd", "azure-hbv4", "--format", "markdown").stdout.splitlines()
    assert lines[0] == "|  | aws-cfd | azure-hbv4 |"
    table = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in table} == {4}
    assert "| compute-queue | hpc6a.48xlarge | Standard_HB176rs_v4 |" in table


def test_a_stack_that_is_named_twice_is_shown_once() -> None:
    assert len(json.loads(hpc("compare", "aws-dev", "aws-dev", "--format", "json").stdout)["stacks"]) == 1


def test_a_description_with_errors_is_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(CLUSTER.replace("name: cfd", "name: 9cfd"))
    done = hpc("compare", "aws-dev", str(tmp_path / "bad.yaml"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "error HPC-NAM-001 name\n" in done.stderr
    assert done.stderr.endswith("can't make a plan: fix the errors first\n")


def test_a_stack_that_is_not_there_is_one_sentence() -> None:
    assert "did you mean aws-cfd?" in error("compare", "aws-cdf")
