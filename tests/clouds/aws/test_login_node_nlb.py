import json
from dataclasses import replace
from functools import cache
from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, LENT, NETWORK, TAGS, THEIRS, WHO, WHO_LENDS
from hpc_components.aws.disks.component import RootDisk
from hpc_components.aws.login.component import LoginNodeNLB, LoginNodeNLBArgs
from hpc_components.boot import user_data
from hpc_components.preview.record import UNKNOWN, Recording, record

PUBLIC: dict[str, Any] = {"public": True, "ssh_from": ("203.0.113.0/24",)}
NODE_TAGS = {
    "ClusterName": "cfd",
    "Name": "login",
    "Project": "wing",
    "hpc:config": "cfd-config",
    "hpc:role": "login",
}
HOST_KEYS = "arn:aws:secretsmanager:us-east-2:123456789012:secret:hpc/cfd/ssh-host-1a2b3c-AbCdEf"


def args(**change: Any) -> LoginNodeNLBArgs:
    usual: dict[str, Any] = {
        "machine": "m6i.large",
        "image": "ami-0123456789abcdef0",
        "user_data": user_data("aws"),
        "min": 2,
        "max": 4,
        "network": NETWORK,
        "zones": ("use2-az2",),
        "config": CONFIG,
        "identities": WHO,
        "root": RootDisk(size_gib=64),
        "tags": TAGS,
    }
    return LoginNodeNLBArgs(**{**usual, **change})


@cache
def recorded(**change: Any) -> tuple[Recording, Recording]:
    def program() -> None:
        made = LoginNodeNLB("login", args(**change))
        pulumi.export("out", [made.dns_name, made.auto_scaling_group, made.security_group_id])
        pulumi.export("host_keys", made.host_keys_secret_arn)

    return in_both_modes(program)


def test_login_nodes_are_made_of_these_resources() -> None:
    update, _ = recorded()
    assert {(each.type, each.name) for each in update.resources} == {
        ("hpc:aws:LoginNodeNLB", "login"),
        ("aws:iam/rolePolicy:RolePolicy", "login-role-policy"),
        ("aws:secretsmanager/secret:Secret", "login-ssh-host"),
        ("aws:ec2/securityGroup:SecurityGroup", "login-nlb"),
        ("aws:ec2/securityGroup:SecurityGroup", "login-nodes"),
        ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "login-nlb-from-10.20.0.0-16"),
        ("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", "login-nlb-to-nodes"),
        ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "login-nodes-from-nlb"),
        ("aws:lb/loadBalancer:LoadBalancer", "login-nlb"),
        ("aws:lb/targetGroup:TargetGroup", "login-ssh"),
        ("aws:lb/listener:Listener", "login-ssh"),
        ("aws:ec2/launchTemplate:LaunchTemplate", "login-template"),
        ("aws:autoscaling/group:Group", "login"),
        ("aws:autoscaling/policy:Policy", "login-grow"),
    }
    without_tags = {"RolePolicy", "Policy", "Group"}
    for each in update.resources:
        if each.custom and each.type.rpartition(":")[2] not in without_tags:
            assert each.inputs["tags"]["ClusterName"] == "cfd", each.name


def test_the_load_balancer_is_inside_unless_said_otherwise() -> None:
    inside = recorded()[0].one("LoadBalancer").inputs
    assert (inside["internal"], inside["subnets"]) == (True, ["subnet-2"])
    outside = recorded(**PUBLIC)[0].one("LoadBalancer").inputs
    assert (outside["internal"], outside["subnets"]) == (False, ["subnet-9"])
    assert inside["loadBalancerType"] == outside["loadBalancerType"] == "network"
    assert inside["enableCrossZoneLoadBalancing"] is True
    group = recorded(**PUBLIC)[0].one("aws:autoscaling/group:Group").inputs
    assert group["vpcZoneIdentifiers"] == ["subnet-2"], "nodes have no public address in any case"


def test_a_user_comes_back_to_the_same_node() -> None:
    targets = recorded()[0].one("TargetGroup").inputs
    assert targets["stickiness"] == {"enabled": True, "type": "source_ip"}
    assert targets["healthCheck"]["protocol"] == "TCP"
    assert (targets["protocol"], targets["port"], targets["preserveClientIp"]) == ("TCP", 22, "true")
    assert targets["deregistrationDelay"] == 3600


def test_a_destroy_does_not_wait_for_sessions_to_end() -> None:
    """A leaving node is drained for an hour, but the provider waits only ten minutes for an empty group."""
    update, _ = recorded()
    group = update.one("aws:autoscaling/group:Group")
    assert group.inputs["forceDelete"] is True
    assert group.urn in update.one("Listener").depends_on, "no load balancer sends to the nodes any more: no draining"


