"""The data file against the SDK that it speaks of: a path that is not in the SDK would never be looked at."""

import re
import warnings

import pulumi_aws
import pytest

from hpc_components.aws.plan.inputs.formats import FORMATS
from hpc_components.aws.plan.inputs.relations import RELATIONS
from hpc_components.aws.plan.inputs.table import table
from hpc_components.preview.recorder.sdk_types import alternatives, argument_class, properties


@pytest.fixture(autouse=True, scope="module")
def _sdk():
    """Load the services of the table; some of their modules warn of their own deprecation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for token in {rule["type"] for rule in table()["properties"]} | RELATIONS.keys():
            _, module, name = token.split(":")
            service = module.split("/")[0]
            assert getattr(getattr(pulumi_aws, {"lambda": "lambda_"}.get(service, service)), name)


def leaf(arguments, path):
    """The property that a path ends at."""
    found = None
    for name in path.replace("[]", "").split("."):
        found = properties(arguments)[name]
        types = [inner for each in alternatives(found.type) for inner in (each, *getattr(each, "__args__", ()))]
        nested = [inner for each in types for inner in alternatives(each) if isinstance(inner, type)]
        arguments = next((each for each in nested if hasattr(each, "_pulumi_input_type")), arguments)
    return found


@pytest.mark.parametrize(
    "rule", table()["properties"], ids=lambda rule: f"{rule['type'].split(':')[2]}.{rule['path']}"
)
def test_every_path_is_a_property_of_the_sdk(rule):
    arguments = argument_class(rule["type"])

    assert arguments is not None
    assert leaf(arguments, rule["path"]) is not None


def test_every_record_can_judge_and_says_where_it_is_from():
    for rule in table()["properties"]:
        assert rule["source"]
        assert {"values", "range", "pattern", "format"} & rule.keys()
        if "pattern" in rule:
            assert re.fullmatch(rule["pattern"], rule["example"])
        if "range" in rule:
            assert rule["range"][0] < rule["range"][1]
        assert rule.get("format", "arn") in FORMATS
    assert all(each["format"] in FORMATS for each in table()["names"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table()["as_of"])


def test_no_property_is_judged_twice():
    places = [(rule["type"], rule["path"]) for rule in table()["properties"]]

    assert len(places) == len(set(places))


@pytest.mark.parametrize("token", RELATIONS)
def test_relations_are_about_resources_of_the_sdk(token):
    assert argument_class(token) is not None
