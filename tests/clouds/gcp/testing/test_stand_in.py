"""The stand-in provider and the matchers on Google Cloud."""

import importlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from stack_recordings import recorded, stacks_of

from hpc_components.gcp.testing import STAND_IN
from hpc_components.gcp.testing.machines import run_machine
from hpc_components.preview.recorder.sdk import sdk_on_demand
from hpc_components.preview.recorder.sdk_types import output_types
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.testing import (
    assert_no_secret,
    assert_no_wildcard_actions,
    assert_not_open_to_the_world,
    assert_tagged,
)
from hpc_components.testing._invent import Birth
from hpc_components.testing.facts import type_facts
from hpc_components.testing.stand_in_cloud import StandInCloud, Thing

TABLE = json.loads((files("hpc_components.gcp.testing") / "data" / "types.json").read_text(encoding="utf-8"))
TYPES = sorted(TABLE["types"])
INSTANCE, OBJECT = "gcp:compute/instance:Instance", "gcp:storage/bucketObject:BucketObject"


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_every_type_of_the_stacks_is_known(stack: str) -> None:
    used = {each.type for each in recorded(stack).resources if each.type.startswith("gcp:")}
    assert used - TABLE["types"].keys() == set()


@pytest.mark.parametrize("type_", TYPES)
def test_every_property_exists_in_the_sdk(type_: str) -> None:
    record = TABLE["types"][type_]
    service, cls = type_.split(":")[1].split("/")[0], type_.rpartition(":")[2]
    with sdk_on_demand():
        known = set(output_types(getattr(importlib.import_module(f"pulumi_gcp.{service}"), cls)))
    named = {re.split(r"[.\[]", path)[0] for path in record["forceNew"]} | record["outputs"].keys()
    if "autoname" in record:
        named.add(record["autoname"]["property"])
    assert named <= known, named - known
    assert record["source"]


@pytest.mark.parametrize("type_", TYPES)
def test_every_template_can_be_filled(type_: str) -> None:
    facts = type_facts(type_)
    inputs = dict.fromkeys(re.findall(r"{(\w+)}", json.dumps(TABLE["types"][type_])), "x")
    birth = Birth(urn=f"urn:pulumi:s::p::{type_}::n", generation=0, revision=1, region="us-east1", facts=facts,
                  inputs=inputs)  # fmt: skip
    assert birth.id
    outputs = birth.outputs(birth.id)
    assert set(facts.outputs) <= set(outputs)
    assert not re.search(r"{\w", json.dumps(outputs))


def test_holders_are_types_of_the_table() -> None:
    for record in TABLE["types"].values():
        assert {*record.get("heldBy", {}).get("types", ()), *record.get("takesAlong", ())} <= set(TYPES)


def test_an_id_is_in_the_project_that_the_resource_names() -> None:
    facts = type_facts("gcp:compute/network:Network")
    assert birth_of(facts, {"name": "n", "project": "other"}).id == "projects/other/global/networks/n"
    assert birth_of(facts, {"name": "n"}).id == "projects/my-hpc-project/global/networks/n"


def birth_of(facts: Any, inputs: dict[str, Any]) -> Birth:
    urn = "urn:pulumi:s::p::gcp:compute/network:Network::n"
    return Birth(urn=urn, generation=0, revision=1, region="us-east1", facts=facts, inputs=inputs)


def test_inputs_of_a_template_replace_it() -> None:
    template = type_facts("gcp:compute/regionInstanceTemplate:RegionInstanceTemplate")
    assert {"disks", "labels", "machineType", "metadata", "networkInterfaces", "scheduling"} <= {*template.force_new}
    assert "source" in type_facts(OBJECT).force_new, "another text is another object"
    assert "content" not in type_facts(OBJECT).force_new
    assert not {"capacityGib", "labels"} & {*type_facts("gcp:lustre/instance:Instance").force_new}


