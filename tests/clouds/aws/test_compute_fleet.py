import base64
import json
from dataclasses import replace
from typing import Any

import pulumi
import pytest
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, LENT, NETWORK, TAGS, THEIRS, WHO, WHO_LENDS
from hpc_components.aws import Tags
from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.aws.disks.component import RootDisk
from hpc_components.aws.fleet.component import EfaComputeFleet, EfaComputeFleetArgs
from hpc_components.aws.identity.permissions import compute_statements
from hpc_components.aws.identity.policies import policy_document
from hpc_components.aws.ports import FleetRef
from hpc_components.preview.record import RecordedResource, Recording, record

ARGS: dict[str, Any] = {
    "queue": "gpu",
    "machines": ("p5.48xlarge",),
    "network": NETWORK,
    "zones": ("use2-az2",),
    "max": 8,
    "image": "ami-0123456789abcdef0",
    "user_data": "#!/bin/sh\necho hello\n",
    "root": RootDisk(size_gib=64),
    "config": CONFIG,
    "identities": WHO,
    "tags": TAGS,
}
RESERVED = {"reservation_id": "cr-0123456789abcdef0"}


def fleet_args(**args) -> EfaComputeFleetArgs:
    return EfaComputeFleetArgs(**{**ARGS, **args})


def record_fleet(preview: bool = False, **args) -> tuple[Recording, FleetRef]:
    made = []

    def program() -> None:
        fleet = EfaComputeFleet("cfd-gpu", fleet_args(**args)).fleet
        made.append(fleet)
        pulumi.export("templates", dict(fleet.launch_templates))

    return record(program, preview=preview), made[0]


def template(**args) -> RecordedResource:
    return record_fleet(**args)[0].one("aws:ec2/launchTemplate:LaunchTemplate")


def test_p5_has_33_interfaces_32_of_them_efa_and_one_address():
    interfaces = template().inputs["networkInterfaces"]
    assert len(interfaces) == 33
    assert interfaces[0].get("interfaceType") is None
    assert [each["interfaceType"] for each in interfaces[1:]] == ["efa-only"] * 32
    assert sorted(each["networkCardIndex"] for each in interfaces[1:]) == list(range(32))
    assert {each["subnetId"] for each in interfaces} == {"subnet-2"}
    assert {tuple(each["securityGroups"]) for each in interfaces} == {("sg-compute",)}
    assert {each["deleteOnTermination"] for each in interfaces} == {"true"}


@pytest.mark.parametrize("machine", ["hpc6a.48xlarge", "hpc6id.32xlarge", "hpc7a.96xlarge", "p6-b300.48xlarge"])
def test_interfaces_are_those_of_the_catalogue(machine):
    made = [
        (each["networkCardIndex"], each["deviceIndex"], each.get("interfaceType", "interface"))
        for each in template(machines=(machine,)).inputs["networkInterfaces"]
    ]
    assert made == [(each.card, each.device, each.type) for each in efa_interfaces(machine)]


@pytest.mark.parametrize("args", [{"efa": False}, {"machines": ("c7i.large",)}])
def test_without_efa_a_node_has_one_plain_interface(args):
    (interface,) = template(**args).inputs["networkInterfaces"]
    assert "interfaceType" not in interface
    assert interface["deviceIndex"] == 0


def test_each_machine_and_zone_has_a_template():
    zones = ("use2-az2", "use2-az1")
    recording, fleet = record_fleet(machines=("c7i.48xlarge", "c6i.32xlarge"), zones=zones)
    made = {each.name: each.inputs for each in recording.all("LaunchTemplate")}
    assert {
        name: (each["instanceType"], each["networkInterfaces"][0]["subnetId"]) for name, each in made.items()
    } == {
        "cfd-gpu-c7i.48xlarge-use2-az2": ("c7i.48xlarge", "subnet-2"),
        "cfd-gpu-c7i.48xlarge-use2-az1": ("c7i.48xlarge", "subnet-1"),
        "cfd-gpu-c6i.32xlarge-use2-az2": ("c6i.32xlarge", "subnet-2"),
        "cfd-gpu-c6i.32xlarge-use2-az1": ("c6i.32xlarge", "subnet-1"),
    }
    assert list(fleet.launch_templates) == [
        "c7i.48xlarge/use2-az2", "c7i.48xlarge/use2-az1", "c6i.32xlarge/use2-az2", "c6i.32xlarge/use2-az1",
    ]  # fmt: skip
    assert len(set(recording.outputs["templates"].values())) == 4


@pytest.mark.parametrize(
    ("machine", "smt", "options"),
    [
        ("c7i.48xlarge", False, {"coreCount": 96, "threadsPerCore": 1}),
        ("c7i.48xlarge", True, None),
        ("hpc6a.48xlarge", False, None),  # one thread per core in any case
        ("hpc7g.16xlarge", False, None),
    ],
)
def test_smt_off_gives_cores_and_threads_where_there_are_two(machine, smt, options):
    assert template(machines=(machine,), smt=smt).inputs.get("cpuOptions") == options


