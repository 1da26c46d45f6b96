"""What the program makes of a description where two parts of it meet."""

import json
from typing import Any

import pytest
from described_aws import recorded

from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import Recording

CLUSTER = """\
cloud: aws
name: lab
region: us-east-2
zone: use2-az3
network: {cidr: 10.20.0.0/16}
head_node: {machine: c6i.xlarge}
storage: {home: {type: efs, mount: /home}}
"""
CR = "cr-0123456789abcdef0"


def test_only_machines_that_are_not_reserved_get_a_placement_group_by_themselves() -> None:
    recording = recorded(
        f"""{CLUSTER}queues:
- {{name: any, machine: p5.48xlarge, max: 2}}
- {{name: block, machine: p5.48xlarge, max: 2, purchase: {{capacity_block: {CR}}}}}
- {{name: own, machine: p5.48xlarge, max: 2, purchase: {{reservation: cr-0123456789abcdef1}}}}
- {{name: racks, machine: c7i.large, max: 20, placement: partition}}
"""
    )
    groups = {each.name: each.inputs for each in recording.all("aws:ec2/placementGroup:PlacementGroup")}
    assert {name: each["strategy"] for name, each in groups.items()} == {
        "lab-any": "cluster",
        "lab-racks": "partition",
    }
    assert groups["lab-racks"]["partitionCount"] == 7
    placed = {
        each.inputs["tags"]["hpc:queue"]: "placement" in each.inputs
        for each in recording.all("LaunchTemplate")
        if "hpc:queue" in each.inputs["tags"]
    }
    assert placed == {"any": True, "block": False, "own": False, "racks": True}


MULTI_AZ = (
    CLUSTER.replace("head_node: {", "head_node: {public: true, ")
    .replace("10.20.0.0/16}", "10.20.0.0/16, ssh_from: [203.0.113.0/24]}")
    .replace("{type: efs,", "{type: nfs, size: 1TiB, throughput: 160, deployment: multi_az_1,")
    + "queues: [{name: cpu, machine: c7i.large, max: 2, zones: [use2-az3, use2-az2]}]\n"
)


def subnets_by_table(recording: Recording) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in recording.all("RouteTableAssociation"):
        found.setdefault(each.inputs["routeTableId"], set()).add(each.inputs["subnetId"])
    return found


def test_a_home_in_two_zones_is_reached_from_every_subnet_with_clients() -> None:
    """Its address is in no subnet: who has no route to it never mounts it."""
    recording = recorded(MULTI_AZ)
    home = recording.one("aws:fsx/openZfsFileSystem:OpenZfsFileSystem")
    reach = set().union(*(subnets_by_table(recording)[table] for table in home.inputs["routeTableIds"]))
    head = recording.one("aws:ec2/networkInterface:NetworkInterface").inputs["subnetId"]
    queues = {
        interface["subnetId"]
        for each in recording.all("LaunchTemplate")
        for interface in each.inputs.get("networkInterfaces", ())
    }
    assert len(queues) == 2
    assert head not in queues
    assert {head, *queues} <= reach


def test_route_tables_leave_out_a_tag_ignored_by_the_provider() -> None:
    """FSx tags the tables itself, and the provider never reads that tag back."""
    tables = recorded(MULTI_AZ).all("aws:ec2/routeTable:RouteTable")
    assert tables
    assert not [each.name for each in tables if "AmazonFSx" in each.inputs["tags"]]


KEYS = {what: f"arn:aws:kms:us-east-2:123456789012:key/{what}" for what in ("queue", "login", "image")}
OWN_PROFILE = "instance_profile: node, instance_role: 'arn:aws:iam::123456789012:role/hpc/jobs'"
UNDER_KEYS = f"""{CLUSTER}iam: {{kms_keys: ['{KEYS["image"]}']}}
login_nodes: {{machine: m7i.large, root: {{size: 64GiB, kms_key: '{KEYS["login"]}'}}}}
queues:
- {{name: cpu, machine: c7i.large, max: 2, root: {{size: 64GiB, kms_key: '{KEYS["queue"]}'}}, {OWN_PROFILE}}}
"""


def head_policy(recording: Recording) -> dict[str, dict[str, Any]]:
    policy = recording.one("aws:iam/rolePolicy:RolePolicy", "lab-head-role-policy").inputs["policy"]
    return {each["Sid"]: each for each in json.loads(policy)["Statement"]}


def test_who_launches_nodes_may_use_the_keys_of_their_disks_and_images() -> None:
    recording = recorded(UNDER_KEYS)
    statements = head_policy(recording)
    for sid in ("UseDiskKeys", "GrantDiskKeys"):
        assert set(statements[sid]["Resource"]) == {KEYS["queue"], KEYS["image"]}
    granted = {each.inputs["keyId"] for each in recording.all("aws:kms/grant:Grant")}
    assert granted == {KEYS["login"], KEYS["image"]}


def test_the_head_node_may_pass_the_role_that_a_queues_own_profile_has() -> None:
    assert head_policy(recorded(UNDER_KEYS))["GiveNodesTheirRole"]["Resource"] == [
        "arn:aws:iam::123456789012:role/hpc/jobs"
    ]


@pytest.mark.parametrize("cluster", [MULTI_AZ, UNDER_KEYS], ids=["two zones", "own keys"])
def test_no_input_is_one_that_the_cloud_would_refuse(cluster: str) -> None:
    assert [str(fault) for fault in check_inputs(recorded(cluster))] == []
