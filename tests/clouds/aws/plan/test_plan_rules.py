"""Rules of the plan on AWS: for each, programs that break it and programs that follow it."""

import json
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest
from plan_rules import found_in
from stack_recordings import recorded

from hpc_components.preview.judge import findings_of_rule
from hpc_components.preview.plan import resources_of
from hpc_components.preview.resources import Resources
from hpc_components.spec.plan_rule import plan_rules

Program = Callable[[], object]


def template(**args: Any) -> Program:
    options = {"metadata_options": {"http_tokens": "required"}}
    return lambda: aws.ec2.LaunchTemplate("t", **(options | args))


def instance(**args: Any) -> Program:
    options: dict[str, Any] = {
        "metadata_options": {"http_tokens": "required"},
        "root_block_device": {"encrypted": True},
    }
    return lambda: aws.ec2.Instance("i", ami="ami-1", instance_type="c7i.large", **(options | args))


def overruled(**own: Any) -> Program:
    def program() -> None:
        made = aws.ec2.LaunchTemplate("t")
        aws.ec2.Instance("i", launch_template={"id": made.id}, **own)

    return program


def ingress(**rule: Any) -> Program:
    return lambda: aws.vpc.SecurityGroupIngressRule("r", security_group_id="sg-1", **rule)


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allowed(action: str, resource: str = "*", **more: Any) -> Program:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource, **more}
    return lambda: aws.iam.RolePolicy("p", role="r", policy=policy(statement))


def trusted(principal: Any, **more: Any) -> Program:
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal, **more}
    return lambda: aws.iam.Role("r", assume_role_policy=policy(statement))


def shared_bucket(principal: Any, **more: Any) -> Program:
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Principal": principal, **more}
    return lambda: aws.s3.BucketPolicy("p", bucket="b", policy=policy(statement))


def block(**flags: bool) -> Program:
    flags = {"block_public_acls": True, "block_public_policy": True, "ignore_public_acls": True} | flags
    return lambda: aws.s3.BucketPublicAccessBlock("b", bucket="b", **flags)


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (ingress(ip_protocol="tcp", from_port=22, to_port=22, cidr_ipv4="0.0.0.0/0"),
         {("HPC-PLN-001", "SecurityGroupIngressRule r: cidrIpv4")}),
        (ingress(ip_protocol="tcp", from_port=20, to_port=30, cidr_ipv6="::/0"),
         {("HPC-PLN-001", "SecurityGroupIngressRule r: cidrIpv6")}),
        (ingress(ip_protocol="tcp", from_port=22, to_port=22, cidr_ipv4="128.0.0.0/1"),
         {("HPC-PLN-001", "SecurityGroupIngressRule r: cidrIpv4")}),
        (ingress(ip_protocol="tcp", from_port=2049, to_port=2049, cidr_ipv4="0.0.0.0/0"),
         {("HPC-PLN-002", "SecurityGroupIngressRule r: cidrIpv4")}),
        (ingress(ip_protocol="tcp", from_port=6817, to_port=6819, cidr_ipv4="0.0.0.0/0"),
         {("HPC-PLN-002", "SecurityGroupIngressRule r: cidrIpv4")}),
        (allowed("s3:*"), {("HPC-PLN-003", "RolePolicy p")}),
        (lambda: aws.fsx.LustreFileSystem("f", subnet_ids="subnet-1"), {("HPC-PLN-004", "LustreFileSystem f")}),
        (template(metadata_options={}), {("HPC-PLN-005", "LaunchTemplate t: metadataOptions.httpTokens")}),
        (template(metadata_options={"http_tokens": "optional"}),
         {("HPC-PLN-005", "LaunchTemplate t: metadataOptions.httpTokens")}),
        (overruled(metadata_options={"http_tokens": "optional"}),
         {("HPC-PLN-005", "Instance i: metadataOptions.httpTokens")}),
        (overruled(), {("HPC-PLN-005", "LaunchTemplate t: metadataOptions.httpTokens")}),
        (template(block_device_mappings=[{"device_name": "/dev/sdb", "ebs": {"volume_size": 8}}]),
         {("HPC-PLN-006", "LaunchTemplate t: blockDeviceMappings[0].ebs.encrypted")}),
        (instance(root_block_device={"volume_size": 8}), {("HPC-PLN-006", "Instance i: rootBlockDevice.encrypted")}),
        (instance(ebs_block_devices=[{"device_name": "/dev/sdb", "encrypted": False}]),
         {("HPC-PLN-006", "Instance i: ebsBlockDevices[0].encrypted")}),
        (lambda: aws.s3.BucketAcl("a", bucket="b", acl="public-read"), {("HPC-PLN-007", "BucketAcl a: acl")}),
        (block(restrict_public_buckets=False),
         {("HPC-PLN-007", "BucketPublicAccessBlock b: restrictPublicBuckets")}),
        (shared_bucket("*"), {("HPC-PLN-007", "BucketPolicy p: policy")}),
        (trusted("*"), {("HPC-PLN-008", "Role r: assumeRolePolicy")}),
        (trusted({"AWS": ["arn:aws:iam::123456789012:root", "*"]}), {("HPC-PLN-008", "Role r: assumeRolePolicy")}),
        (allowed("iam:PassRole"), {("HPC-PLN-009", "RolePolicy p: policy")}),
        (instance(user_data="AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE"), {("HPC-PLN-022", "Instance i: userData")}),
        (lambda: aws.s3.BucketObjectv2("o", bucket="b", content="password=correct-horse"),
         {("HPC-PLN-022", "BucketObjectv2 o: content")}),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_found(program: Program, found: set[tuple[str, str]]) -> None:
    assert found_in(program) == found


