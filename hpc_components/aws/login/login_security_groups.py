from collections.abc import Iterable

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.tags import Tags

SSH = 22


def make_login_security_groups(
    name: str, *, vpc_id: Input[str], ssh_from: Iterable[str], tags: Tags, opts: pulumi.ResourceOptions
) -> tuple[aws.ec2.SecurityGroup, aws.ec2.SecurityGroup]:
    """Make two security groups: one for the load balancer, which allows SSH from `ssh_from`, and one for the nodes,
    which allows SSH from the load balancer.

    The rule for the nodes refers to the load balancer's group rather than to addresses, because the load balancer
    preserves users' addresses. Source: Elastic Load Balancing user guide, "Security groups for your Network Load
    Balancer".
    """

    def group(name: str, description: str) -> aws.ec2.SecurityGroup:
        return aws.ec2.SecurityGroup(
            name, description=description, vpc_id=vpc_id, tags=tags.for_resource(name), opts=opts
        )

    balancer = group(f"{name}-nlb", "SSH load balancer")
    nodes = group(f"{name}-nodes", "SSH from the load balancer")
    for cidr in dict.fromkeys(ssh_from):
        rule = f"{name}-nlb-from-{cidr.replace('/', '-')}"
        _ssh_rule(aws.vpc.SecurityGroupIngressRule, rule, balancer, tags, opts, cidr_ipv4=cidr)
    egress, ingress = aws.vpc.SecurityGroupEgressRule, aws.vpc.SecurityGroupIngressRule
    _ssh_rule(egress, f"{name}-nlb-to-nodes", balancer, tags, opts, referenced_security_group_id=nodes.id)
    _ssh_rule(ingress, f"{name}-nodes-from-nlb", nodes, tags, opts, referenced_security_group_id=balancer.id)
    return balancer, nodes


def _ssh_rule(
    direction: type[aws.vpc.SecurityGroupIngressRule | aws.vpc.SecurityGroupEgressRule],
    name: str,
    group: aws.ec2.SecurityGroup,
    tags: Tags,
    opts: pulumi.ResourceOptions,
    **peer: Input[str],
) -> None:
    direction(
        name,
        security_group_id=group.id,
        ip_protocol="tcp",
        from_port=SSH,
        to_port=SSH,
        tags=tags.for_resource(name),
        opts=opts,
        **peer,
    )
