from dataclasses import dataclass, field, replace

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.identity.data_identity import DataIdentity, DataIdentityArgs
from hpc_components.aws.identity.permissions import no_launches
from hpc_components.aws.identity.policies import policy_document, roles_below, trust_document
from hpc_components.aws.identity.roles import make_role
from hpc_components.aws.ports import BucketAccess, Identities, Identity
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import depends_on


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeIdentityArgs:
    """Arguments of `NodeIdentity`."""

    queue: str | None = None
    """Name of the queue whose compute nodes use the role, or None for the head node or the login nodes."""
    buckets: BucketAccess | None = None
    """Buckets that users and jobs on the nodes may access, through a separate role."""
    organizations: tuple[str, ...] = ()
    """Patterns of the roles of organizations, which the nodes may lend to their people."""
    launch_denial: bool = False
    """Whether to make a policy that denies launches, which the account's budget may attach to the role."""
    permissions_boundary: Input[str] | None = None
    """ARN of the roles' permissions boundary."""
    role_path: str = "/"
    """Path prefix of the roles and the instance profile. For a queue, the path continues with `<cluster>/compute/`.
    For the role that nodes lend to users and jobs, it continues with `<cluster>/data/<queue>/` or
    `<cluster>/data/login/`."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class NodeIdentity(Component[NodeIdentityArgs]):
    """A role and its instance profile for the head node, the login nodes or a queue's nodes.

    The role has no permissions yet; the component that uses the role attaches the policy. If `buckets` is set, a
    second role is created, which the nodes lend to users and jobs. The second role gives access to the buckets and
    nothing else.
    """

    identities: Identities
    """The roles, to pass to the component that creates the machines."""
    role_name: Output[str]
    """Name of the nodes' own role, used to attach further policies."""

    def _make(self, name: str, args: NodeIdentityArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:NodeIdentity", name, {"lends": args.buckets is not None}, opts)
        child = pulumi.ResourceOptions(parent=self)
        below = f"{args.role_path}{args.tags.cluster}/"
        path = args.role_path if args.queue is None else f"{below}compute/"
        # the elastic daemon's driver recognizes this name in the error messages of EC2
        denial = _make_denial(f"{name}-launch-denial", args, child) if args.launch_denial else None
        role = make_role(
            f"{name}-role",
            trust=trust_document("ec2.amazonaws.com"),
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=path,
            others_attach=args.launch_denial,
            # IAM does not delete a policy that is attached, so the role must be deleted first
            opts=depends_on(child, denial) if denial else child,
        )
        profile = aws.iam.InstanceProfile(
            f"{name}-profile",
            role=role.name,
            path=path,
            tags=args.tags.for_resource(f"{name}-profile"),
            opts=child,
        )
        own = Identity(
            instance_profile=profile.name,
            role_arn=role.arn,
            # one pattern for all queues, because fifty role ARNs don't fit in the head node's policy
            role_pattern=None if args.queue is None else roles_below(path),
            role_name=role.name,
            launch_denial=denial.arn if denial else None,
        )
        lent = None
        if args.buckets is not None:
            data_path = f"{below}data/{args.queue or 'login'}/"
            data = DataIdentityArgs(
                buckets=args.buckets,
                lent_by=role.arn,
                role_path=data_path,
                permissions_boundary=args.permissions_boundary,
                tags=args.tags,
            )
            made = DataIdentity(f"{name}-data", data, child).identity
            lent = replace(made, role_pattern=roles_below(data_path))
        self.identities = Identities(own=own, lent=lent, organizations=args.organizations)
        self.role_name = role.name
        self.register_outputs({"roleArn": role.arn, "instanceProfileName": profile.name})


def _make_denial(name: str, args: NodeIdentityArgs, opts: pulumi.ResourceOptions) -> "aws.iam.Policy":
    return aws.iam.Policy(
        name,
        path=args.role_path,
        policy=policy_document([no_launches()]),
        tags=args.tags.for_resource(name),
        opts=opts,
    )


def identity_marks(identities: Identities) -> dict[str, Input[str]]:
    """Return the tag that tells nodes which role they lend, in the form of keyword arguments for
    `Tags.for_resource`.
    """
    return {} if identities.lent is None else {"data_role": identities.lent.role_arn}
