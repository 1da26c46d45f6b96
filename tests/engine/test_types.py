"""The stand-in's table of AWS types against the SDK that is installed."""

import importlib
import json
import re
from importlib.resources import files
from typing import Any

import pytest

from hpc_components.preview.recorder.sdk import sdk_on_demand
from hpc_components.preview.recorder.sdk_types import output_types
from hpc_components.testing._invent import Birth
from hpc_components.testing.facts import type_facts

TABLE = json.loads((files("hpc_components.aws.testing") / "data" / "types.json").read_text())
TYPES = sorted(TABLE["types"])


def test_the_table_says_where_it_comes_from() -> None:
    assert TABLE["as_of"]
    assert all(record["source"].endswith(".go") for record in TABLE["types"].values())


@pytest.mark.parametrize("type_", TYPES)
def test_every_property_exists_in_the_sdk(type_: str) -> None:
    record = TABLE["types"][type_]
    service, cls = type_.split(":")[1].split("/")[0], type_.rpartition(":")[2]
    with sdk_on_demand():
        module = importlib.import_module(f"pulumi_aws.{'lambda_' if service == 'lambda' else service}")
        known = set(output_types(getattr(module, cls)))
    named = {
        *(re.split(r"[.\[]", path)[0] for path in record["forceNew"]),
        *record.get("growOnly", ()),
        *record.get("forceNewWhen", ()),
        *record["outputs"],
        *([record["autoname"]["property"]] if "autoname" in record else []),
    }
    assert named <= known, named - known


@pytest.mark.parametrize("type_", TYPES)
def test_every_template_can_be_filled(type_: str) -> None:
    facts = type_facts(type_)
    inputs = {"functionName": "f", "routeTableId": "rtb-1", "fileSystemId": "fs-1", "bucket": "b", "key": "k"}
    inputs |= {"role": "r", "secretArn": "arn", "queueUrl": "q", "topic": "t", "arn": "arn", "rule": "rule"}
    inputs |= {"dashboardName": "d", "targetGroupArn": "arn", "zoneId": "Z", "type": "A", "name": "n"}
    inputs |= {"autoscalingGroupName": "g", "budgetName": "b", "version": "1.0.0"}
    if facts.autoname:
        inputs[facts.autoname.property] = "n"
    birth = make(type_, inputs=inputs)
    assert birth.id
    missing = set(facts.outputs) - set(birth.outputs(birth.id))
    assert not missing
    assert not re.search(r"{\w", json.dumps(birth.outputs(birth.id)))


def test_holders_are_types_of_the_table() -> None:
    for record in TABLE["types"].values():
        assert {*record.get("heldBy", {}).get("types", ()), *record.get("takesAlong", ())} <= set(TYPES)


def test_a_replacement_gets_an_id_of_its_own_and_an_update_keeps_what_was() -> None:
    first, second = (make("aws:ec2/launchTemplate:LaunchTemplate", generation=each) for each in (0, 1))
    assert first.id != second.id
    outputs = first.outputs(first.id)
    updated = make("aws:ec2/launchTemplate:LaunchTemplate", revision=2)
    assert updated.renewed(outputs, id_=first.id, preview=False) == {
        **outputs,
        "latestVersion": 2,
        "defaultVersion": 2,
    }
    assert updated.renewed(outputs, id_=first.id, preview=True)["arn"] == outputs["arn"]


@pytest.mark.parametrize(
    ("region", "given", "zone", "zone_id"),
    [
        ("us-east-2", {"availabilityZoneId": "use2-az2"}, "us-east-2b", "use2-az2"),
        ("eu-north-1", {"availabilityZone": "eu-north-1a"}, "eu-north-1a", "eun1-az1"),
        ("ap-southeast-2", {"availabilityZone": "ap-southeast-2c"}, "ap-southeast-2c", "apse2-az3"),
    ],
)
def test_zones_and_their_ids_belong_together(region: str, given: dict[str, str], zone: str, zone_id: str) -> None:
    outputs = make("aws:ec2/subnet:Subnet", region=region, inputs=given).outputs("subnet-1")
    assert (outputs["availabilityZone"], outputs["availabilityZoneId"]) == (zone, zone_id)


def make(type_: str, **changed: Any) -> Birth:
    urn = f"urn:pulumi:dev::hpc::{type_}::thing"
    given: dict[str, Any] = {
        "generation": 0,
        "revision": 1,
        "region": "us-east-2",
        "inputs": {"name": "thing"},
    } | changed
    return Birth(urn=urn, facts=type_facts(type_), **given)
