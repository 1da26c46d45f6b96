"""The data files against the SDKs that they speak of: a path that is not in the SDK would never be looked at."""

import json
from importlib import import_module
from importlib.resources import files
from typing import Any

import pytest

from clouds.inputs_tables import arguments_of, assert_can_judge, assert_keeps_formats_of_names, leaf
from hpc_components.cloud import cloud_named
from hpc_components.gcp.plan.inputs.between import BETWEEN
from hpc_components.preview.recorder.sdk_types import properties
from hpc_components.preview.resources import UNKNOWN
from hpc_components.products import product_files

ROOMS = {cloud: f"hpc_components.{cloud}.plan.inputs" for cloud in ("aws", "azure", "gcp")}
TABLES = {
    cloud: json.loads((files(room) / "known_values.json").read_text(encoding="utf-8"))
    for cloud, room in ROOMS.items()
}
for cloud, table in TABLES.items():
    facts = [file.read_text(encoding="utf-8") for file in product_files(f"hpc_components.{cloud}", "facts.json")]
    table["properties"] += [each for text in facts for each in json.loads(text) if each["kind"] == "input"]
FORMATS = {cloud: import_module(f"{room}.formats").FORMATS for cloud, room in ROOMS.items()}
RELATIONS_OF = {cloud: cloud_named(cloud).parts.plan_reader.inputs().relations for cloud in ROOMS}
RELATIONS = {token: checks for relations in RELATIONS_OF.values() for token, checks in relations.items()}


@pytest.mark.parametrize("cloud", ROOMS)
def test_each_cloud_has_rules_of_paths_of_names_and_of_relations(cloud: str) -> None:
    assert TABLES[cloud]["properties"]
    assert TABLES[cloud]["names"]
    assert FORMATS[cloud]
    assert RELATIONS_OF[cloud]


@pytest.mark.parametrize(
    "rule",
    [rule for table in TABLES.values() for rule in table["properties"]],
    ids=lambda rule: f"{rule['type'].rpartition(':')[2]}.{rule['path']}",
)
def test_every_path_is_a_property_of_the_sdk(rule: dict[str, Any]) -> None:
    assert leaf(arguments_of(rule["type"]), rule["path"]) is not None


@pytest.mark.parametrize("cloud", ROOMS)
def test_every_record_can_judge_and_says_where_it_is_from_and_none_is_there_twice(cloud: str) -> None:
    assert_can_judge(TABLES[cloud], FORMATS[cloud])


@pytest.mark.parametrize("cloud", ROOMS)
def test_what_has_a_rule_of_its_own_keeps_that_of_its_name(cloud: str) -> None:
    assert_keeps_formats_of_names(TABLES[cloud])


@pytest.mark.parametrize("token", sorted({*RELATIONS, *BETWEEN}))
def test_relations_are_about_resources_of_the_sdk(token: str) -> None:
    assert arguments_of(token)


@pytest.mark.parametrize("token", RELATIONS)
def test_a_resource_of_which_nothing_is_known_passes(token: str) -> None:
    unknown = dict.fromkeys(properties(arguments_of(token)), UNKNOWN)
    assert [fault for check in RELATIONS[token] for inputs in ({}, unknown) for fault in check(inputs)] == []
