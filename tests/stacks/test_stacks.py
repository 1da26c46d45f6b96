"""What must hold for every stack of this project."""

import base64
import json
import re
from functools import cache
from pathlib import Path

import pytest
from iam_lint import policy_findings

from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import Recording, record
from hpc_components.preview.stack import PlannedStack, plan_stack, record_stack
from hpc_components.spec.project import find_project

PROJECT = find_project(Path(__file__).parent)
STACKS = PROJECT.stacks
FLEETS = "hpc:aws:EfaComputeFleet"


@cache
def recorded(stack: str, *, preview: bool = True) -> Recording:
    return record_stack(PROJECT, PROJECT.open(stack), preview=preview)


@cache
def planned(stack: str) -> PlannedStack:
    return plan_stack(PROJECT, stack)


@pytest.fixture(params=STACKS)
def stack(request: pytest.FixtureRequest) -> str:
    return request.param


def test_there_are_the_reference_stacks() -> None:
    assert {"aws-dev", "aws-cfd", "aws-ultracluster", "aws-university"} <= set(STACKS)


def test_the_description_has_no_error(stack: str) -> None:
    assert planned(stack).judgement.errors == ()
    plan = planned(stack).plan
    assert plan is not None
    assert [finding for finding in plan.findings if finding["level"] == "error"] == []


def test_the_same_bytes_twice(stack: str) -> None:
    first, second = planned(stack).plan, plan_stack(PROJECT, stack).plan
    assert first is not None
    assert second is not None
    assert first.to_json() == second.to_json()


def test_preview_graph_is_the_update_graph(stack: str) -> None:
    def graph(recording: Recording) -> list[tuple[str, str | None, tuple[str, ...]]]:
        return [(each.urn, each.parent, each.depends_on) for each in recording.resources]

    assert graph(recorded(stack)) == graph(recorded(stack, preview=False))


def test_no_urn_twice_and_every_child_has_its_parent(stack: str) -> None:
    urns = [each.urn for each in recorded(stack).resources]
    assert len(urns) == len(set(urns))
    assert {each.parent for each in recorded(stack).resources} - {None} <= set(urns)


def test_names_of_children_begin_with_their_components(stack: str) -> None:
    by_urn = {each.urn: each for each in recorded(stack).resources}
    for each in by_urn.values():
        if each.parent is not None and by_urn[each.parent].type.startswith("hpc:"):
            assert each.name.startswith(by_urn[each.parent].name), each.urn


def test_everything_taggable_says_its_cluster(stack: str) -> None:
    from hpc_components.testing import assert_tagged

    assert_tagged(recorded(stack), key="ClusterName")


def test_no_input_that_the_cloud_would_refuse(stack: str) -> None:
    for preview in (True, False):
        assert [str(fault) for fault in check_inputs(recorded(stack, preview=preview))] == []


def test_ssh_is_not_open_to_the_world(stack: str) -> None:
    for rule in recorded(stack).all("SecurityGroupIngressRule"):
        open_to_all = rule.inputs.get("cidrIpv4") == "0.0.0.0/0" or "cidrIpv6" in rule.inputs
        ports = range(int(rule.inputs.get("fromPort", 0)), int(rule.inputs.get("toPort", 65535)) + 1)
        assert not (open_to_all and 22 in ports), rule.name


def test_every_efa_group_talks_to_itself_in_both_directions(stack: str) -> None:
    for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule"):
        itself = [
            each
            for each in recorded(stack, preview=False).all(kind)
            if each.inputs.get("referencedSecurityGroupId") == each.inputs["securityGroupId"]
            and each.inputs["ipProtocol"] == "-1"
        ]
        assert any("compute" in each.name for each in itself), kind


def documents(stack: str) -> dict[str, str]:
    found = {}
    for each in recorded(stack, preview=False).resources:
        for key in ("policy", "assumeRolePolicy"):
            if isinstance(each.inputs.get(key), str) and each.type.startswith("aws:iam/"):
                found[f"{each.name}.{key}"] = each.inputs[key]
    return found


def test_permissions_name_actions_and_resources(stack: str) -> None:
    assert documents(stack)
    for name, text in documents(stack).items():
        assert len(text) <= 10_240, f"{name} is longer than IAM takes"
        for statement in json.loads(text)["Statement"]:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            assert not [action for action in actions if "*" in action], name


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


def test_policies_pass_parliament(stack: str) -> None:
    for name, text in documents(stack).items():
        if name.endswith(".assumeRolePolicy"):
            continue
        assert policy_findings(with_real_arns(text)) == [], name


def test_no_secret_has_a_value(stack: str) -> None:
    assert recorded(stack).all("SecretVersion") == ()
    for name in ("randomPassword", "privateKey"):
        assert name not in json.dumps([each.inputs for each in recorded(stack).resources])


