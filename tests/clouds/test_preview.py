"""The plan of a toy cluster: its resources, labels, cost, quotas, budget and picture, in all formats."""

import json
import re
from functools import cache
from typing import Any

import pulumi_gcp as gcp
import pytest

from clouds.descriptions import PLAY, PLAY_FILE, cluster_of
from clouds.running import hpc
from clouds.toy.cluster import Cluster
from hpc_components.cloud import CLOUDS
from hpc_components.preview.files import USER_DATA, generated_files
from hpc_components.preview.picture.scene import scene_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.record import record
from hpc_components.preview.recording import Recording
from hpc_components.spec.plan_rule import plan_rules
from hpc_components.testing import (
    assert_no_input_faults,
    assert_no_violations,
    assert_not_open_to_the_world,
    assert_tagged,
)

pytestmark = pytest.mark.usefixtures("toy")

LABELLED = ("Bucket", "Disk", "Instance", "InstanceTemplate")


@cache
def shown(format: str) -> str:
    """What `hpc preview` prints."""
    done = hpc("preview", str(PLAY_FILE), "--format", format)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plan() -> dict[str, Any]:
    return json.loads(shown("json"))


def recorded(**changed: Any) -> Recording:
    return record(lambda: Cluster("play", cluster_of(PLAY | changed)))  # type: ignore[arg-type]


def test_the_plan_is_of_the_toy_cloud_and_its_region() -> None:
    found = plan()
    assert (found["cloud"], found["cluster"], found["region"]) == ("toy", "play", "reef-1")
    packages = {each["type"].partition(":")[0] for each in found["resources"]}
    assert packages <= {"gcp", "hpc", "pulumi"}


def test_nothing_is_refused_and_all_is_labelled() -> None:
    recording = recorded()
    assert_no_input_faults(recording)
    assert_tagged(recording)
    assert_tagged(recording, "Project", "Wing")
    labels = [each.inputs["labels"] for each in recording.resources if each.type.rpartition(":")[2] in LABELLED]
    assert len(labels) > 6
    for each in labels:
        assert {"cluster_name", "name", "project"} <= set(each)


def test_labels_written_without_encoding_are_found() -> None:
    recording = recorded()
    disk = next(each for each in recording.resources if each.type.endswith(":Disk"))
    disk.inputs["labels"]["hpc:role"] = "head"  # type: ignore[index]
    with pytest.raises(AssertionError, match=r"labels\.hpc:role.*small letters"):
        assert_no_input_faults(recording)


def test_a_network_open_to_the_world_is_found() -> None:
    assert_not_open_to_the_world(recorded())
    network = PLAY["network"] | {"ssh_from": ["0.0.0.0/0"]}
    with pytest.raises(AssertionError, match="play-ssh"):
        assert_not_open_to_the_world(recorded(network=network))


def test_rules_of_the_plan_hold_and_its_own() -> None:
    assert_no_violations(recorded())

    def program() -> None:
        Cluster("play", cluster_of(PLAY))
        gcp.compute.Disk("spare", size=8, type="slow", zone="reef-1-a")

    with pytest.raises(AssertionError, match="HPC-TOY-003 Disk 'spare': type: it is slow; use type: fast"):
        assert_no_violations(record(program), "HPC-TOY-003")
    with pytest.raises(AssertionError, match="HPC-PLN-004 Disk 'spare'"):
        assert_no_violations(record(program), "HPC-PLN-004")
    assert "The tide takes them" in hpc("rules", "HPC-TOY-003").stdout


def test_without_the_toy_there_are_no_rules_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "HPC-TOY-003" in {rule.id for rule in plan_rules()}
    monkeypatch.delitem(CLOUDS, "toy")
    assert "HPC-TOY-003" not in {rule.id for rule in plan_rules()}


def test_cost_idle_and_full_is_that_of_the_toys_prices() -> None:
    cost = plan()["cost"]
    disk = 64 * 0.17 / 730
    assert cost["idle"]["hour"] == pytest.approx(3 * 0.2 + disk, abs=0.001)
    assert cost["full"]["hour"] == pytest.approx(4 * 1.5 + 2 * 60 + 1.5 + 3 * 0.2 + disk, abs=0.001)
    assert not cost["unknown"]
    assert {each["source"] for each in cost["lines"]} == {"made up for tests"}
    lease = next(each for each in cost["lines"] if each["what"].startswith("queue serial"))
    assert any("reservation" in note for note in lease["notes"])


def test_the_budget_is_worth_days() -> None:
    cost = plan()["cost"]
    days = 5000 / cost["full"]["hour"] / 24
    assert cost["budget"] == {"monthly": 5000.0, "full_days": pytest.approx(days, abs=0.1)}


def test_quotas_count_the_toys_vcpus() -> None:
    quotas = {each["code"]: each for each in plan()["quota"]}
    assert (quotas["VCPUS"]["need"], quotas["VCPUS"]["ask"]) == (2 * 192 + 32 + 3 * 4, True)
    assert (quotas["SPOT_VCPUS"]["need"], quotas["SPOT_VCPUS"]["ask"]) == (4 * 64, False)


def test_files_are_shown_to_a_reviewer() -> None:
    files = {each.name: each for each in generated_files(Plan.from_json(shown("json")).resources, "toy")}
    assert "KillWait=15" in files["common/slurm/slurm.conf"].text
    assert files[USER_DATA].used_by == (
        "play-gpu-coral-192",
        "play-head-machine",
        "play-login-1-machine",
        "play-login-2-machine",
        "play-mpi-tide-64",
        "play-serial-shell-32",
    )


def test_the_picture_has_network_machines_and_buckets() -> None:
    scene = scene_of(Plan.from_json(shown("json")).resources, "toy", "reef-1")
    assert scene.network == "Network 10.40.0.0/16"
    assert [zone.id for zone in scene.zones] == ["reef-1-a", "reef-1-b"]
    cards = {zone.id: [card.title for card in (*zone.public, *zone.private)] for zone in scene.zones}
    assert cards == {"reef-1-a": ["Head node", "Login node", "Login node", "mpi", "serial"], "reef-1-b": ["gpu"]}
    assert {card.title for card in scene.services} == {"play-config-bucket", "play-data"}


@pytest.mark.parametrize("format", ["markdown", "html"])
def test_the_picture_is_drawn_in_the_clouds_own_words(format: str) -> None:
    text = shown(format)
    for words in (
        "Head node",
        "Login node",
        "coral-192",
        "tide-64",
        "play-data",
        "203.0.113.0/24",
    ):
        assert words in text, words
    assert not re.search(r"\b(AWS|VPC|EC2|EFA|S3)\b", text)


def test_the_text_names_the_cloud() -> None:
    assert shown("text").startswith("play  cluster play on the toy cloud, reef-1, ")


def test_the_same_plan_has_the_same_bytes() -> None:
    assert hpc("preview", str(PLAY_FILE), "--format", "json").stdout == shown("json")