class TestReaper:
    """Delete the head node."""

    @pytest.fixture
    def cloud(self, tmp_path: Path) -> StandInCloud:
        return StandInCloud(tmp_path)

    HEAD = {  # noqa: RUF012
        "labels": {"clustername": "cfd", "hpc_role": "head"},
        "metadata": {"hpc-config": "cfd-config-1"},
    }

    def end(self, cloud: StandInCloud, inputs: dict[str, Any]) -> None:
        assert STAND_IN.happens(cloud, INSTANCE, "head", inputs, action="delete") is None

    def test_takes_the_nodes_of_its_cluster_along_and_no_others(self, cloud: StandInCloud) -> None:
        own, other = run_machine(cloud, "subnet", cluster="cfd"), run_machine(cloud, "subnet", cluster="cfd-2")
        policies = "gcp:compute/resourcePolicy:ResourcePolicy"
        for name in ("cfd-compute-a-0", "another-0"):
            cloud.put(Thing(id=f"projects/p/regions/r/resourcePolicies/{name}", type=policies, urn=None))
        self.end(cloud, self.HEAD)
        left = {each.id for each in cloud.things()}
        assert own not in left
        assert left == {other, "projects/p/regions/r/resourcePolicies/another-0"}

    def test_leaves_them_where_the_cluster_is_to_be(self, cloud: StandInCloud) -> None:
        own = run_machine(cloud, "subnet", cluster="cfd")
        inputs = {"bucket": "cfd-config-1", "name": "cluster"}
        cloud.put(Thing(id="cfd-config-1-cluster", type=OBJECT, urn="u", inputs=inputs))
        self.end(cloud, self.HEAD)
        assert own in {each.id for each in cloud.things(INSTANCE)}

    def test_is_the_head_nodes_alone(self, cloud: StandInCloud) -> None:
        own = run_machine(cloud, "subnet", cluster="cfd")
        self.end(cloud, {"labels": {"clustername": "cfd", "hpc_role": "login"}})
        STAND_IN.happens(cloud, INSTANCE, "head", self.HEAD, action="create")
        assert own in {each.id for each in cloud.things(INSTANCE)}


def one(type: str, **inputs: Any) -> Recording:
    return Recording(
        project="p", stack="s", resources=(RecordedResource(urn="u", type=f"gcp:{type}", name="it", inputs=inputs),)
    )


@pytest.mark.parametrize(
    ("rule", "is_open"),
    [
        ({"allows": [{"protocol": "tcp", "ports": ["22"]}], "sourceRanges": ["0.0.0.0/0"]}, True),
        ({"allows": [{"protocol": "all"}]}, True),
        ({"allows": [{"protocol": "tcp", "ports": ["20-30"]}], "sourceRanges": ["0.0.0.0/0"]}, True),
        ({"allows": [{"protocol": "tcp", "ports": ["22"]}], "sourceRanges": ["203.0.113.0/24"]}, False),
        ({"allows": [{"protocol": "tcp"}], "sourceServiceAccounts": ["a@p.iam.gserviceaccount.com"]}, False),
        ({"allows": [{"protocol": "udp"}], "sourceRanges": ["0.0.0.0/0"]}, False),
        ({"denies": [{"protocol": "all"}], "sourceRanges": ["0.0.0.0/0"]}, False),
        ({"allows": [{"protocol": "all"}], "sourceRanges": ["0.0.0.0/0"], "disabled": True}, False),
        ({"allows": [{"protocol": "all"}], "destinationRanges": ["0.0.0.0/0"], "direction": "EGRESS"}, False),
    ],
)
def test_a_firewall_open_to_the_world_is_found(rule: dict[str, Any], is_open: bool) -> None:
    recording = one("compute/firewall:Firewall", **rule)
    if is_open:
        with pytest.raises(AssertionError, match=r"admits 0\.0\.0\.0/0"):
            assert_not_open_to_the_world(recording)
    else:
        assert_not_open_to_the_world(recording)


def test_wide_permissions_are_found() -> None:
    assert_no_wildcard_actions(one("projects/iAMCustomRole:IAMCustomRole", permissions=["compute.instances.get"]))
    assert_no_wildcard_actions(one("storage/bucketIAMMember:BucketIAMMember", role="roles/storage.objectViewer"))
    with pytest.raises(AssertionError, match=r"compute\.\*"):
        assert_no_wildcard_actions(one("projects/iAMCustomRole:IAMCustomRole", permissions=["compute.*"]))
    with pytest.raises(AssertionError, match="roles/editor"):
        assert_no_wildcard_actions(one("projects/iAMMember:IAMMember", role="roles/editor"))


@pytest.mark.parametrize(
    "secret",
    ["-----BEGIN PRIVATE KEY-----", "AIza" + "x" * 35, "ya29." + "a" * 40, "GOCSPX-" + "b" * 28],
)
def test_credentials_in_an_input_are_found(secret: str) -> None:
    with pytest.raises(AssertionError, match="note contains a"):
        assert_no_secret(one("compute/network:Network", note=f"it is {secret}."))


def test_labels_are_the_tags() -> None:
    labels = {"clustername": "cfd"}
    assert_tagged(one("compute/disk:Disk", labels=labels), key="ClusterName")
    with pytest.raises(AssertionError):
        assert_tagged(one("compute/disk:Disk", labels={"ClusterName": "cfd"}), key="ClusterName")


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_the_stacks_pass_what_the_matchers_ask(stack: str) -> None:
    recording = recorded(stack)
    assert_no_secret(recording)
    assert_no_wildcard_actions(recording)
    assert_not_open_to_the_world(recording)
