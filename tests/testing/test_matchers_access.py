import json

import pulumi
import pulumi_aws as aws
import pytest

from hpc_components.testing import assert_no_wildcard_actions, assert_not_open_to_the_world, record


def ingress(**rule):
    return lambda: aws.vpc.SecurityGroupIngressRule("rule", security_group_id="sg-1", **rule)


def group(**rule):
    return lambda: aws.ec2.SecurityGroup("group", ingress=[rule])


def old_rule(**rule):
    return lambda: aws.ec2.SecurityGroupRule("rule", security_group_id="sg-1", **rule)


@pytest.mark.parametrize(
    "program",
    [
        ingress(ip_protocol="tcp", from_port=22, to_port=22, cidr_ipv4="0.0.0.0/0"),
        ingress(ip_protocol="tcp", from_port=0, to_port=1024, cidr_ipv6="::/0"),
        ingress(ip_protocol="-1", cidr_ipv4="0.0.0.0/0"),
        ingress(ip_protocol="6", from_port=22, to_port=22, cidr_ipv4="0.0.0.0/0"),
        group(protocol="tcp", from_port=22, to_port=22, cidr_blocks=["10.0.0.0/8", "0.0.0.0/0"]),
        group(protocol="-1", from_port=0, to_port=0, ipv6_cidr_blocks=["::/0"]),
        old_rule(type="ingress", protocol="all", from_port=0, to_port=0, cidr_blocks=["0.0.0.0/0"]),
    ],
)
def test_a_door_to_the_world_is_found(program):
    with pytest.raises(
        AssertionError, match=r"open port 22 to the whole internet.*\(1\):\n  - \w+ '\w+' admits [0:]"
    ):
        assert_not_open_to_the_world(record(program))


@pytest.mark.parametrize(
    "program",
    [
        ingress(ip_protocol="tcp", from_port=443, to_port=443, cidr_ipv4="0.0.0.0/0"),
        ingress(ip_protocol="udp", from_port=22, to_port=22, cidr_ipv4="0.0.0.0/0"),
        ingress(ip_protocol="tcp", from_port=22, to_port=22, cidr_ipv4="203.0.113.0/24"),
        ingress(ip_protocol="tcp", from_port=22, to_port=22, referenced_security_group_id="sg-2"),
        old_rule(type="egress", protocol="-1", from_port=0, to_port=0, cidr_blocks=["0.0.0.0/0"]),
        lambda: aws.ec2.SecurityGroup(
            "g", egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}]
        ),
    ],
)
def test_other_doors_pass_the_matcher(program):
    assert_not_open_to_the_world(record(program))


def test_another_port_can_be_asked_for():
    program = ingress(ip_protocol="tcp", from_port=443, to_port=443, cidr_ipv4="0.0.0.0/0")

    with pytest.raises(AssertionError, match="port 443"):
        assert_not_open_to_the_world(record(program), 443)


def policy(**statement):
    statement = {"Effect": "Allow", "Resource": "*", **statement}
    return lambda: aws.iam.Policy("policy", policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))


@pytest.mark.parametrize(
    ("program", "action"),
    [
        (policy(Action="*"), r"\*"),
        (policy(Action=["ec2:RunInstances", "s3:*"]), r"s3:\*"),
        (policy(Action="ec2:Describe*"), r"ec2:Describe\*"),
        (policy(NotAction="iam:CreateUser"), "everything but"),
    ],
)
def test_a_wildcard_action_is_found(program, action):
    with pytest.raises(AssertionError, match=rf"\(1\):\n  - Policy 'policy' allows {action}"):
        assert_no_wildcard_actions(record(program))


def test_inline_policies_are_read_too():
    wide = json.dumps({"Statement": {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}})

    with pytest.raises(AssertionError, match="Role 'role' allows"):
        assert_no_wildcard_actions(
            record(lambda: aws.iam.Role("role", assume_role_policy="{}", inline_policies=[{"policy": wide}]))
        )


def test_named_actions_denials_and_unreadable_policies_pass():
    def program():
        policy(Action="ec2:RunInstances")()
        aws.iam.Policy("deny", policy=json.dumps({"Statement": [{"Effect": "Deny", "Action": "*", "Resource": "*"}]}))
        vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
        aws.iam.Policy(
            "unknown", policy=pulumi.Output.json_dumps({"Statement": [{"Action": "*", "Resource": vpc.arn}]})
        )

    assert_no_wildcard_actions(record(program))
