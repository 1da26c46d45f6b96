import json
from functools import cache
from ipaddress import IPv4Network
from typing import Any

import pulumi
import pytest
from iam_lint import policy_findings

from clouds.aws.sample import TAGS
from hpc_components.aws.network.component import Vpc, VpcArgs
from hpc_components.preview.record import UNKNOWN, Recording, record

ZONES = ("use2-az1", "use2-az2")
ARGS: dict[str, Any] = {"cidr": "10.20.0.0/16", "zones": ZONES, "tags": TAGS}


@cache
def record_vpc(preview: bool = False, **args) -> Recording:
    def program() -> None:
        vpc = Vpc("cfd", VpcArgs(**{**ARGS, **args}))
        network = vpc.network
        pulumi.export("private", dict(network.private_subnets))
        pulumi.export("public", dict(network.public_subnets))
        pulumi.export("groups", [network.id, *network.security_groups.head, *network.security_groups.compute])
        pulumi.export("nat", vpc.nat_addresses)

    return record(program, preview=preview)


def names(recording: Recording, type: str) -> list[str]:
    return [each.name for each in recording.all(type)]


def test_the_vpc_has_names_of_its_own():
    vpc = record_vpc().one("aws:ec2/vpc:Vpc")
    assert vpc.inputs["enableDnsSupport"] is True
    assert vpc.inputs["enableDnsHostnames"] is True
    assert vpc.inputs["cidrBlock"] == "10.20.0.0/16"


def test_each_zone_has_a_private_and_a_public_subnet_without_public_addresses():
    recording = record_vpc()
    subnets = {each.name: each.inputs for each in recording.all("Subnet")}
    assert {name: (each["availabilityZoneId"], each["cidrBlock"]) for name, each in subnets.items()} == {
        "cfd-private-use2-az1": ("use2-az1", "10.20.32.0/19"),
        "cfd-private-use2-az2": ("use2-az2", "10.20.64.0/19"),
        "cfd-public-use2-az1": ("use2-az1", "10.20.4.0/22"),
        "cfd-public-use2-az2": ("use2-az2", "10.20.8.0/22"),
    }
    assert {each["mapPublicIpOnLaunch"] for each in subnets.values()} == {False}
    assert set(recording.outputs["private"]) == set(recording.outputs["public"]) == set(ZONES)
    assert len({*recording.outputs["private"].values(), *recording.outputs["public"].values()}) == 4


def test_the_fixed_block_of_every_subnet_is_reserved():
    recording = record_vpc()
    subnets = {each.urn: IPv4Network(each.inputs["cidrBlock"]) for each in recording.all("Subnet")}
    reserved = {
        each.property_dependencies["subnetId"][0]: each.inputs for each in recording.all("SubnetCidrReservation")
    }
    assert reserved.keys() == subnets.keys()
    for urn, inputs in reserved.items():
        assert inputs["reservationType"] == "explicit"
        assert IPv4Network(inputs["cidrBlock"]) == IPv4Network((int(subnets[urn][16]), 28))


@pytest.mark.parametrize(
    ("args", "gateways", "routes"),
    [
        ({}, ["cfd-nat-use2-az1"], {"use2-az1": "use2-az1", "use2-az2": "use2-az1"}),
        ({"nat_zone": "use2-az2"}, ["cfd-nat-use2-az2"], {"use2-az1": "use2-az2", "use2-az2": "use2-az2"}),
        (
            {"nat": "per_zone"},
            ["cfd-nat-use2-az1", "cfd-nat-use2-az2"],
            {"use2-az1": "use2-az1", "use2-az2": "use2-az2"},
        ),
        ({"nat": "none"}, [], {}),
    ],
)
def test_private_subnets_leave_through_the_nat_gateways_asked_for(args, gateways, routes):
    recording = record_vpc(**args)
    assert names(recording, "NatGateway") == gateways
    assert len(recording.all("Eip")) == len(gateways)
    out = {}
    for each in recording.all("Route"):
        if "natGatewayId" in each.inputs:
            (nat,) = each.property_dependencies["natGatewayId"]
            zone = each.name.removeprefix("cfd-private-").removesuffix("-out")
            out[zone] = recording.of(nat).name.removeprefix("cfd-nat-")
            assert each.inputs["destinationCidrBlock"] == "0.0.0.0/0"
    assert out == routes
    assert recording.outputs["nat"].keys() == {name.removeprefix("cfd-nat-") for name in gateways}