def test_metadata_needs_a_token_and_stays_on_the_node():
    assert template().inputs["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpTokens": "required",
        "httpPutResponseHopLimit": 1,
        "instanceMetadataTags": "enabled",
    }


def test_the_root_disk_is_encrypted_and_goes_with_its_node():
    root = RootDisk(size_gib=200, iops=6000, throughput=500, kms_key="arn:aws:kms:us-east-2:123456789012:key/1")
    (disk,) = template(root=root).inputs["blockDeviceMappings"]
    assert disk == {
        "deviceName": "/dev/sda1",
        "ebs": {
            "volumeSize": 200,
            "volumeType": "gp3",
            "iops": 6000,
            "throughput": 500,
            "kmsKeyId": "arn:aws:kms:us-east-2:123456789012:key/1",
            "encrypted": "true",
            "deleteOnTermination": "true",
        },
    }


@pytest.mark.parametrize(
    ("args", "market", "target"),
    [
        ({}, None, None),
        (
            {"purchase": "spot"},
            {
                "marketType": "spot",
                "spotOptions": {"spotInstanceType": "one-time", "instanceInterruptionBehavior": "terminate"},
            },
            None,
        ),
        (
            {"purchase": "spot", "max_spot_price": 4.5},
            {
                "marketType": "spot",
                "spotOptions": {
                    "spotInstanceType": "one-time",
                    "instanceInterruptionBehavior": "terminate",
                    "maxPrice": "4.5",
                },
            },
            None,
        ),
        ({"purchase": "reservation", **RESERVED}, None, "cr-0123456789abcdef0"),
        ({"purchase": "capacity_block", **RESERVED}, {"marketType": "capacity-block"}, "cr-0123456789abcdef0"),
    ],
)
def test_machines_are_bought_as_described(args, market, target):
    inputs = template(**args).inputs
    assert inputs.get("instanceMarketOptions") == market
    reservation = inputs.get("capacityReservationSpecification", {}).get("capacityReservationTarget", {})
    assert reservation.get("capacityReservationId") == target


def test_what_comes_to_be_with_a_node_is_tagged():
    specifications = {each["resourceType"]: each["tags"] for each in template().inputs["tagSpecifications"]}
    assert specifications.keys() == {"instance", "volume", "network-interface"}
    for tags in specifications.values():
        assert tags == {
            "Project": "wing",
            "Name": "cfd-gpu-node",
            "ClusterName": "cfd",
            "hpc:role": "compute",
            "hpc:queue": "gpu",
            "hpc:config": "cfd-config",
        }


def test_a_template_is_found_by_the_tags_that_its_launches_repeat():
    reserved = template(purchase="reservation", **RESERVED).inputs["tags"]
    assert reserved == {
        "Project": "wing",
        "Name": "cfd-gpu-p5.48xlarge-use2-az2",
        "ClusterName": "cfd",
        "hpc:role": "compute",
        "hpc:queue": "gpu",
        "hpc:config": "cfd-config",
        "hpc:machine": "p5.48xlarge",
        "hpc:zone": "use2-az2",
        "hpc:reservation": "cr-0123456789abcdef0",
    }
    assert template().inputs["tags"].keys() == reserved.keys() - {"hpc:reservation"}


def test_a_template_has_image_user_data_and_placement():
    inputs = template(placement_group="pg").inputs
    assert inputs["imageId"] == "ami-0123456789abcdef0"
    assert base64.b64decode(inputs["userData"]).decode() == "#!/bin/sh\necho hello\n"
    assert inputs["placement"] == {"groupName": "pg"}
    assert inputs["monitoring"] == {"enabled": True}
    assert inputs["instanceInitiatedShutdownBehavior"] == "terminate"
    assert inputs["updateDefaultVersion"] is True
    assert not inputs.keys() & {"name", "vpcSecurityGroupIds"}
    assert "placement" not in template().inputs


def test_the_nodes_role_may_do_what_nodes_need():
    recording, fleet = record_fleet()
    policy = recording.one("RolePolicy", "cfd-gpu-role-policy")
    assert policy.inputs == {"role": "own-role", "policy": policy_document(compute_statements("cfd", CONFIG))}
    assert policy_findings(policy.inputs["policy"]) == []
    assert recording.one("LaunchTemplate").inputs["iamInstanceProfile"] == {"name": "own"}
    assert fleet.identities == WHO


def test_templates_wait_for_the_policy_of_their_nodes():
    """Otherwise the head node could launch a node that is not allowed to read its configuration yet."""
    recording, _ = record_fleet(machines=("c7i.48xlarge", "c6i.32xlarge"))
    policy = recording.one("RolePolicy")
    assert len(recording.all("LaunchTemplate")) == 2
    for each in recording.all("LaunchTemplate"):
        assert policy.urn in each.depends_on


