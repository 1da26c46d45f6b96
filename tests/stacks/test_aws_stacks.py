"""What must hold for the stacks on AWS alone."""

import json
import re

import pytest
from change_records import read_records, uncovered
from iam_lint import policy_findings
from stack_recordings import PARTS, PROJECT, needed_by, recorded, stacks_of

from hpc_components.elastic.config import load_config
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import record


@pytest.fixture(params=stacks_of("aws"))
def stack(request: pytest.FixtureRequest) -> str:
    return request.param


def documents(stack: str) -> dict[str, str]:
    found = {}
    for each in recorded(stack, preview=False).resources:
        for key in ("policy", "assumeRolePolicy"):
            if isinstance(each.inputs.get(key), str) and each.type.startswith("aws:iam/"):
                found[f"{each.name}.{key}"] = each.inputs[key]
    return found


def test_permissions_are_not_longer_than_iam_takes(stack: str) -> None:
    assert documents(stack)
    for name, text in documents(stack).items():
        assert len(text) <= 10_240, name


_REAL = {
    "s3": "arn:aws:s3:::bucket",
    "iam": "arn:aws:iam::123456789012:role/role",
    "secretsmanager": "arn:aws:secretsmanager:us-east-1:123456789012:secret:name-abcdef",
    "ec2": "arn:aws:ec2:us-east-1:123456789012:launch-template/lt-0123456789abcdef0",
}


def with_real_arns(text: str) -> str:
    """The recorder's stand-ins for ARNs replaced by ARNs of the statement's service, which parliament can judge."""
    document = json.loads(text)
    for statement in document["Statement"]:
        actions = statement["Action"]
        service = (actions if isinstance(actions, str) else actions[0]).partition(":")[0]
        resources = statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
        statement["Resource"] = [
            re.sub(r"arn:aws:standin:[^/]*/arn", _REAL.get(service, ""), resource) for resource in resources
        ]
    return json.dumps(document)


def test_parliament_finds_nothing_in_the_policies(stack: str) -> None:
    for name, text in documents(stack).items():
        if name.endswith(".assumeRolePolicy"):
            continue
        assert policy_findings(with_real_arns(text)) == [], name


@pytest.mark.parametrize(("os", "device"), [("ubuntu-24.04", "/dev/sda1"), ("debian-13", "/dev/xvda")])
def test_the_root_disk_is_called_as_in_the_image(os: str, device: str) -> None:
    """Else nodes would boot from a disk as small as the image, with an empty one beside it."""
    config = json.loads(json.dumps(PROJECT.open("aws-dev").config))
    config["hpc:cluster"] |= {"os": os, "slurm": {"package_source": "https://packages.example.org/slurm"}}
    templates = record(PROJECT.main, project=PROJECT.name, stack="aws-dev", config=config).all("LaunchTemplate")
    assert {each.inputs["blockDeviceMappings"][0]["deviceName"] for each in templates} == {device}


def test_no_file_system_is_made_before_the_rules_of_its_security_groups(stack: str) -> None:
    """FSx: "the provided security groups do not permit Lustre LNET network traffic on port 988"."""
    recording = recorded(stack)
    for each in (each for type in PARTS["aws"].file_systems for each in recording.all(type)):
        before = needed_by(recording, each.urn)
        for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule"):
            storage = [rule for rule in recording.all(kind) if "-storage-" in rule.name]
            assert storage
            assert [rule.name for rule in storage if rule.urn not in before] == [], each.name


def test_p5_nodes_have_32_efa_cards() -> None:
    (template,) = [each for each in recorded("aws-ultracluster").all("LaunchTemplate") if "p5.48xlarge" in each.name]
    interfaces = template.inputs["networkInterfaces"]
    assert len([each for each in interfaces if "efa" in (each.get("interfaceType") or "")]) == 32
    assert len([each for each in interfaces if each.get("interfaceType") is None]) == 1
    assert len({(each["networkCardIndex"], each["deviceIndex"]) for each in interfaces}) == 33


LONGEST = {
    "aws:autoscaling/group:Group": 255,
    "aws:budgets/budget:Budget": 100,
    "aws:cloudwatch/logGroup:LogGroup": 512,
    "aws:ec2/launchTemplate:LaunchTemplate": 128,
    "aws:ec2/placementGroup:PlacementGroup": 255,
    "aws:ec2/securityGroup:SecurityGroup": 255,
    "aws:iam/instanceProfile:InstanceProfile": 128,
    "aws:iam/role:Role": 64,
    "aws:iam/rolePolicy:RolePolicy": 128,
    "aws:lambda/function:Function": 64,
    "aws:lb/loadBalancer:LoadBalancer": 32,
    "aws:lb/targetGroup:TargetGroup": 32,
    "aws:s3/bucket:Bucket": 63,
}
"""Longest name of what gets its logical name with a hyphen and seven random digits. Source: the services' APIs."""