def test_only_public_subnets_have_a_route_to_the_internet():
    recording = record_vpc()
    (route,) = [each for each in recording.all("Route") if "gatewayId" in each.inputs]
    (table,) = route.property_dependencies["routeTableId"]
    assert recording.of(table).name == "cfd-public"
    subnets = [
        recording.of(each.property_dependencies["subnetId"][0]).name
        for each in recording.all("RouteTableAssociation")
        if each.property_dependencies["routeTableId"] == (table,)
    ]
    assert sorted(subnets) == ["cfd-public-use2-az1", "cfd-public-use2-az2"]
    assert len(recording.all("RouteTableAssociation")) == 4


def test_gateway_endpoints_are_in_every_private_route_table():
    recording = record_vpc(endpoints=("s3", "dynamodb"))
    for service in ("s3", "dynamodb"):
        endpoint = recording.one("VpcEndpoint", f"cfd-{service}")
        assert endpoint.inputs["vpcEndpointType"] == "Gateway"
        assert endpoint.inputs["serviceName"] == f"com.amazonaws.us-east-2.{service}"
        tables = [recording.of(urn).name for urn in endpoint.property_dependencies["routeTableIds"]]
        assert sorted(tables) == ["cfd-private-use2-az1", "cfd-private-use2-az2"]


def test_interface_endpoints_are_reached_over_https_from_the_vpc_only():
    recording = record_vpc(endpoints=("s3", "ssm", "ssmmessages"))
    group = recording.one("SecurityGroup", "cfd-endpoints")
    for service in ("ssm", "ssmmessages"):
        endpoint = recording.one("VpcEndpoint", f"cfd-{service}")
        assert endpoint.inputs["privateDnsEnabled"] is True
        assert endpoint.property_dependencies["securityGroupIds"] == (group.urn,)
        subnets = [recording.of(urn).name for urn in endpoint.property_dependencies["subnetIds"]]
        assert sorted(subnets) == ["cfd-private-use2-az1", "cfd-private-use2-az2"]
    rule = recording.one("SecurityGroupIngressRule", "cfd-endpoints-https").inputs
    assert (rule["ipProtocol"], rule["fromPort"], rule["toPort"], rule["cidrIpv4"]) == (
        "tcp",
        443,
        443,
        "10.20.0.0/16",
    )


def test_the_default_security_group_has_no_rules():
    default = record_vpc().one("DefaultSecurityGroup").inputs
    assert not default.keys() & {"ingress", "egress"}


def test_flow_logs_are_made_only_when_asked_for_with_a_role_for_their_group_alone():
    assert not record_vpc().all("FlowLog")
    recording = record_vpc(
        flow_logs_days=14, permissions_boundary="arn:aws:iam::123456789012:policy/edge", role_path="/hpc/"
    )
    assert recording.one("LogGroup").inputs["retentionInDays"] == 14
    role = recording.one("aws:iam/role:Role", "cfd-flow-role")
    assert role.inputs["permissionsBoundary"] == "arn:aws:iam::123456789012:policy/edge"
    assert role.inputs["path"] == "/hpc/"
    policy = recording.one("RolePolicy", "cfd-flow-role-policy")
    assert policy_findings(policy.inputs["policy"]) == []
    assert policy.urn in recording.one("FlowLog").depends_on


