"""What every cloud's `known_values.json` must be, and how its paths are followed into the SDK that it speaks of."""

import importlib
import keyword
import re
import warnings
from collections.abc import Container, Mapping
from typing import Any

from hpc_components.preview.recorder.sdk_types import Property, alternatives, argument_class, properties


def arguments_of(token: str) -> type:
    """The argument class of a resource in its SDK, whose module is loaded; some warn of their own deprecation."""
    package, module, name = token.split(":")
    service = module.partition("/")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        sdk = importlib.import_module(f"pulumi_{package.replace('-', '_')}")
        assert getattr(getattr(sdk, f"{service}_" if keyword.iskeyword(service) else service), name)
    found = argument_class(token)
    assert found is not None
    return found


def leaf(arguments: type, path: str) -> Property:
    """The property of an argument class that a path ends at. KeyError if there is none."""
    *way, last = path.replace("[]", "").split(".")
    for name in way:
        types = [inner for each in alternatives(properties(arguments)[name].type) for inner in (each, *_inside(each))]
        nested = [inner for each in types for inner in alternatives(each)]
        arguments = next(each for each in nested if hasattr(each, "_pulumi_input_type"))
    return properties(arguments)[last]


def _inside(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__args__", ())


def assert_can_judge(table: Mapping[str, Any], formats: Container[str]) -> None:
    """Every record has something to judge by, and says where that is from; no property is judged twice."""
    for rule in table["properties"]:
        assert rule["source"]
        assert {"values", "range", "pattern", "format", "max_decoded_bytes"} & rule.keys()
        if "pattern" in rule:
            assert re.fullmatch(rule["pattern"], rule["example"])
        if "range" in rule:
            assert rule["range"][0] < rule["range"][1]
        assert "format" not in rule or rule["format"] in formats
    assert all(each["format"] in formats for each in table["names"])
    assert all(each["source"] for each in table["names"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table["as_of"])
    places = [(rule["type"], rule["path"]) for rule in table["properties"]]
    assert len(places) == len(set(places))


def assert_keeps_formats_of_names(table: Mapping[str, Any]) -> None:
    """Of two rules only the path's own holds, so a format that the name has must be repeated there."""
    by_name = {rule["name"]: rule for rule in table["names"]}
    for rule in table["properties"]:
        of_name = by_name.get(rule["path"].rpartition(".")[2])
        assert of_name is None or "format" in rule, rule
