"""The data file against the SDK that it speaks of: a path that is not in the SDK would never be looked at."""

import importlib
import json
from importlib.resources import files
from typing import Any

import pytest
from inputs_table import assert_can_judge, assert_keeps_formats_of_names, leaf

from hpc_components.azure.plan.inputs.formats import FORMATS
from hpc_components.azure.plan.inputs.relations import RELATIONS
from hpc_components.preview.recorder.sdk_types import argument_class

TABLE = json.loads((files("hpc_components.azure.plan.inputs") / "known_values.json").read_text(encoding="utf-8"))


def arguments_of(token: str) -> type:
    _, service, name = token.split(":")
    assert getattr(importlib.import_module(f"pulumi_azure_native.{service}"), name)
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


@pytest.mark.parametrize("token", RELATIONS)
def test_relations_are_about_resources_of_the_sdk(token: str) -> None:
    assert arguments_of(token)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arm_id": ["$self/probes/sshd", "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site"],
        "guid": ["5f0f9a61-7a4c-4f0d-9c3a-2f1f4f6d7b10"],
        "key_url": ["https://vault1.vault.azure.net/keys/disks", f"https://v-1.vault.azure.net/keys/d/{'0' * 32}"],
        "nsg_source": ["*", "VirtualNetwork", "Storage.EastUS", "10.0.0.0/8", "2001:db8::/32", "10.0.0.4"],
        "port_range": ["*", "22", "1019-1023", "0"],
        "role": ["/providers/Microsoft.Authorization/roleDefinitions/4633458b-17de-408a-b874-0445c86b69e6"],
        "scope": ["/subscriptions/11111111-2222-3333-4444-555555555555"],
        "time_of_day": ["03:00", "23:59"],
    }.items(),
)
def test_values_of_the_right_format_pass(name: str, texts: list[str]) -> None:
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arm_id": ["site", "/subscriptions/1/resourceGroups/site"],
        "guid": ["5f0f9a61", "5f0f9a617a4c4f0d9c3a2f1f4f6d7b10"],
        "key_url": ["https://vault1.vault.azure.net/secrets/disks", "vault1/disks", "https://v.example.org/keys/d"],
        "nsg_source": ["everybody", "10.0.0.0/8,10.1.0.0/16", "virtualNetwork"],
        "port_range": ["ssh", "70000", "10-5", "22,443"],
        "role": ["Contributor", "/providers/Microsoft.Authorization/roleDefinitions/contributor"],
        "scope": ["/subscriptions/1", "cfd"],
        "time_of_day": ["3:00", "24:00", "noon"],
    }.items(),
)
def test_wrong_forms_are_refused_with_a_way_out(name: str, texts: list[str]) -> None:
    assert all(fault and fault[0] and fault[1] for fault in map(FORMATS[name], texts))
