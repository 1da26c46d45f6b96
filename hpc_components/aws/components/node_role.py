"""The IAM role and instance profile of nodes."""

from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.components.data_role import DataRole, DataRoleArgs, wear_statement
from hpc_components.aws.components.policies import Statement, trust_document
from hpc_components.aws.components.roles import make_role
from hpc_components.aws.ports import BucketAccess
from hpc_components.aws.tags import Tags
from hpc_components.component import Component

__all__ = ["NodeRole", "NodeRoleArgs"]


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeRoleArgs:
    """Arguments of `NodeRole`."""

    statements: tuple[Statement, ...]
    """All that the nodes may do."""
    managed_policy_arns: tuple[str, ...] = ()
    """Existing policies to attach."""
    permissions_boundary: pulumi.Input[str] | None = None
    """ARN of the policy that bounds the role."""
    role_path: str = "/"
    """Path of the role and its instance profile."""
    buckets: BucketAccess | None = None
    """What people and jobs on the nodes may do with buckets, in a role of their own."""
    data_path: str = "/"
    """Path of that role, which no other role has."""
    tags: Tags = field(default_factory=Tags)
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


class NodeRole(Component[NodeRoleArgs]):
    """A role with one inline policy, and the instance profile that gives it to EC2 instances.

    With `buckets`, a second role that the nodes can take: what they lend to people and jobs, who get nothing else.
    """

    role_arn: pulumi.Output[str]
    """ARN of the role."""
    role_name: pulumi.Output[str]
    """Name of the role."""
    instance_profile_name: pulumi.Output[str]
    """Name of the instance profile."""
    instance_profile_arn: pulumi.Output[str]
    """ARN of the instance profile."""
    data_tag: dict[str, pulumi.Input[str]]
    """The mark by which nodes find the role for people and jobs, as `Tags.of` takes it; empty if there is none."""

    def _make(self, name: str, args: NodeRoleArgs, opts: pulumi.ResourceOptions | None) -> None:
        lend = (wear_statement(args.data_path),) if args.buckets else ()
        statements = (*args.statements, *lend)
        summary = {"statements": [statement.sid for statement in statements]}
        self._register("hpc:aws:NodeRole", name, summary, opts)
        child = pulumi.ResourceOptions(parent=self)
        role, _ = make_role(
            f"{name}-role",
            trust=trust_document("ec2.amazonaws.com"),
            statements=statements,
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
            tags=args.tags.for_resource(f"{name}-profile"),
            opts=child,
        )
        self.data_tag = {"data_role": self._data_role(name, args, args.buckets, role.arn)} if args.buckets else {}
        self.role_arn = role.arn
        self.role_name = role.name
        self.instance_profile_name = profile.name
        self.instance_profile_arn = profile.arn
        self.register_outputs({"roleArn": self.role_arn, "instanceProfileName": self.instance_profile_name})

    def _data_role(
        self, name: str, args: NodeRoleArgs, buckets: BucketAccess, worn_by: pulumi.Output[str]
    ) -> pulumi.Output[str]:
        """ARN of the second role."""
        data = DataRoleArgs(
            buckets=buckets,
            worn_by=worn_by,
            role_path=args.data_path,
            permissions_boundary=args.permissions_boundary,
            tags=args.tags,
        )
        return DataRole(f"{name}-data", data, pulumi.ResourceOptions(parent=self)).role_arn