def test_adding_or_reordering_zones_moves_nothing():
    one = record_vpc(zones=("use2-az2",))
    two = record_vpc(zones=("use2-az1", "use2-az2"))
    inputs = {each.urn: each.inputs for each in two.resources if not each.type.startswith("hpc:")}
    for each in one.all("Subnet") + one.all("SubnetCidrReservation"):
        assert inputs[each.urn] == each.inputs
    swapped = {
        each.urn: each.inputs for each in record_vpc(zones=("use2-az2", "use2-az1"), nat="per_zone").all("Subnet")
    }
    assert swapped == {each.urn: each.inputs for each in two.all("Subnet")}


def test_everything_that_can_be_tagged_is():
    untaggable = {"SubnetCidrReservation", "Route", "RouteTableAssociation", "RolePolicy"}
    for each in record_vpc(endpoints=("s3", "ssm"), flow_logs_days=30).resources:
        if each.custom and each.type.rpartition(":")[2] not in untaggable:
            assert each.inputs["tags"]["ClusterName"] == "cfd", each.urn
            assert each.inputs["tags"]["Name"].startswith("cfd-"), each.urn


def test_a_preview_has_the_same_graph_as_an_update():
    preview, update = (record_vpc(preview=mode, endpoints=("s3", "ssm"), flow_logs_days=30) for mode in (True, False))
    assert [each.urn for each in preview.resources] == [each.urn for each in update.resources]
    assert {each.urn: each.depends_on for each in preview.resources} == {
        each.urn: each.depends_on for each in update.resources
    }
    assert preview.outputs["groups"] == [UNKNOWN] * 3
    assert UNKNOWN not in json.dumps(update.outputs)


def test_children_stand_below_the_component():
    recording = record_vpc()
    top = recording.one("hpc:aws:Vpc", "cfd")
    groups = recording.one("hpc:aws:SecurityGroups", "cfd")
    assert groups.parent == top.urn
    assert {each.parent for each in recording.resources if each.custom} == {top.urn, groups.urn}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"cidr": "10.20.0.0/24"}, r"VpcArgs.cidr: 10.20.0.0/24 can't be divided"),
        ({"cidr": "ten"}, r"VpcArgs.cidr: 'ten' is not an address range"),
        ({"zones": ()}, r"VpcArgs.zones: no zone is specified"),
        ({"zones": ("us-east-2a",)}, r"VpcArgs.zones\[0\]: the catalogue has no zone id 'us-east-2a'"),
        ({"zones": ("use2-az1", "use1-az2")}, r"VpcArgs.zones\[1\]: 'use1-az2' is in us-east-1"),
        ({"zones": ("use2-az1", "use2-az1")}, r"VpcArgs.zones\[1\]: 'use2-az1' is a duplicate"),
        ({"nat": "two"}, r"VpcArgs.nat: 'two' is unknown; choose from: one, per_zone, none"),
        ({"nat_zone": "use2-az3"}, r"VpcArgs.nat_zone: 'use2-az3' is not in zones"),
        ({"endpoints": ("s3", "s3")}, r"VpcArgs.endpoints\[1\]: 's3'"),
        ({"flow_logs_days": 10}, r"VpcArgs.flow_logs_days: .* 10 days; use one of 1, 3, 5, 7, 14"),
        ({"ssh_from": ("203.0.113.7/24",)}, r"VpcArgs.ssh_from\[0\]: '203.0.113.7/24'"),
        ({"ssh_to": ("compute",)}, r"VpcArgs.ssh_to\[0\]: 'compute' can't be reached over SSH"),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(ValueError, match=message):
        VpcArgs(**{**ARGS, **args})


def test_the_ground_under_retained_file_systems_stays():
    retained = [each for each in record_vpc(retain=True).resources if each.retain]
    kept = {each.name for each in retained if not each.type.startswith("aws:vpc/securityGroup")}
    assert kept == {"cfd-vpc", "cfd-storage", *(f"cfd-private-{zone}" for zone in ZONES)}
    assert not [each.name for each in record_vpc().resources if each.retain]
