"""Who reaches the login nodes' load balancer, and it them."""

from collections.abc import Iterable

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.ports import Tags

__all__ = ["SSH", "make_login_security_groups"]

SSH = 22


def make_login_security_groups(
    name: str, *, vpc_id: Input[str], ssh_from: Iterable[str], tags: Tags, opts: pulumi.ResourceOptions
) -> tuple[aws.ec2.SecurityGroup, aws.ec2.SecurityGroup]:
    """One group for the load balancer, open to `ssh_from`, and one for nodes that lets it in.

    The second names the first, which holds for the addresses of users too, that the load balancer leaves as they are.
    Source: Elastic Load Balancing user guide, "Security groups for your Network Load Balancer".
    """

    def group(name: str, description: str) -> aws.ec2.SecurityGroup:
        return aws.ec2.SecurityGroup(name, description=description, vpc_id=vpc_id, tags=tags.of(name), opts=opts)

    front = group(f"{name}-nlb", "SSH load balancer")
    behind = group(f"{name}-nodes", "SSH from the load balancer")
    for cidr in dict.fromkeys(ssh_from):
        rule = f"{name}-nlb-from-{cidr.replace('/', '-')}"
        aws.vpc.SecurityGroupIngressRule(
            rule,
            security_group_id=front.id,
            ip_protocol="tcp",
            from_port=SSH,
            to_port=SSH,
            cidr_ipv4=cidr,
            tags=tags.of(rule),
            opts=opts,
        )
    aws.vpc.SecurityGroupEgressRule(
        f"{name}-nlb-to-nodes",
        security_group_id=front.id,
        ip_protocol="tcp",
        from_port=SSH,
        to_port=SSH,
        referenced_security_group_id=behind.id,
        tags=tags.of(f"{name}-nlb-to-nodes"),
        opts=opts,
    )
    aws.vpc.SecurityGroupIngressRule(
        f"{name}-nodes-from-nlb",
        security_group_id=behind.id,
        ip_protocol="tcp",
        from_port=SSH,
        to_port=SSH,
        referenced_security_group_id=front.id,
        tags=tags.of(f"{name}-nodes-from-nlb"),
        opts=opts,
    )
    return front, behind
