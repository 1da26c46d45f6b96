"""The role that nodes wear."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from hpc_components.aws.policies import Statement
from hpc_components.aws.roles import service_role
from hpc_components.ports import Tags

__all__ = ["NodeRole", "NodeRoleArgs"]


@dataclass(frozen=True, kw_only=True)
class NodeRoleArgs:
    """Arguments of `NodeRole`."""

    statements: tuple[Statement, ...]
    """All that the nodes may do."""
    managed_policy_arns: tuple[str, ...] = ()
    """Policies that are there already, to attach."""
    permissions_boundary: str | None = None
    """ARN of the policy that bounds the role."""
    role_path: str = "/"
    """Path of the role and its instance profile."""
    tags: Tags
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what IAM would refuse: no statement, or two of one name."""
        sids = [statement.sid for statement in self.statements]
        if not sids:
            raise ValueError(
                "NodeRoleArgs.statements: a role needs at least one statement; give what its nodes may do"
            )
        twice = next((sid for sid in sids if sids.count(sid) > 1), None)
        if twice:
            raise ValueError(f"NodeRoleArgs.statements: {twice!r} is there twice; give each statement its own sid")


class NodeRole(pulumi.ComponentResource):
    """A role with one inline policy, and the instance profile by which EC2 instances wear it."""

    role_arn: pulumi.Output[str]
    """ARN of the role."""
    role_name: pulumi.Output[str]
    """Name of the role."""
    instance_profile_name: pulumi.Output[str]
    """Name of the instance profile."""
    instance_profile_arn: pulumi.Output[str]
    """ARN of the instance profile."""

    def __init__(self, name: str, args: NodeRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        summary = {"statements": [statement.sid for statement in args.statements]}
        super().__init__("hpc:aws:NodeRole", name, summary, opts)
        child = pulumi.ResourceOptions(parent=self)
        role, _ = service_role(
            f"{name}-role",
            service="ec2.amazonaws.com",
            statements=args.statements,
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            opts=child,
        )
        for policy in args.managed_policy_arns:
            aws.iam.RolePolicyAttachment(
                f"{name}-{policy.rpartition('/')[2]}", role=role.name, policy_arn=policy, opts=child
            )
        profile = aws.iam.InstanceProfile(
            f"{name}-profile",
            role=role.name,
            path=args.role_path,
            tags=args.tags.of(f"{name}-profile"),
            opts=child,
        )
        self.role_arn = role.arn
        self.role_name = role.name
        self.instance_profile_name = profile.name
        self.instance_profile_arn = profile.arn
        self.register_outputs({"roleArn": self.role_arn, "instanceProfileName": self.instance_profile_name})