def test_ssh_from_where_it_was_said_and_nowhere_else() -> None:
    update, _ = recorded(**PUBLIC)
    front = update.one("SecurityGroup", "login-nlb")
    behind = update.one("SecurityGroup", "login-nodes")
    rules = update.all("SecurityGroupIngressRule")
    assert {(each.inputs["fromPort"], each.inputs["toPort"], each.inputs["ipProtocol"]) for each in rules} == {
        (22, 22, "tcp")
    }
    assert {each.inputs["cidrIpv4"] for each in rules if "cidrIpv4" in each.inputs} == {
        "10.20.0.0/16",
        "203.0.113.0/24",
    }
    to_nodes = update.one("SecurityGroupEgressRule")
    assert to_nodes.property_dependencies["securityGroupId"] == (front.urn,)
    assert to_nodes.property_dependencies["referencedSecurityGroupId"] == (behind.urn,)
    from_nlb = update.one("SecurityGroupIngressRule", "login-nodes-from-nlb")
    assert from_nlb.property_dependencies["securityGroupId"] == (behind.urn,)
    assert from_nlb.property_dependencies["referencedSecurityGroupId"] == (front.urn,)
    assert update.one("LaunchTemplate").inputs["vpcSecurityGroupIds"][0] == "sg-login"
    assert behind.urn in update.one("LaunchTemplate").property_dependencies["vpcSecurityGroupIds"]


def test_nodes_know_what_they_are() -> None:
    _, preview = recorded()
    template = preview.one("LaunchTemplate").inputs
    for specification in template["tagSpecifications"]:
        assert specification["tags"] == NODE_TAGS
    assert {each["resourceType"] for each in template["tagSpecifications"]} == {
        "instance",
        "volume",
        "network-interface",
    }
    group = preview.one("aws:autoscaling/group:Group").inputs
    assert {each["key"]: each["value"] for each in group["tags"]} == NODE_TAGS
    assert all(each["propagateAtLaunch"] for each in group["tags"])
    assert template["metadataOptions"]["httpTokens"] == "required"
    assert template["metadataOptions"]["instanceMetadataTags"] == "enabled"
    assert template["blockDeviceMappings"][0]["ebs"]["encrypted"] == "true"


def test_a_new_template_shows_but_ends_no_session() -> None:
    update, preview = recorded()
    group = update.one("aws:autoscaling/group:Group")
    assert "instanceRefresh" not in group.inputs
    assert "desiredCapacity" not in group.inputs, "an update does not take back what the policy added"
    assert group.inputs["healthCheckType"] == "EC2"
    assert group.inputs["suspendedProcesses"] == ["AZRebalance"]
    assert (group.inputs["minSize"], group.inputs["maxSize"]) == (2, 4)
    template = preview.one("LaunchTemplate").urn
    shown = preview.one("aws:autoscaling/group:Group")
    assert shown.inputs["launchTemplate"] == {"id": UNKNOWN, "version": UNKNOWN}
    assert template in shown.property_dependencies["launchTemplate"]


def test_it_grows_when_busy_and_takes_nothing_away() -> None:
    policy = recorded()[0].one("aws:autoscaling/policy:Policy").inputs
    tracking = policy["targetTrackingConfiguration"]
    assert policy["policyType"] == "TargetTrackingScaling"
    assert tracking["predefinedMetricSpecification"] == {"predefinedMetricType": "ASGAverageCPUUtilization"}
    assert (tracking["targetValue"], tracking["disableScaleIn"]) == (70, True)
    assert not recorded(min=2, max=2)[0].all("aws:autoscaling/policy:Policy")


def test_the_role_may_share_its_host_keys_only() -> None:
    update, _ = recorded()
    text = update.one("RolePolicy").inputs["policy"]
    policy = json.loads(text)
    assert policy_findings(text.replace(update.outputs["host_keys"], HOST_KEYS)) == []
    (share,) = [each for each in policy["Statement"] if each["Sid"] == "ShareHostKeys"]
    assert share["Resource"] == [update.outputs["host_keys"]]
    assert not any(action.startswith("ec2:") for each in policy["Statement"] for action in each["Action"])


def test_nodes_wait_for_the_policy_of_their_role() -> None:
    """The group launches nodes as soon as it exists."""
    update, _ = recorded()
    assert update.one("RolePolicy").inputs["role"] == "own-role"
    assert update.one("RolePolicy").urn in update.one("aws:autoscaling/group:Group").depends_on


def test_nodes_lend_people_a_second_role() -> None:
    update, _ = recorded(identities=WHO_LENDS)
    tags = {each["key"]: each["value"] for each in update.one("aws:autoscaling/group:Group").inputs["tags"]}
    assert tags["hpc:data-role"] == LENT.role_arn
    last = json.loads(update.one("RolePolicy").inputs["policy"])["Statement"][-1]
    assert (last["Sid"], last["Resource"]) == ("LendDataRole", [LENT.role_arn])


