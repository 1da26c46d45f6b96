"""The data file against the SDK that it speaks of: a path that is not in the SDK would never be looked at."""

import importlib
import json
import re
from importlib.resources import files
from typing import Any

import pytest

from hpc_components.gcp.plan.inputs.between import BETWEEN
from hpc_components.gcp.plan.inputs.formats import FORMATS
from hpc_components.gcp.plan.inputs.relations import RELATIONS, labels
from hpc_components.preview.recorder.sdk_types import Property, alternatives, argument_class, properties
from hpc_components.preview.resources import UNKNOWN

TABLE = json.loads((files("hpc_components.gcp.plan.inputs") / "known_values.json").read_text(encoding="utf-8"))


def arguments_of(token: str) -> type:
    _, service, name = token.split(":")
    assert getattr(importlib.import_module(f"pulumi_gcp.{service.partition('/')[0]}"), name)
    found = argument_class(token)
    assert found is not None
    return found


def leaf(arguments: type, path: str) -> Property:
    """The property that a path ends at."""
    *way, last = path.replace("[]", "").split(".")
    for name in way:
        types = [inner for each in alternatives(properties(arguments)[name].type) for inner in (each, *_inside(each))]
        nested = [inner for each in types for inner in alternatives(each)]
        arguments = next(each for each in nested if hasattr(each, "_pulumi_input_type"))
    return properties(arguments)[last]


def _inside(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__args__", ())


@pytest.mark.parametrize(
    "rule", TABLE["properties"], ids=lambda rule: f"{rule['type'].rpartition(':')[2]}.{rule['path']}"
)
def test_every_path_is_a_property_of_the_sdk(rule: dict[str, Any]) -> None:
    assert leaf(arguments_of(rule["type"]), rule["path"])


def test_every_record_can_judge_and_says_where_it_is_from() -> None:
    for rule in TABLE["properties"]:
        assert rule["source"]
        assert {"values", "range", "pattern", "format", "max_decoded_bytes"} & rule.keys()
        if "pattern" in rule:
            assert re.fullmatch(rule["pattern"], rule["example"])
        if "range" in rule:
            assert rule["range"][0] < rule["range"][1]
        assert rule.get("format", "role") in FORMATS
    assert all(each["format"] in FORMATS and each["source"] for each in TABLE["names"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", TABLE["as_of"])


def test_what_has_a_rule_of_its_own_keeps_that_of_its_name() -> None:
    """Of two rules only the path's own holds, so a format that the name has must be repeated there."""
    by_name = {rule["name"]: rule for rule in TABLE["names"]}
    for rule in TABLE["properties"]:
        of_name = by_name.get(rule["path"].rpartition(".")[2])
        assert of_name is None or "format" in rule, rule


def test_no_property_is_judged_twice() -> None:
    places = [(rule["type"], rule["path"]) for rule in TABLE["properties"]]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("token", sorted({*RELATIONS, *BETWEEN}))
def test_relations_are_about_resources_of_the_sdk(token: str) -> None:
    assert arguments_of(token)


@pytest.mark.parametrize("token", RELATIONS)
def test_a_resource_of_which_nothing_is_known_passes(token: str) -> None:
    assert [fault for check in RELATIONS[token] for fault in check({})] == []
    unknown = dict.fromkeys(properties(arguments_of(token)), UNKNOWN)
    assert [fault for check in (*RELATIONS[token], labels) for fault in check(unknown)] == []


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "cidr": ["10.0.0.0/8", "203.0.113.7", "2001:db8::/32"],
        "firewall_protocol": ["tcp", "all", "17", "0"],
        "member": ["user:a@b.org", "serviceAccount:x@p.iam.gserviceaccount.com", "allUsers", "projectOwner:p"],
        "network_profile": ["projects/p/global/networkProfiles/us-central1-a-vpc-falcon"],
        "permission": ["compute.instances.get", "lustre.instances.exportData"],
        "port_range": ["22", "6817-6829", "0"],
        "role": ["roles/storage.objectViewer", "projects/p/roles/cfd_head", "organizations/1/roles/x"],
    }.items(),
)
def test_right_forms_pass(name: str, texts: list[str]) -> None:
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "cidr": ["campus", "10.0.0.1/8", "10.0.0.0/33"],
        "firewall_protocol": ["tpc", "TCP", "256", "-1"],
        "member": ["a@b.org", "serviceaccount:x", "user:"],
        "network_profile": ["us-central1-a-vpc-falcon", "projects/p/global/networks/x"],
        "permission": ["compute.*", "compute", "compute.instances."],
        "port_range": ["ssh", "22-21", "70000", "*", "22,443"],
        "role": ["storage.objectViewer", "roles/", "projects/p/x"],
    }.items(),
)
def test_wrong_forms_are_refused_with_a_way_out(name: str, texts: list[str]) -> None:
    assert all(fault and fault[0] and fault[1] for fault in map(FORMATS[name], texts))
