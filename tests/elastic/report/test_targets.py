"""The nodes that Prometheus scrapes, as the daemon writes them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.report.test_status import C6I, HPC6A, NOW, machine
from hpc_components.elastic.model import InstanceState, LoginNode, Node
from hpc_components.elastic.report.events import CycleReport
from hpc_components.elastic.report.targets import Targets, login_targets, targets


def node(name: str, *states: str, address: str = "10.20.0.7") -> Node:
    return Node(name=name, states=frozenset({"CLOUD", *states}), address=address)


REPORT = CycleReport(
    time=NOW,
    pause=5.0,
    nodes=(
        node("spot-2", "IDLE", "DRAIN"),
        node("spot-1", "MIXED"),
        node("spot-3", "IDLE", "POWERED_DOWN", address="10.20.0.9"),
        node("spot-4", "ALLOCATED", "POWERING_UP", address=""),
        node("compute-queue-1", "DOWN", "NOT_RESPONDING", address="10.20.0.8"),
    ),
    instances=(machine("spot-1", C6I), machine("compute-queue-1", HPC6A, InstanceState.STOPPING)),
)


def test_registered_nodes_are_scraped_and_no_others():
    found = {entry["labels"]["instance"]: entry["targets"] for entry in json.loads(targets(REPORT))}
    assert found == {
        "compute-queue-1": ["10.20.0.8:9100"], "spot-1": ["10.20.0.7:9100"], "spot-2": ["10.20.0.7:9100"],
    }  # fmt: skip


def test_labels_say_which_machine_a_node_is():
    labels = {entry["labels"]["instance"]: entry["labels"] for entry in json.loads(targets(REPORT))}
    of_machine = {"machine": "c6i.32xlarge", "zone": "use2-az1", "purchase": "spot"}
    assert labels["spot-1"] == {"instance": "spot-1", "queue": "spot", **of_machine}
    assert labels["spot-2"] == {"instance": "spot-2", "queue": "spot"}


def test_login_nodes_are_named_as_their_boot_names_them():
    nodes = [
        LoginNode(address="10.20.1.7", machine="m6i.large", zone="use2-az2"),
        LoginNode(address="10.20.1.5", machine="m6i.large", zone=""),
    ]
    of_second = {"instance": "login-10-20-1-7", "role": "login", "machine": "m6i.large", "zone": "use2-az2"}
    assert json.loads(login_targets(nodes)) == [
        {
            "targets": ["10.20.1.5:9100"],
            "labels": {"instance": "login-10-20-1-5", "role": "login", "machine": "m6i.large"},
        },
        {"targets": ["10.20.1.7:9100"], "labels": of_second},
    ]


def test_the_file_is_replaced_only_if_nodes_change(tmp_path: Path):
    file = tmp_path / "nodes.json"
    follow = Targets(file).follow
    follow(REPORT)
    before = file.stat().st_ino
    follow(replace(REPORT, time=NOW + 5))
    assert file.stat().st_ino == before
    follow(replace(REPORT, nodes=REPORT.nodes[:1]))
    assert [entry["labels"]["instance"] for entry in json.loads(file.read_text())] == ["spot-2"]
    assert [each.name for each in tmp_path.iterdir()] == ["nodes.json"]


def test_a_cycle_that_saw_nothing_leaves_the_file_alone(tmp_path: Path):
    follow = Targets(tmp_path / "nodes.json").follow
    follow(REPORT)
    before = (tmp_path / "nodes.json").read_text()
    follow(CycleReport(time=NOW, pause=5.0, problem="the cloud does not answer", nodes=REPORT.nodes[:1]))
    assert (tmp_path / "nodes.json").read_text() == before


def test_a_cluster_without_monitoring_has_no_file(tmp_path: Path):
    Targets(tmp_path / "targets" / "nodes.json").follow(REPORT)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path):
    (tmp_path / ".nodes.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        Targets(tmp_path / "nodes.json").follow(REPORT)
