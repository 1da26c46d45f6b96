"""Inputs of all stacks, and our own tables, compared with names and values in Google's discovery documents.

The documents come with google-api-python-client: in version 2.202.0 that of Compute Engine is of 2026-11-06. There
is none of Managed Lustre.
"""

import json
from importlib.resources import files
from typing import Any

import pytest
from stack_recordings import recorded, stacks_of

pytest.importorskip("googleapiclient", reason="google-api-python-client is not there: make check")

from clouds.gcp.plan.discovery import ELSEWHERE, PROVIDERS_OWN, SCHEMAS, allowed_values, is_known, mismatches

TABLE = json.loads((files("hpc_components.gcp.plan.inputs") / "known_values.json").read_text(encoding="utf-8"))

NO_DOCUMENT = {
    "gcp:compute/subnetworkIAMMember:SubnetworkIAMMember",
    "gcp:lustre/instance:Instance",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/service:Service",
    "gcp:projects/serviceIdentity:ServiceIdentity",
    "gcp:secretmanager/secretIamMember:SecretIamMember",
    "gcp:serviceaccount/iAMMember:IAMMember",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
}
"""Lustre's API is not in the package; bindings, enabled services and agents are no resources of an API."""

TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_google_knows_every_name_and_value(stack: str) -> None:
    found = {
        (each.type, fault)
        for each in recorded(stack).resources
        if each.custom and each.type in SCHEMAS
        for fault in mismatches(each.type, each.inputs)
    }
    assert found == set()


def test_every_type_has_a_document_or_a_reason() -> None:
    types = {each.type for stack in stacks_of("gcp") for each in recorded(stack).resources if each.custom}
    assert types - SCHEMAS.keys() - {"pulumi:providers:gcp"} == NO_DOCUMENT


def test_no_exception_is_left_over() -> None:
    """Each exception is for an input of some stack that the documents lack."""
    given = {
        (each.type, path)
        for stack in stacks_of("gcp")
        for each in recorded(stack).resources
        for path in _paths(each.inputs, "")
    }
    own = {(type, path) for type, paths in PROVIDERS_OWN.items() for path in paths if type != "*"}
    assert (own | ELSEWHERE.keys()) - given == set()
    assert {path for type, path in ELSEWHERE if is_known(type, path)} == set()


def _paths(value: Any, path: str) -> set[str]:
    found = {path}
    if isinstance(value, dict):
        found |= {inner for name, each in value.items() for inner in _paths(each, f"{path}.{name}" if path else name)}
    elif isinstance(value, list):
        found |= {inner for each in value for inner in _paths(each, f"{path}[]")}
    return found


@pytest.mark.parametrize(
    ("type", "inputs", "path"),
    [
        (TEMPLATE, {"machineTyp": "h3-standard-88"}, "machineTyp"),
        (TEMPLATE, {"scheduling": {"onHostMaintenance": "STOP"}}, "scheduling.onHostMaintenance"),
        (TEMPLATE, {"networkInterfaces": [{"nicType": "FAST"}]}, "networkInterfaces[].nicType"),
        (TEMPLATE, {"reservationAffinity": {"type": "ANY"}}, "reservationAffinity.type"),
        (TEMPLATE, {"labels": ["a"]}, "labels"),
        ("gcp:compute/network:Network", {"routingMode": "LOCAL"}, "routingMode"),
        ("gcp:compute/firewall:Firewall", {"allows": [{"portRange": "22"}]}, "allows[].portRange"),
        ("gcp:filestore/instance:Instance", {"fileShares": {"nfsExportOptions": [{"squashMode": "ALL"}]}},
         "fileShares.nfsExportOptions[].squashMode"),
        ("gcp:storage/bucket:Bucket", {"lifecycleRules": [{"condition": {"days": 3}}]},
         "lifecycleRules[].condition.days"),
    ],
)  # fmt: skip
def test_what_google_does_not_know_is_told(type: str, inputs: dict[str, Any], path: str) -> None:
    (found,) = mismatches(type, inputs)
    assert found.path == path


def test_values_of_our_table_are_googles() -> None:
    """Return all values of a document, except placeholders."""
    checked = 0
    for rule in TABLE["properties"]:
        known = allowed_values(rule["type"], rule["path"]) if rule["type"] in SCHEMAS and "values" in rule else None
        if known:
            checked += 1
            assert {value for value in known if "UNSPECIFIED" not in value and "INVALID" not in value} == {
                *rule["values"]
            }
    assert checked >= 35
