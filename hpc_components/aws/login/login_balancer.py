from collections.abc import Sequence

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.login.login_security_groups import SSH
from hpc_components.aws.tags import Tags

_MAX_NAME_LENGTH = 20
"""Maximum length of a component name used in the names of load balancers and target groups. This limit leaves room
for `-nlb` and the provider's random suffix."""

_RESERVED_PREFIX = "internal-"
"""Prefix that AWS does not allow in load balancer names. Source: Elastic Load Balancing API reference,
CreateLoadBalancer, Name."""

_IDLE_SECONDS = 6000
"""Idle timeout of a session, in seconds. This is the maximum that NLB allows. Source: NLB user guide, "Idle timeout".
"""

_DRAIN_SECONDS = 3600
"""Seconds that sessions may continue after their node leaves the target group. This is the maximum that NLB allows.
"""


def make_balancer(
    name: str,
    *,
    public: bool,
    subnets: Sequence[Input[str]],
    group: aws.ec2.SecurityGroup,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> aws.lb.LoadBalancer:
    """Make a Network Load Balancer in `subnets` (one subnet per zone). If `public` is true, the load balancer is
    internet-facing.
    """
    label = f"{name}-nlb"
    return aws.lb.LoadBalancer(
        label,
        name_prefix=_name_prefix(name),
        load_balancer_type="network",
        internal=not public,
        security_groups=[group.id],
        subnets=subnets,
        enable_cross_zone_load_balancing=True,
        tags=tags.for_resource(label),
        opts=opts,
    )


def make_targets(name: str, *, vpc_id: Input[str], tags: Tags, opts: pulumi.ResourceOptions) -> aws.lb.TargetGroup:
    label = f"{name}-ssh"
    return aws.lb.TargetGroup(
        label,
        name_prefix=_name_prefix(name),
        port=SSH,
        protocol="TCP",
        target_type="instance",
        vpc_id=vpc_id,
        # lets the nodes log users' addresses
        preserve_client_ip="true",
        stickiness=aws.lb.TargetGroupStickinessArgs(type="source_ip", enabled=True),
        health_check=aws.lb.TargetGroupHealthCheckArgs(protocol="TCP", port="traffic-port", interval=10),
        deregistration_delay=_DRAIN_SECONDS,
        tags=tags.for_resource(label),
        opts=opts,
    )


def make_listener(
    name: str,
    *,
    balancer: aws.lb.LoadBalancer,
    targets: aws.lb.TargetGroup,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    label = f"{name}-ssh"
    aws.lb.Listener(
        label,
        load_balancer_arn=balancer.arn,
        port=SSH,
        protocol="TCP",
        tcp_idle_timeout_seconds=_IDLE_SECONDS,
        default_actions=[aws.lb.ListenerDefaultActionArgs(type="forward", target_group_arn=targets.arn)],
        tags=tags.for_resource(label),
        opts=opts,
    )


def _name_prefix(name: str) -> str | None:
    """Return a prefix for generated names, or None if `name` can be used as is."""
    return None if len(name) <= _MAX_NAME_LENGTH and not f"{name}-".startswith(_RESERVED_PREFIX) else "login-"