def test_a_role_of_the_users_gets_no_policy() -> None:
    update, _ = recorded(identities=THEIRS)
    assert update.one("LaunchTemplate").inputs["iamInstanceProfile"] == {"name": "their-profile"}
    assert not update.all("RolePolicy")


KEY, IMAGE_KEY = (f"arn:aws:kms:us-east-2:123456789012:key/0f0e0d0{n}" for n in "cd")


def test_auto_scaling_may_use_the_keys_that_disks_are_under() -> None:
    """The usual role may not use a customer-managed key: every launch would fail, and so the update."""
    update, _ = recorded(root=RootDisk(size_gib=64, kms_key=KEY), kms_keys=(IMAGE_KEY, KEY))
    role = update.one("aws:iam/serviceLinkedRole:ServiceLinkedRole", "login-launch")
    assert role.inputs["awsServiceName"] == "autoscaling.amazonaws.com"
    assert role.inputs["customSuffix"] == "cfd-config"
    group = update.one("aws:autoscaling/group:Group")
    assert group.property_dependencies["serviceLinkedRoleArn"] == (role.urn,)
    grants = update.all("aws:kms/grant:Grant")
    assert {each.inputs["keyId"] for each in grants} == {KEY, IMAGE_KEY}
    assert len(grants) == 2
    for each in grants:
        assert each.property_dependencies["granteePrincipal"] == (role.urn,)
        assert each.urn in group.depends_on, "nodes are launched when the group is made"
        assert set(each.inputs["operations"]) == {
            "CreateGrant", "Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey",
            "GenerateDataKeyWithoutPlaintext", "ReEncryptFrom", "ReEncryptTo",
        }  # fmt: skip


def test_two_clusters_have_no_launch_role_in_common() -> None:
    """Roles belong to the account, not to a region; the end of the bucket's name is random."""
    config = replace(CONFIG, bucket="a-cluster-with-a-very-long-name-indeed-config-1a2b3c4")
    update, _ = recorded(root=RootDisk(size_gib=64, kms_key=KEY), config=config)
    suffix = update.one("ServiceLinkedRole").inputs["customSuffix"]
    assert suffix.endswith("-config-1a2b3c4")
    assert len(f"AWSServiceRoleForAutoScaling_{suffix}") == 64


def test_without_keys_of_ones_own_auto_scaling_has_its_usual_role() -> None:
    update, _ = recorded()
    assert "serviceLinkedRoleArn" not in update.one("aws:autoscaling/group:Group").inputs
    assert not update.all("Grant")


def test_host_keys_are_an_empty_container() -> None:
    update, _ = recorded()
    secret = update.one("Secret").inputs
    assert secret["name"] == "hpc/cfd/ssh-host-cfd-config"
    assert not update.all("SecretVersion")
    assert recorded(retain=False)[0].one("Secret").inputs["recoveryWindowInDays"] == 0


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("l" * 20, None), ("l" * 21, "login-"), ("internal", "login-"), ("internals", None), ("internal-x", "login-")],
)
def test_no_name_makes_a_load_balancer_impossible(name: str, prefix: str | None) -> None:
    """Their names have at most 32 characters with a random end of eight, and do not begin with `internal-`."""
    recording = record(lambda: LoginNodeNLB(name, args()))
    for made in (recording.one("LoadBalancer"), recording.one("TargetGroup")):
        assert made.inputs.get("namePrefix") == prefix
        assert prefix or len(f"{made.name}-1234567") <= 32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "m6i.larg"}, "machine: 'm6i.larg' is not an EC2 machine type"),
        ({"image": "ubuntu"}, "image: 'ubuntu' is not an image id or parameter; use ami-"),
        ({"min": 0}, "max: min=0 and max=4 don't form a valid range"),
        ({"min": 5}, "max: min=5 and max=4 don't form a valid range"),
        ({"public": True}, "ssh_from: without address ranges, no user could reach"),
        ({"ssh_from": ("203.0.113.0/33",)}, "ssh_from[0]: '203.0.113.0/33' is not an address range"),
        ({"zones": ()}, "zones: () must contain at least one zone"),
        (
            {"zones": ("use2-az2", "use2-az2")},
            "zones: ('use2-az2', 'use2-az2') must contain at least one zone and no duplicates",
        ),
        (
            {"zones": ("use2-az3",)},
            "zones[0]: zone 'use2-az3' has no private subnet; zones that have one: use2-az1, use2-az2",
        ),
        (
            {**PUBLIC, "zones": ("use2-az2", "use2-az1")},
            "zones[1]: zone 'use2-az1' has no public subnet; zones that have one: use2-az2",
        ),
        (
            {"network": replace(NETWORK, private_subnets={})},
            "zones[0]: zone 'use2-az2' has no private subnet; zones that have one: none",
        ),
        ({"root": RootDisk(size_gib=0)}, "root.size_gib"),
    ],
)
def test_arguments_that_aws_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^LoginNodeNLBArgs\.") as error:
        args(**change)
    assert message in str(error.value)
