from dataclasses import replace
from typing import Any

import pytest

from engine.graphs import IS_SECRET, SIGNATURE, differences
from hpc_components.preview.record import SECRET, UNKNOWN, RecordedResource, Recording
from hpc_components.testing.engine import StackState

STACK = "urn:pulumi:dev::hpc::pulumi:pulumi:Stack::hpc-dev"
URN = "urn:pulumi:dev::hpc::aws:ec2/subnet:Subnet::subnet"
VPC = "urn:pulumi:dev::hpc::aws:ec2/vpc:Vpc::vpc"
FILE = {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "hash": "h", "text": "t"}
RECORDED = RecordedResource(
    urn=URN,
    type="aws:ec2/subnet:Subnet",
    name="subnet",
    inputs={"vpcId": UNKNOWN, "cidr": "c", "key": SECRET, "tags": {"a": "b"}, "file": {"asset": {"sha256": "h"}}},
    depends_on=(VPC,),
)
REAL = {
    "urn": URN,
    "type": "aws:ec2/subnet:Subnet",
    "custom": True,
    "parent": STACK,
    "dependencies": [VPC],
    "inputs": {
        "__defaults": ["name"],
        "name": "subnet-1",
        "vpcId": "vpc-1",
        "cidr": "c",
        "key": {SIGNATURE: IS_SECRET, "ciphertext": "x"},
        "tags": {"a": "b"},
        "file": FILE,
    },
}


def compare(recorded: list[RecordedResource], real: list[dict[str, Any]]) -> list[str]:
    recording = Recording(stack="dev", project="hpc", resources=tuple(recorded))
    return [each.removeprefix(URN) for each in differences(recording, StackState.of_records(real))]


def test_the_same_graph_has_no_difference() -> None:
    assert compare([RECORDED], [REAL]) == []


def test_a_resource_in_only_one_graph_is_told() -> None:
    assert compare([RECORDED], []) == [": only recorded"]
    assert compare([], [REAL]) == [": only in the engine"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"inputs": {**RECORDED.inputs, "cidr": "d"}}, ".cidr is"),
        ({"inputs": {**RECORDED.inputs, "cidr": SECRET}}, ".cidr is"),
        ({"inputs": {**RECORDED.inputs, "key": "open"}}, ".key is"),
        ({"inputs": {**RECORDED.inputs, "more": UNKNOWN}}, ".more is"),
        ({"inputs": {**RECORDED.inputs, "tags": {"a": "b", "c": "d"}}}, ".tags.c is"),
        ({"inputs": {**RECORDED.inputs, "file": {"asset": {"sha256": "other"}}}}, ".file is"),
        ({"inputs": {key: value for key, value in RECORDED.inputs.items() if key != "vpcId"}}, ".vpcId is"),
        ({"protect": True}, "protect is"),
        ({"retain": True}, "retain is"),
        ({"custom": False}, "custom is"),
        ({"parent": VPC}, "parent is"),
        ({"depends_on": ()}, "dependencies is"),
    ],
)
def test_what_differs_is_told(changed: dict[str, Any], told: str) -> None:
    assert [each for each in compare([replace(RECORDED, **changed)], [REAL]) if told in each]
