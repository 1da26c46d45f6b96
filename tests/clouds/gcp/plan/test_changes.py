"""The table of changes must cover everything in plans and components."""

import ast
import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from change_records import untold_removals
from stack_recordings import recorded, stacks_of

from clouds.inputs_tables import arguments_of, leaf
from hpc_components.gcp.testing import STAND_IN
from hpc_components.products import product_files

Record = Mapping[str, Any]

TABLES: list[list[Record]] = [
    json.loads(Path(str(file)).read_text(encoding="utf-8"))
    for file in (
        files("hpc_components.gcp.plan") / "data/changes.json",
        *product_files("hpc_components.gcp", "changes.json"),
    )
]
RECORDS = [record for table in TABLES for record in table]
PROPERTIES = [record for record in RECORDS if record["kind"] == "property"]
TYPES = {record["type"] for record in RECORDS}

STACKS = stacks_of("gcp")


def around(urn: str) -> set[str]:
    """Return the kinds of the components around a resource: `{"SlurmHeadNode"}`."""
    *components, _ = urn.split("::")[2].split("$")
    return {each.rpartition(":")[2] for each in components}


def leaves(value: Any, path: str) -> Iterator[str]:
    """Yield the paths of all plain values, without indices of lists."""
    if isinstance(value, Mapping) and value:
        for key, each in value.items():
            yield from leaves(each, f"{path}.{key}")
    elif isinstance(value, list) and value:
        for each in value:
            yield from leaves(each, path)
    else:
        yield path


def is_covered(token: str, path: str, components: set[str]) -> bool:
    """Return whether a record covers any change of this input."""
    return any(
        record["type"] == token
        and record.get("within") in (None, *components)
        and "when" not in record
        and (record["property"] == "*" or f"{path}.".startswith(f"{record['property']}."))
        for record in PROPERTIES
    )


@pytest.mark.parametrize("stack", STACKS)
def test_every_input_of_every_stack_is_covered(stack: str) -> None:
    missing = {
        (each.type, path)
        for each in recorded(stack).resources
        for name, value in each.inputs.items()
        for path in leaves(value, name)
        if not is_covered(each.type, path, around(each.urn))
    }
    assert not missing


@pytest.mark.parametrize("stack", STACKS)
def test_what_it_means_that_a_resource_ends_is_known_for_all_of_every_stack(stack: str) -> None:
    known = {
        (record["type"], record.get("within"))
        for record in RECORDS
        if record["kind"] == "resource" and record["op"] == "delete" and "name_like" not in record
    }
    missing = {
        each.type
        for each in recorded(stack).resources
        if not any((each.type, within) in known for within in (None, *around(each.urn)))
    }
    assert not missing


def set_by_components() -> Iterator[tuple[str, str]]:
    """Yield type and name of each input that the components' code can set, whether or not a stack has it."""
    modules = [path for path in files("hpc_components.gcp.components").iterdir() if path.name.endswith(".py")]
    for path in (*modules, *product_files("hpc_components.gcp", "component.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            *_, module, name = ("", *ast.unparse(node.func).split("."))
            token = f"gcp:{module}/{name[0].lower()}{name[1:]}:{name}"
            if token in TYPES:
                yield from ((token, camel(each.arg)) for each in node.keywords if each.arg not in (None, "opts"))


def camel(name: str | None) -> str:
    first, *others = (name or "").split("_")
    return first + "".join(each.capitalize() for each in others)


def test_every_input_that_a_component_can_set_is_covered() -> None:
    found = set(set_by_components())
    assert ("gcp:lustre/instance:Instance", "accessRulesOptions") in found  # no stack has it
    assert ("gcp:filestore/instance:Instance", "kmsKeyName") in found  # a product's
    components = {record["within"] for record in RECORDS if "within" in record}
    parts = {(record["type"], record["property"].partition(".")[0]) for record in PROPERTIES}
    assert not {each for each in found - parts if not is_covered(*each, components)}


def test_every_property_is_an_input_of_the_sdk() -> None:
    named = {(record["type"], record["property"]) for record in PROPERTIES if record["property"] != "*"}
    for token, path in named:
        if token.startswith("pulumi:providers:"):  # its version is the SDK's own
            continue
        name, _, inside = path.partition(".")
        keys_are_anybodys = name in ("labels", "metadata")
        assert leaf(arguments_of(token), name if inside and keys_are_anybodys else path)


def test_no_two_records_say_the_same() -> None:
    named = ("kind", "type", "within", "property", "op", "name_like", "when")
    cases = [tuple(record.get(key) for key in named) for record in RECORDS]
    assert len(set(cases)) == len(cases)


def test_no_record_for_a_case_is_hidden_by_one_for_a_component() -> None:
    """A record with `within` takes precedence over one without, even over one with a case (`shrinks`)."""
    cases = {(each["type"], each["property"], each.get("within"), each.get("when")) for each in PROPERTIES}
    hidden = {
        (token, name, within, when)
        for token, name, within, _ in cases
        for other, same, around_it, when in cases
        if (token, name) == (other, same) and within and around_it is None and when
    }
    assert hidden <= cases


def test_what_the_stand_in_makes_anew_is_made_anew_here() -> None:
    """The same fact, stated for tests with the engine."""
    made_anew = {(each["type"], each["property"]) for each in PROPERTIES if each["action"] in ("replace", "unknown")}
    stated = {
        (token, name) for token, facts in STAND_IN.types().items() for name in facts.force_new if token in TYPES
    }
    assert len(stated) > 100
    assert not stated - made_anew


def test_every_value_that_the_provider_keeps_is_told():
    for stack in STACKS:
        recorded(stack)  # loads the SDK's modules
    assert list(untold_removals(RECORDS)) == []
