"""The tables of changes agree with the plans of all stacks, the components and the SDK."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pulumi_aws
import pytest
from change_records import (
    out_of_order,
    read_records,
    read_tables,
    said_twice,
    uncovered,
    unknown_properties,
    untold_removals,
    wrong_shapes,
)
from stack_recordings import recorded, stacks_of

import hpc_components.aws
from hpc_components.aws.testing import STAND_IN
from hpc_components.preview.recorder.sdk_types import argument_class, properties

RECORDS = read_records("aws")
FRAMEWORK = (
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:s3/directoryBucket:DirectoryBucket",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
)
"""Types made with terraform-plugin-framework. Source: terraform-provider-aws, `@FrameworkResource` above each of the
four in internal/service/ec2 and internal/service/s3, read 2026-11-24."""
PACKAGE = Path(hpc_components.aws.__file__).parent
COMPONENTS = sorted((*PACKAGE.glob("components/*.py"), *PACKAGE.glob("*/component.py")))


@pytest.fixture(autouse=True, scope="module")
def _sdk():
    """Load the services of the table."""
    for token in {each["type"] for each in RECORDS if each["type"].startswith("aws:")}:
        _, module, name = token.split(":")
        service = module.split("/")[0]
        assert getattr(getattr(pulumi_aws, {"lambda": "lambda_"}.get(service, service)), name)


def arguments() -> Iterator[tuple[str, str]]:
    """Return type and property of all keyword arguments that components pass to resources."""
    for file in COMPONENTS:
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            match call:
                case ast.Call(func=ast.Attribute(ast.Attribute(ast.Name("aws"), service), name)):
                    token = getattr(getattr(pulumi_aws, service), name).__dict__.get("pulumi_type")
                    given = {each.arg for each in call.keywords} - {"opts"}
                    if token and given:
                        known = properties(argument_class(token)).values()
                        yield from ((token, each.name) for each in known if each.python in given)


def test_every_record_has_a_valid_shape():
    assert list(wrong_shapes(RECORDS)) == []


def test_no_two_records_say_the_same():
    assert list(said_twice(RECORDS)) == []


def test_records_are_in_order():
    assert [fault for table in read_tables("aws") for fault in out_of_order(table)] == []


def test_every_property_is_one_of_the_sdk():
    assert list(unknown_properties(RECORDS)) == []


@pytest.mark.parametrize("stack", stacks_of("aws"))
def test_every_type_and_input_of_a_plan_is_covered(stack):
    assert uncovered(RECORDS, recorded(stack)) == set()


def test_every_argument_of_the_components_is_covered():
    covered = {(each["type"], each.get("property", "").split(".")[0]) for each in RECORDS}
    given = set(arguments())

    assert len(given) > 100
    assert {each for each in given if each not in covered and (each[0], "*") not in covered} == set()


def test_what_the_stand_in_replaces_is_replaced_here():
    """The tests of the engine state the same fact."""
    replaced = {(each["type"], each["property"]) for each in RECORDS if each.get("action") in ("replace", "unknown")}
    types = {each["type"] for each in RECORDS}

    for token, facts in STAND_IN.types().items():
        if token in types and (token, "*") not in replaced:
            assert {(token, name) for name in facts.force_new} <= replaced


def test_every_value_that_the_provider_keeps_is_told():
    assert list(untold_removals(RECORDS, FRAMEWORK)) == []