def test_nodes_lend_jobs_a_second_role():
    recording, _ = record_fleet(identities=WHO_LENDS)
    tags = {each["resourceType"]: each["tags"] for each in template(identities=WHO_LENDS).inputs["tagSpecifications"]}
    assert tags["instance"]["hpc:data-role"] == LENT.role_arn
    last = json.loads(recording.one("RolePolicy").inputs["policy"])["Statement"][-1]
    assert (last["Sid"], last["Action"], last["Resource"]) == ("LendDataRole", ["sts:AssumeRole"], [LENT.role_arn])
    assert policy_findings(recording.one("RolePolicy").inputs["policy"]) == []


def test_a_role_of_the_users_gets_no_policy():
    recording, fleet = record_fleet(identities=THEIRS)
    assert not recording.all("RolePolicy")
    assert recording.one("LaunchTemplate").inputs["iamInstanceProfile"] == {"name": "their-profile"}
    assert fleet.identities == THEIRS


def test_a_preview_has_the_same_graph_as_an_update():
    args = {"machines": ("c7i.48xlarge", "c6i.32xlarge"), "purchase": "spot"}
    (preview, _), (update, _) = record_fleet(True, **args), record_fleet(False, **args)
    assert [(each.urn, each.depends_on) for each in preview.resources] == [
        (each.urn, each.depends_on) for each in update.resources
    ]
    for each in preview.all("LaunchTemplate"):
        assert "<unknown>" not in str(each.inputs["networkInterfaces"])


def test_the_fleet_says_what_it_was_told():
    _, fleet = record_fleet(min=2, purchase="spot", placement_group="pg")
    assert fleet.purchase == "spot"
    assert list(fleet.launch_templates) == ["p5.48xlarge/use2-az2"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"queue": "GPU"}, r"queue: node names can't begin with 'GPU'"),
        ({"max": 0}, r"max: max is 0 and min is 0"),
        ({"min": 9}, r"max: max is 8 and min is 9"),
        ({"machines": ()}, r"machines: no machine type is specified"),
        (
            {"machines": ("p5.48xlarge", "c7i.48xlagre")},
            r"machines\[1\]: 'c7i.48xlagre' .* did you mean c7i.48xlarge",
        ),
        ({"machines": ("c7i.large", "c7i.large")}, r"machines\[1\]: 'c7i.large' is a duplicate"),
        ({"machines": ("c7i.large",), "efa": True}, r"machines\[0\]: 'c7i.large' has no EFA"),
        ({"machines": ("c7i.metal-48xl",), "smt": False}, r"machines\[0\]: 'c7i.metal-48xl': smt is off, but"),
        ({"machines": ("g5.xlarge",), "smt": False}, r"machines\[0\]: 'g5.xlarge': smt is off, but EC2 can't run"),
        (
            {"machines": ("mac2.metal",), "smt": False},
            r"machines\[0\]: 'mac2.metal': smt is off, but the catalogue has no core count",
        ),
        ({"zones": ()}, r"zones: no zone is specified; add at least one of use2-az1, use2-az2"),
        ({"zones": ("use2-az3",)}, r"zones\[0\]: the network has no private subnet in 'use2-az3'"),
        ({"zones": ("use2-az1", "use2-az1")}, r"zones\[1\]: 'use2-az1' is a duplicate"),
        (
            {"purchase": "stolen"},
            r"purchase: 'stolen' is unknown; use one of on_demand, spot, reservation, capacity_block",
        ),
        (
            {"purchase": "capacity_block"},
            r"reservation_id: this argument is required for the purchase options reservation and capacity_block, and",
        ),
        (
            {"purchase": "capacity_block", **RESERVED, "placement_group": "pg"},
            r"placement_group: EC2 has already placed the machines of a capacity block; leave out this argument",
        ),
        (
            RESERVED,
            r"reservation_id: this argument is required for the purchase options reservation and capacity_block, and",
        ),
        (
            {"purchase": "reservation", **RESERVED, "zones": ("use2-az1", "use2-az2")},
            r"machines: a reservation covers a single machine type in a single zone",
        ),
        ({"max_spot_price": 1.0}, r"max_spot_price: 1.0 is not allowed; the price must be above 0"),
        (
            {"purchase": "spot", "max_spot_price": -1.0},
            r"max_spot_price: -1.0 is not allowed; the price must be above 0",
        ),
        ({"image": "ubuntu"}, r"image: 'ubuntu' is not an image id or parameter; use ami-... or resolve:ssm:"),
        ({"user_data": "x" * 16385}, r"user_data: user data has 16385 bytes, but EC2 accepts at most 16384"),
        (
            {"tags": Tags("cfd", {"cost center": "7"})},
            r"tags.extra: tag key 'cost center' is not allowed on load balancers or in instance metadata",
        ),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(ValueError, match=rf"EfaComputeFleetArgs\.{message}"):
        fleet_args(**args)


def test_images_from_parameters_are_taken():
    path = "resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
    assert template(image=path).inputs["imageId"] == path
    assert replace(fleet_args(), image="resolve:ssm:/our/image:3")
