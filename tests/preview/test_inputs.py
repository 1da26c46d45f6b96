from typing import ClassVar

import pulumi
import pulumi_aws as aws
import pytest
from input_samples import FAULTS, REFUSED_BY_THE_SDK, RESOURCES, faulty, make, wire_path

from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import ProgramError, record
from hpc_components.spec.input_rules import INPUT_RULES, FaultKind


def faults_of(cls, arguments):
    return check_inputs(record(lambda: make(cls, arguments)))


@pytest.mark.parametrize("name", RESOURCES)
def test_what_is_right_passes(name):
    cls, arguments = RESOURCES[name]

    assert faults_of(cls, arguments) == []


@pytest.mark.parametrize(
    ("name", "place", "value", "path"), FAULTS, ids=[f"{name}:{place}" for name, place, *_ in FAULTS]
)
def test_every_seeded_fault_is_found_at_its_place(name, place, value, path):
    cls = RESOURCES[name][0]

    found = faults_of(cls, faulty(name, place, value))

    assert (path or wire_path(place)) in [fault.path for fault in found]
    assert all(fault.reason and fault.remedy for fault in found)


@pytest.mark.parametrize(("name", "place", "value"), REFUSED_BY_THE_SDK)
def test_what_the_sdk_can_not_send_stops_the_program(name, place, value):
    with pytest.raises(ProgramError, match=place):
        faults_of(RESOURCES[name][0], faulty(name, place, value))


def test_seeded_faults_are_in_all_resources_of_a_cluster():
    assert len(FAULTS) >= 60
    assert {name for name, *_ in FAULTS} >= set(RESOURCES) - {"local-zone-subnet", "partitions", "web", "object"}


@pytest.mark.parametrize(
    ("name", "place", "value", "kind"),
    [
        ("efs", "throughput_mode", "provisioned", FaultKind.MISSING),
        ("volume", "type", "io2", FaultKind.MISSING),
        ("volume", "tags", {"aws:Name": "cfd"}, FaultKind.NOT_ALLOWED),
        ("volume", "tags", {"Name": "x" * 257}, FaultKind.OUT_OF_RANGE),
        ("volume", "tags", {str(number): "" for number in range(51)}, FaultKind.OUT_OF_RANGE),
        ("template", "user_data", "A" * 24000, FaultKind.OUT_OF_RANGE),
        ("template", "user_data", "#!/bin/sh", FaultKind.MALFORMED),
        ("fleet", "desired_capacity", 9, FaultKind.CONFLICTING),
        ("scratch", "storage_capacity", 1300, FaultKind.CONFLICTING),
    ],
)
def test_a_fault_is_of_the_kind_that_it_means_however_it_reads(name, place, value, kind):
    (fault,) = faults_of(RESOURCES[name][0], faulty(name, place, value))
    assert fault.kind is kind


def test_every_kind_has_a_rule_and_an_id_of_its_own():
    assert set(INPUT_RULES) == set(FaultKind)
    assert len({rule.id for rule in INPUT_RULES.values()}) == len(FaultKind)


class TestMessages:
    def test_a_misspelt_name_is_answered_with_the_right_one(self):
        (fault,) = faults_of("ec2.LaunchTemplate", {"cpu_options": {"core_cuont": 2}})

        assert fault.reason == "the property `core_cuont` does not exist"
        assert fault.remedy == "did you mean `core_count`?"
        assert fault.value == 2
        assert fault.type == "aws:ec2/launchTemplate:LaunchTemplate"
        assert fault.urn.endswith("::resource")

    def test_a_fault_reads_as_a_sentence(self):
        (fault,) = faults_of("ec2.PlacementGroup", {"strategy": "clusterz"})

        assert str(fault) == (
            "PlacementGroup 'resource': strategy = 'clusterz': is not one of `cluster`, `partition`, `spread`; "
            "did you mean `cluster`?"
        )


class TestValuesThatNobodyKnows:
    def test_unknown_and_secret_values_pass_and_their_neighbours_are_judged(self):
        def program():
            subnet = aws.ec2.Subnet("subnet", vpc_id="vpc-1", cidr_block="10.0.0.0/24")
            aws.ec2.LaunchTemplate(
                "template",
                user_data=pulumi.Output.secret("not base64"),
                image_id=subnet.id,
                network_interfaces=[{"subnet_id": subnet.id, "interface_type": "efaa"}],
            )
            aws.ec2.Vpc("vpc", cidr_block=subnet.arn, tags=pulumi.Output.secret({"a": "b"}))

        assert [fault.path for fault in check_inputs(record(program))] == ["networkInterfaces[0].interfaceType"]

    def test_stand_ins_of_an_update_pass(self):
        def program():
            vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
            subnet = aws.ec2.Subnet("subnet", vpc_id=vpc.id, cidr_block="10.0.0.0/24")
            aws.ec2.Subnet(
                "next", vpc_id=vpc.id, cidr_block="10.0.1.0/24", availability_zone_id=subnet.availability_zone_id
            )
            aws.ec2.Route("route", route_table_id=vpc.main_route_table_id, destination_cidr_block=subnet.cidr_block)

        assert check_inputs(record(program, preview=False)) == []

    def test_components_and_unknown_types_pass(self):
        class Odd(pulumi.CustomResource):
            def __init__(self):
                super().__init__("odd:index:Odd", "odd", {"cidrBlock": "x"})

        def program():
            pulumi.ComponentResource("aws:ec2:Fake", "fake", {"cidrBlock": "x"})
            aws.Provider("provider", region="us-east-2")
            Odd()

        assert check_inputs(record(program)) == []


class TestOtherProviders:
    """The same walk over other SDKs, whose enumerations are complete."""

    azure: ClassVar = {"resource_group_name": "rg", "account_name": "scratch", "kind": "StorageV2"}

    def test_wrong_inputs_on_azure_are_found(self):
        storage = pytest.importorskip("pulumi_azure_native.storage")

        right = self.azure | {"sku": {"name": "Standard_LRS"}}
        wrong = self.azure | {"kind": "StorageV3", "sku": {"nam": "Standard_LRS"}}
        assert check_inputs(record(lambda: storage.StorageAccount("right", **right))) == []
        found = check_inputs(record(lambda: storage.StorageAccount("wrong", **wrong)))
        assert [fault.path for fault in found] == ["kind", "sku.nam", "sku.name"]
        assert found[0].remedy == "did you mean `StorageV2`?"

    def test_the_list_of_azure_machines_does_not_count(self):
        compute = pytest.importorskip("pulumi_azure_native.compute")
        profile = {"vm_size": "Standard_HB176rs_v4", "vm_size_properties": {"v_cpus_per_cor": 1}}

        def program():
            compute.VirtualMachine("vm", resource_group_name="rg", hardware_profile=profile)

        (fault,) = check_inputs(record(program))
        assert fault.path == "hardwareProfile.vmSizeProperties.v_cpus_per_cor"

    def test_wrong_inputs_on_gcp_are_found(self):
        gcp = pytest.importorskip("pulumi_gcp")
        right = {"boot_disk": {"auto_delete": True}, "machine_type": "h3-standard-88", "network_interfaces": [{}]}
        wrong = right | {"scheduling": {"on_host_maintenance": "TERMINATE", "preemtible": True}}

        assert check_inputs(record(lambda: gcp.compute.Instance("right", **right))) == []
        found = check_inputs(record(lambda: gcp.compute.Instance("wrong", **wrong)))
        assert [fault.path for fault in found] == ["scheduling.preemtible"]