def test_data_survives_unless_the_cluster_is_thrown_away(stack: str) -> None:
    config = PROJECT.open(stack).config["hpc:cluster"]
    assert isinstance(config, dict)
    kept = not config.get("throw_away", False)
    for type in ("LustreFileSystem", "OpenZfsFileSystem", "aws:efs/fileSystem:FileSystem", "aws:ebs/volume:Volume"):
        for each in recorded(stack).all(type):
            assert (each.protect, each.retain) == (kept, kept), each.name


def test_user_data_is_one_static_text(stack: str) -> None:
    templates = recorded(stack).all("LaunchTemplate")
    assert templates
    texts = {each.inputs["userData"] for each in templates}
    assert len(texts) == 1
    text = base64.b64decode(texts.pop()).decode()
    assert text.startswith("#!")
    assert str(PROJECT.open(stack).config) not in text


@pytest.mark.parametrize(("os", "device"), [("ubuntu-24.04", "/dev/sda1"), ("debian-13", "/dev/xvda")])
def test_the_root_disk_is_called_as_in_the_image(os: str, device: str) -> None:
    """Else nodes would boot from a disk as small as the image, with an empty one beside it."""
    config = json.loads(json.dumps(PROJECT.open("aws-dev").config))
    config["hpc:cluster"] |= {"os": os, "slurm": {"package_source": "https://packages.example.org/slurm"}}
    templates = record(PROJECT.main, project=PROJECT.name, stack="aws-dev", config=config).all("LaunchTemplate")
    assert {each.inputs["blockDeviceMappings"][0]["deviceName"] for each in templates} == {device}


def needed_by(recording: Recording, urn: str) -> set[str]:
    """All that must be there before `urn`, and is destroyed after it; a child needs what its parent needs."""
    by_urn = {each.urn: each for each in recording.resources}
    found: set[str] = set()
    todo = [urn]
    while todo:
        resource = by_urn[todo.pop()]
        for needed in (*resource.depends_on, *filter(None, [resource.parent])):
            if needed in by_urn and needed not in found:
                found.add(needed)
                todo.append(needed)
    return found


def test_the_head_node_goes_first_then_the_reaper_then_the_network(stack: str) -> None:
    recording = recorded(stack)
    (head,) = recording.all("hpc:aws:SlurmHeadNode")
    instance = recording.one("aws:ec2/instance:Instance", head.name)
    reaper = recording.one("aws:lambda/invocation:Invocation")
    before_reaper = needed_by(recording, reaper.urn)
    assert reaper.urn in needed_by(recording, instance.urn), "the head node would go on launching nodes"
    assert instance.urn not in before_reaper
    for type in ("Subnet", "SecurityGroup", "LaunchTemplate", "InstanceProfile", "PlacementGroup"):
        for each in recording.all(type):
            if not each.name.startswith((head.name, f"{head.name.removesuffix('head')}login")):
                assert each.urn in before_reaper, f"a destroy would remove {each.name} under running nodes"


FILE_SYSTEMS = ("LustreFileSystem", "OpenZfsFileSystem", "aws:efs/fileSystem:FileSystem", "MountTarget")


def test_no_file_system_is_made_before_the_rules_of_its_security_groups(stack: str) -> None:
    """FSx: "the provided security groups do not permit Lustre LNET network traffic on port 988"."""
    recording = recorded(stack)
    for each in (each for type in FILE_SYSTEMS for each in recording.all(type)):
        before = needed_by(recording, each.urn)
        for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule"):
            storage = [rule for rule in recording.all(kind) if "-storage-" in rule.name]
            assert storage
            assert [rule.name for rule in storage if rule.urn not in before] == [], each.name


def test_no_node_boots_before_what_it_fetches_and_mounts_is_there(stack: str) -> None:
    """Nodes look for their configuration for eight minutes and once only; a file system can take longer."""
    recording = recorded(stack)
    (head,) = recording.all("hpc:aws:SlurmHeadNode")
    nodes = [recording.one("aws:ec2/instance:Instance", head.name), *recording.all("aws:autoscaling/group:Group")]
    nodes.append(recording.one("aws:lambda/invocation:Invocation"))  # and compute nodes end before them
    needs = [each for type in (*FILE_SYSTEMS, "BucketObjectv2") for each in recording.all(type)]
    assert [each.name for each in needs if each.name.endswith("/manifest")]
    for node in nodes:
        before = needed_by(recording, node.urn)
        assert [each.name for each in needs if each.urn not in before] == [], node.name


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


def test_a_changed_queue_touches_no_node() -> None:
    before = recorded("aws-cfd")
    file = PROJECT.open("aws-cfd")
    config = json.loads(json.dumps(file.config))
    config["hpc:cluster"]["queues"][0]["max"] = 12
    after = record(PROJECT.main, project=PROJECT.name, stack="aws-cfd", config=config)
    old = {each.urn: each for each in before.resources}
    changed = {each.urn for each in after.resources if each != old[each.urn]}
    assert {each.urn for each in after.resources} == set(old)
    assert {urn.split("::")[-2].split("$")[-1] for urn in changed} == {
        "hpc:aws:EfaComputeFleet",
        "aws:s3/bucketObjectv2:BucketObjectv2",
    }


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
