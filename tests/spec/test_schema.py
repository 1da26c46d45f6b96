"""The JSON schema, checked with a small validator of the words that it uses."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hpc_components.spec.project import open_stack_file
from hpc_components.spec.schema import json_schema
from tests.spec.described import document

ROOT = Path(__file__).parent.parent.parent
STACKS = sorted((ROOT / "stacks" / "config").glob("*.yaml"))
CORPUS = sorted((ROOT / "tests" / "corpus").glob("*.yaml"))
WELL_FORMED = [file for file in CORPUS if "-FRM-" not in file.name]
KINDS = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip
KNOWN = {
    "$ref", "$schema", "$defs", "title", "description", "default", "examples", "format", "type", "properties",
    "required", "additionalProperties", "propertyNames", "items", "prefixItems", "enum", "const", "anyOf", "oneOf",
    "discriminator", "pattern",
}  # fmt: skip


@cache
def whole() -> dict[str, Any]:
    """The schema; making it takes a while, and who only collects the tests needs none."""
    return json_schema()


@cache
def data_of(file: Path) -> Any:
    return open_stack_file(file).document.data


def is_kind(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def accepts(schema: Any, value: Any) -> bool:
    """Whether `value` is as `schema` says; fails on a word of JSON schema that it does not know."""
    if isinstance(schema, bool):
        return schema
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        return accepts(whole()["$defs"][schema["$ref"].removeprefix("#/$defs/")], value)
    checks = [
        "type" not in schema or is_kind(value, schema["type"]),
        "const" not in schema or value == schema["const"],
        "enum" not in schema or value in schema["enum"],
        "anyOf" not in schema or any(accepts(one, value) for one in schema["anyOf"]),
        "oneOf" not in schema or sum(accepts(one, value) for one in schema["oneOf"]) == 1,
        not isinstance(value, str) or re.search(schema.get("pattern", ""), value) is not None,
    ]
    if isinstance(value, list):
        checks += [accepts(schema.get("items", True), item) for item in value]
    if isinstance(value, dict):
        known, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        checks += [accepts(known.get(key, rest), item) for key, item in value.items()]
        checks += [accepts(schema.get("propertyNames", True), key) for key in value]
        checks += [key in value for key in schema.get("required", ())]
    return all(checks)


def every(schema: Any) -> list[dict[str, Any]]:
    """`schema` and all schemas in it."""
    if isinstance(schema, list):
        return [found for part in schema for found in every(part)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(found for part in schema.values() for found in every(part))]


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.stem)
def test_the_reference_stacks_are_accepted(file: Path) -> None:
    assert accepts(whole(), data_of(file))


@pytest.mark.parametrize("file", WELL_FORMED, ids=lambda file: file.stem)
def test_what_only_rules_refuse_is_accepted(file: Path) -> None:
    assert accepts(whole(), data_of(file))


MISTAKES = [
    "nam: x", "name: 1", "throw_away: 1", "queues: cpu", "queues: [cpu]", "queues: [{name: cpu, machine: m}]",
    "queues: [{name: cpu, machine: m, max: '1'}]", "queues: [{name: cpu, machine: m, max: true}]",
    "queues: [{name: cpu, machine: m, max: 1, memory: 100}]",
    "queues: [{name: cpu, machine: m, max: 1, memory: 100GIB}]",
    "queues: [{name: cpu, machine: m, max: 1, placement: clustr}]",
    "queues: [{name: cpu, machine: m, max: 1, purchase: spott}]",
    "queues: [{name: cpu, machine: m, max: 1, purchase: {spot: true}}]",
    "storage: {home: {type: nsf, mount: /home}}", "storage: {home: {mount: /home}}",
    "storage: {home: {type: efs, mount: /home, size: 1TiB}}", "buckets: {b: {type: nfs}}",
    "buckets: {b: {type: s3, archive: {glaceir: 3d}}}", "log_retention: ''", "cloud: gcp",
]  # fmt: skip


@pytest.mark.parametrize("changes", MISTAKES)
def test_mistakes_of_form_are_refused_while_they_are_typed(changes: str) -> None:
    assert accepts(whole(), {"config": {"hpc:cluster": document().data}})
    assert not accepts(whole(), {"config": {"hpc:cluster": document(changes).data}})


def test_stack_files_hold_other_things_too() -> None:
    data = {"config": {"hpc:cluster": document().data, "aws:region": "us-east-2"}, "encryptionsalt": "v1:..."}
    assert accepts(whole(), data)


def test_it_says_by_which_standard_it_is_written() -> None:
    assert whole()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_references_lead_somewhere_and_nothing_is_left_over() -> None:
    used = {found["$ref"].removeprefix("#/$defs/") for found in every(whole()) if isinstance(found.get("$ref"), str)}
    assert used == set(whole()["$defs"])


def test_every_field_is_described() -> None:
    models = whole()["$defs"].items()
    bare = [
        f"{name}.{field}"
        for name, model in models
        for field, schema in model.get("properties", {}).items()
        if not schema.get("description") and "const" not in schema
    ]
    assert bare == []


def test_unions_are_told_by_their_type() -> None:
    storage = whole()["$defs"]["AwsClusterSpec"]["properties"]["storage"]["additionalProperties"]
    assert storage["discriminator"]["propertyName"] == "type"
    assert sorted(storage["discriminator"]["mapping"]) == ["efs", "lustre", "nfs"]


def test_the_official_validator_agrees() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs the package jsonschema")
    jsonschema.Draft202012Validator.check_schema(whole())
    official = jsonschema.Draft202012Validator(whole())
    for file in (*STACKS, *WELL_FORMED):
        official.validate(data_of(file))
    mistaken = ({"config": {"hpc:cluster": document(changes).data}} for changes in MISTAKES)
    assert [data for data in mistaken if official.is_valid(data)] == []