@pytest.mark.parametrize(
    "program",
    [
        ingress(ip_protocol="tcp", from_port=22, to_port=22, cidr_ipv4="203.0.113.0/24"),
        ingress(ip_protocol="tcp", from_port=443, to_port=443, cidr_ipv4="0.0.0.0/0"),
        ingress(ip_protocol="-1", referenced_security_group_id="sg-1"),
        allowed("s3:GetObject"),
        allowed("iam:PassRole", "arn:aws:iam::123456789012:role/cfd/*"),
        allowed("iam:PassRole", Condition={"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}),
        lambda: aws.s3.BucketObjectv2(
            "o", bucket="b", content="StoragePass=@DATABASE_PASSWORD@"
        ),  # replaced on the head node
        lambda: aws.fsx.LustreFileSystem("f", subnet_ids="subnet-1", opts=pulumi.ResourceOptions(protect=True)),
        template(),
        template(metadata_options={"http_endpoint": "disabled"}),
        overruled(metadata_options={"http_tokens": "required"}),
        template(block_device_mappings=[{"device_name": "/dev/sdb", "ebs": {"encrypted": "true"}}]),
        template(block_device_mappings=[{"device_name": "/dev/sdb", "ebs": {"snapshot_id": "snap-1"}}]),
        template(block_device_mappings=[{"device_name": "/dev/sdb", "virtual_name": "ephemeral0"}]),
        instance(),
        lambda: aws.s3.BucketObjectv2("o", bucket="b", content=pulumi.Output.secret("password=correct-horse")),
        block(restrict_public_buckets=True),
        shared_bucket("*", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}}),
        shared_bucket({"AWS": "arn:aws:iam::123456789012:role/r"}),
        trusted({"Service": "ec2.amazonaws.com"}),
        trusted("*", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}}),
    ],
)
def test_what_keeps_the_rules_is_not(program: Program) -> None:
    assert found_in(program) == set()


def test_policies_are_judged_once_they_are_known() -> None:
    def program() -> None:
        bucket = aws.s3.Bucket("b")
        aws.iam.RolePolicy(
            "p",
            role="r",
            policy=bucket.arn.apply(
                lambda arn: policy({"Effect": "Allow", "Action": "s3:*", "Resource": arn}),
            ),
        )

    assert found_in(program) == set()
    assert found_in(program, preview=False) == {("HPC-PLN-003", "RolePolicy p")}