@pytest.mark.parametrize(("cluster", "queue", "bucket"), [(40, 10, 14), (25, 25, 29)])
def test_the_longest_names_that_our_rules_allow_are_not_too_long(cluster: int, queue: int, bucket: int) -> None:
    config = json.loads(json.dumps(PROJECT.open("aws-ultracluster").config))
    spec = config["hpc:cluster"]
    spec["name"] = "c" * cluster
    spec["queues"][0]["name"] = "q" * queue
    spec["queues"][0]["placement"] = "cluster"
    spec["storage"] = {key[0] * 30: value for key, value in spec["storage"].items()}
    spec["buckets"] = {"b" * bucket: {"type": "s3"}}
    recording = record(PROJECT.main, project=PROJECT.name, stack="aws-ultracluster", config=config)
    for type, longest in LONGEST.items():
        assert recording.all(type), type
        for each in recording.all(type):
            if "namePrefix" not in each.inputs:
                assert len(f"{each.name}-1234567") <= longest, each.name
    taken = [len(each.name) + 8 for each in recording.all("aws:iam/role:Role")]
    assert max(taken) == LONGEST["aws:iam/role:Role"], "the rule on names leaves room unused"


def test_a_cluster_in_a_network_that_is_there_makes_nothing_in_it_but_groups() -> None:
    config = json.loads(json.dumps(PROJECT.open("aws-cfd").config))
    cluster = config["hpc:cluster"]
    cluster["network"] = {
        "existing": {
            "vpc": "vpc-0123456789abcdef0",
            "cidr": "10.0.0.0/16",
            "private": {"use2-az2": {"id": "subnet-0123456789abcdef0", "cidr": "10.0.0.0/20"}},
            "public": {"use2-az2": {"id": "subnet-0123456789abcdef1", "cidr": "10.0.16.0/24"}},
        },
        "ssh_from": ["203.0.113.0/24"],
    }
    existing = {
        "id": "fs-0123456789abcdef0",
        "dns_name": "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com",
        "mount_name": "abc",
    }
    cluster["storage"]["scratch"] = {"type": "lustre", "mount": "/fsx", "existing": existing}
    recording = record(PROJECT.main, project=PROJECT.name, stack="existing", config=config)
    made = {each.type.rpartition(":")[2] for each in recording.resources}
    assert not made & {"Vpc", "Subnet", "RouteTable", "NatGateway", "LustreFileSystem"}
    assert "SecurityGroup" in made
    assert recording.one("NetworkInterface").inputs["privateIps"] == ["10.0.16.20"]
    assert recording.one("NetworkInterface").inputs["subnetId"] == "subnet-0123456789abcdef1"
    assert [str(fault) for fault in check_inputs(recording)] == []


def test_no_node_boots_and_none_is_launched_before_its_policy_is_attached(stack: str) -> None:
    recording = recorded(stack)
    (head,) = recording.all(PARTS["aws"].head)
    policies = {each.name.removesuffix("-role-policy"): each.urn for each in recording.all("RolePolicy")}
    nodes = [recording.one(PARTS["aws"].machine, head.name), *recording.all(PARTS["aws"].login_group)]
    for node in nodes:
        assert policies[node.name] in needed_by(recording, node.urn), node.name
    fleets = [each.name for each in recording.all("hpc:aws:EfaComputeFleet")]
    assert fleets
    for name in fleets:
        assert policies[name] in needed_by(recording, nodes[0].urn), "the head node would launch nodes of it"
        for each in recording.all(PARTS["aws"].launched_from):
            if each.parent and each.parent.endswith(f"EfaComputeFleet::{name}"):
                assert policies[name] in needed_by(recording, each.urn), each.name


def test_a_budget_that_stops_adds_its_own_resources_and_touches_no_others() -> None:
    config = json.loads(json.dumps(PROJECT.open("aws-cfd").config))
    secret = "arn:aws:secretsmanager:us-east-2:123456789012:secret:chat-AbCdEf"
    config["hpc:cluster"]["budget"] |= {"stop_launches": True, "webhook_secret": secret}
    recording = record(PROJECT.main, project=PROJECT.name, stack="aws-cfd", config=config, preview=False)
    before = {each.urn: each.inputs for each in recorded("aws-cfd", preview=False).resources}
    after = {each.urn: each.inputs for each in recording.resources}
    added = sorted(urn.rpartition("::")[2] for urn in after.keys() - before.keys())
    own = ["cfd-budget-role", "cfd-budget-role-policy", "cfd-budget-stop", "cfd-head-launch-denial"]
    assert [name for name in added if not name.startswith("cfd-config/")] == own
    changed = {urn.rpartition("::")[2] for urn in before if before[urn] != after.get(urn)}
    files = {"cfd-config/head/elastic.json", "cfd-config/common/cluster.json", "cfd-config/manifest"}
    assert changed - files == {"cfd-config", "cfd-head-role", "cfd-head-role-policy"}
    told = json.loads(recording.one("BucketObjectv2", "cfd-config/head/elastic.json").inputs["content"])
    assert told["budget"] == {
        "monthly_usd": "20000",
        "stop_launches": True,
        "alert_at": [80, 100],
        "webhook": True,
    }
    assert load_config(json.dumps(told)).budget
    assert secret in recording.one("RolePolicy", "cfd-head-role-policy").inputs["policy"]
    assert recording.one("BucketObjectv2", "cfd-config/head/webhook_secret").inputs["content"] == secret + "\n"
    assert [str(fault) for fault in check_inputs(recording)] == []
    assert uncovered(read_records("aws"), recording) == set()
