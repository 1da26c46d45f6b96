"""The data file against the SDK that it speaks of: a path that is not in the SDK would never be looked at."""

import warnings

import pulumi_aws
import pytest
from inputs_table import assert_can_judge, leaf

from hpc_components.aws.plan.inputs.formats import FORMATS
from hpc_components.aws.plan.inputs.relations import RELATIONS
from hpc_components.aws.plan.inputs.table import table
from hpc_components.preview.recorder.sdk_types import argument_class


@pytest.fixture(autouse=True, scope="module")
def _sdk():
    """Load the services of the table; some of their modules warn of their own deprecation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for token in {rule["type"] for rule in table()["properties"]} | RELATIONS.keys():
            _, module, name = token.split(":")
            service = module.split("/")[0]
            assert getattr(getattr(pulumi_aws, {"lambda": "lambda_"}.get(service, service)), name)


@pytest.mark.parametrize(
    "rule", table()["properties"], ids=lambda rule: f"{rule['type'].split(':')[2]}.{rule['path']}"
)
def test_every_path_is_a_property_of_the_sdk(rule):
    arguments = argument_class(rule["type"])

    assert arguments is not None
    assert leaf(arguments, rule["path"]) is not None


def test_every_record_can_judge_and_says_where_it_is_from_and_none_is_there_twice() -> None:
    assert_can_judge(table(), FORMATS)


@pytest.mark.parametrize("token", RELATIONS)
def test_relations_are_about_resources_of_the_sdk(token):
    assert argument_class(token) is not None