def efa(*ways: str, protocol: str = "-1", groups: tuple[str, ...] = ()) -> Program:
    """A launch template with EFA, whose security group has a rule with itself in both directions."""

    def program() -> None:
        group = aws.ec2.SecurityGroup("g")
        rules = {"ingress": aws.vpc.SecurityGroupIngressRule, "egress": aws.vpc.SecurityGroupEgressRule}
        for way in ways:
            rules[way](
                f"r-{way}", security_group_id=group.id, referenced_security_group_id=group.id, ip_protocol=protocol
            )
        interface = {"interface_type": "efa", "security_groups": [group.id, *groups]}
        template(network_interfaces=[interface])()

    return program


def inline_efa() -> None:
    rules = [{"protocol": "-1", "from_port": 0, "to_port": 0, "self": True}]
    group = aws.ec2.SecurityGroup("g", ingress=rules, egress=rules)
    template(network_interfaces=[{"interface_type": "efa-only", "security_groups": [group.id]}])()


def old_efa() -> None:
    group = aws.ec2.SecurityGroup("g")
    for way in ("ingress", "egress"):
        aws.ec2.SecurityGroupRule(
            way, type=way, security_group_id=group.id, self=True, protocol="-1", from_port=0, to_port=0
        )
    template(network_interfaces=[{"interface_type": "efa", "security_groups": [group.id]}])()


NO_EFA = {("HPC-PLN-010", "LaunchTemplate t: networkInterfaces")}


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    ("program", "found"),
    [
        (efa("ingress", "egress"), set()),
        (inline_efa, set()),
        (old_efa, set()),
        (efa("ingress", groups=("sg-of-others",)), set()),
        (efa("ingress"), NO_EFA),
        (efa("egress"), NO_EFA),
        (efa("ingress", "egress", protocol="tcp"), NO_EFA),
    ],
)
def test_a_group_with_efa_must_admit_itself(program: Program, found: set[tuple[str, str]], preview: bool) -> None:
    assert found_in(program, preview=preview) == found


@pytest.mark.parametrize("stack", ["aws-cfd", "aws-ultracluster"])
def test_our_own_fleets_with_efa_are_judged(stack: str) -> None:
    (rule,) = [each for each in plan_rules() if each.id == "HPC-PLN-010"]
    whole = resources_of(recorded(stack))
    assert list(findings_of_rule(rule, whole)) == []
    for way in ("Ingress", "Egress"):
        less = Resources(each for each in whole if each.kind != f"SecurityGroup{way}Rule")
        assert list(findings_of_rule(rule, less)), way


def launched(*subnets: str, efa: bool = True) -> Program:
    def program() -> None:
        interfaces = [{"interface_type": "efa" if efa else "interface", "security_groups": ["sg-1"]}]
        made = aws.ec2.LaunchTemplate(
            "t", network_interfaces=interfaces, metadata_options={"http_tokens": "required"}
        )
        options = {"min_size": 0, "max_size": 8, "launch_template": {"id": made.id}}
        aws.autoscaling.Group("g", vpc_zone_identifiers=list(subnets), **options)
        overrides = [{"subnet_id": each} for each in subnets]
        capacity = {"default_target_capacity_type": "spot", "total_target_capacity": 4}
        aws.ec2.Fleet(
            "f",
            launch_template_configs=[
                {
                    "launch_template_specification": {"launch_template_id": made.id, "version": "1"},
                    "overrides": overrides,
                }
            ],
            target_capacity_specification=capacity,
        )

    return program


def test_machines_with_efa_are_launched_in_one_zone() -> None:
    assert found_in(launched("subnet-1")) == set()
    assert found_in(launched("subnet-1", "subnet-2", efa=False)) == set()
    assert found_in(launched("subnet-1", "subnet-2")) == {
        ("HPC-PLN-011", "Group g: vpcZoneIdentifiers"),
        ("HPC-PLN-011", "Fleet f: launchTemplateConfigs"),
    }
