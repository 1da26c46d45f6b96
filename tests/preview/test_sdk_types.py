"""What we take from private parts of `pulumi`. When one of these fails after an update, `sdk_types` must follow."""

import warnings

import pulumi
import pytest
from pulumi import _types

from hpc_components.preview.record import record
from hpc_components.preview.recorder.sdk_types import (
    alternatives,
    argument_class,
    is_argument_class,
    is_output_class,
    output_types,
    properties,
    resource_class,
)

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.fixture(scope="module")
def aws():
    import pulumi_aws

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert pulumi_aws.ec2.LaunchTemplate
        assert pulumi_aws.s3.BucketServerSideEncryptionConfiguration
    return pulumi_aws


def test_classes_are_found_by_their_tokens(aws):
    assert resource_class(TEMPLATE) is aws.ec2.LaunchTemplate
    assert argument_class(TEMPLATE) is aws.ec2.LaunchTemplateArgs
    assert resource_class("aws:ec2/nothing:Nothing") is None
    assert argument_class("aws:ec2/nothing:Nothing") is None


def test_an_argument_class_whose_name_is_taken_is_found(aws):
    found = argument_class("aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration")

    assert {"bucket", "rules"} <= properties(found).keys()


def test_properties_know_both_names_their_type_and_whether_they_are_required(aws):
    found = properties(aws.ec2.PlacementGroupArgs)

    assert found["partitionCount"].python == "partition_count"
    assert found["partitionCount"].type is int
    assert not found["partitionCount"].required
    assert found["strategy"].required
    assert "`cluster`" in found["strategy"].doc


def test_a_type_loses_what_wraps_it(aws):
    strategy = alternatives(properties(aws.ec2.PlacementGroupArgs)["strategy"].type)
    cards = alternatives(properties(aws.ec2.LaunchTemplateArgs)["networkInterfaces"].type)

    assert strategy[0] is str
    assert len(strategy) == 2
    (card,) = alternatives(cards[0].__args__[0])
    assert card is aws.ec2.LaunchTemplateNetworkInterfaceArgs
    assert is_argument_class(card)
    assert not is_output_class(card)


def test_outputs_have_the_types_of_the_sdk(aws):
    outputs = output_types(aws.ec2.LaunchTemplate)

    assert outputs["latestVersion"] is int
    assert is_output_class(outputs["cpuOptions"])
    assert output_types(outputs["cpuOptions"])["threadsPerCore"] is int


@pytest.mark.parametrize(
    "name",
    ["resource_types", "input_type_types", "output_type_types", "is_input_type", "is_output_type", "_py_properties"],
)
def test_the_private_functions_are_there(name):
    assert callable(getattr(_types, name))


@pytest.mark.parametrize("name", ["_get", "_get_bool", "_get_int", "_get_float", "_get_object"])
def test_configuration_is_read_through_these(name):
    assert callable(getattr(pulumi.Config, name))


def test_the_settings_of_the_sdk_are_found():
    """Those that a run must put back are recognised by their `fset`."""
    names = {name for name, value in vars(pulumi.runtime.Settings).items() if hasattr(value, "fset")}

    assert {"monitor", "engine", "project", "stack", "dry_run", "rpc_manager", "outputs"} <= names


def test_the_sdk_still_wraps_values_as_the_recorder_reads_them():
    """The signatures of secrets, assets and resources are constants of the protocol."""
    from pulumi.runtime import rpc

    from hpc_components.preview.recorder import wire

    for name in ("secret", "asset", "archive", "resource"):
        assert getattr(wire, f"_SIG_{name.upper()}") == getattr(rpc, f"_special_{name}_sig")
    assert rpc._special_sig_key == wire._SIGNATURE
    assert rpc.UNKNOWN == wire._UNKNOWN
    assert record(lambda: pulumi.export("a", pulumi.Output.secret("b"))).outputs == {"a": "<secret>"}
