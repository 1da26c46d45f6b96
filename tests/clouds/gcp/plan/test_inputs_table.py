"""The data file against the SDK that it speaks of: a path that is not in the SDK would never be looked at."""

import importlib
import json
from importlib.resources import files
from typing import Any

import pytest
from inputs_table import assert_can_judge, assert_keeps_formats_of_names, leaf

from hpc_components.gcp.plan.inputs.between import BETWEEN
from hpc_components.gcp.plan.inputs.formats import FORMATS
from hpc_components.gcp.plan.inputs.relations import RELATIONS, labels
from hpc_components.preview.recorder.sdk_types import argument_class, properties
from hpc_components.preview.resources import UNKNOWN

TABLE = json.loads((files("hpc_components.gcp.plan.inputs") / "known_values.json").read_text(encoding="utf-8"))


def arguments_of(token: str) -> type:
    _, service, name = token.split(":")
    assert getattr(importlib.import_module(f"pulumi_gcp.{service.partition('/')[0]}"), name)
    found = argument_class(token)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "rule", TABLE["properties"], ids=lambda rule: f"{rule['type'].rpartition(':')[2]}.{rule['path']}"
)
def test_every_path_is_a_property_of_the_sdk(rule: dict[str, Any]) -> None:
    assert leaf(arguments_of(rule["type"]), rule["path"])


def test_every_record_can_judge_and_says_where_it_is_from_and_none_is_there_twice() -> None:
    assert_can_judge(TABLE, FORMATS)
    assert all(each["source"] for each in TABLE["names"])


def test_what_has_a_rule_of_its_own_keeps_that_of_its_name() -> None:
    assert_keeps_formats_of_names(TABLE)


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
def test_values_of_the_right_format_pass(name: str, texts: list[str]) -> None:
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
