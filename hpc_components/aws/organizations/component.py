from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.buckets.component import DataBucket, DataBucketArgs
from hpc_components.aws.identity.data_identity import bucket_statements
from hpc_components.aws.identity.policies import Statement, trust_roles
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.ports import BucketAccess, BucketRef
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import protected_options

USE_KEY = ("kms:Decrypt", "kms:GenerateDataKey")
"""Actions for reading and writing objects that are encrypted with a key. Multipart uploads need both. Source: AWS
re:Post knowledge center, s3-large-file-encryption-kms-key, read 2026-11-25."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class OrganizationArgs:
    """Arguments of `Organization`."""

    organization: str
    """Name of the organization."""
    lent_by: tuple[Input[str], ...]
    """ARNs of the roles of the nodes that lend its role to its people, the only roles that may assume it."""
    shared: BucketAccess = field(default_factory=BucketAccess)
    """Buckets of the cluster that its people may use, like those of other organizations."""
    bucket: bool = False
    """Whether to create a bucket and a key for it."""
    external_role: Input[str] | None = None
    """ARN of a role in its own account that its people may assume."""
    role_path: str = "/"
    """Path of its role."""
    permissions_boundary: Input[str] | None = None
    """ARN of the permissions boundary of its role."""
    retain: bool = True
    """Whether to protect the bucket and the key, and to keep them in the cloud when they are removed from the
    program. If false, both are deleted along with all objects."""
    tags: Tags = field(default_factory=Tags)
    """Tags of what belongs to it."""

    def __post_init__(self) -> None:
        """Refuse a role that no node may lend."""
        if not self.lent_by:
            raise ValueError("OrganizationArgs.lent_by: specify at least one role of nodes that lend the role")


class Organization(Component[OrganizationArgs]):
    """A role that nodes lend to the people of one organization only, and a bucket of the organization.

    No other role of the cluster can use the bucket or its key. Administrators of the account can, as far as their own
    policies allow it.
    """

    role_arn: Output[str]
    """ARN of its role."""
    bucket: BucketRef | None
    """Its bucket, or None without one."""
    external_trust: Output[str] | None
    """Trust policy that `external_role` needs, as JSON, or None without such a role."""
    aws_config: Output[str] | None
    """Section of `~/.aws/config` with which its people assume `external_role`, or None without such a role."""

    def _make(self, name: str, args: OrganizationArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:Organization", name, {"bucket": args.bucket}, opts)
        child = pulumi.ResourceOptions(parent=self)
        role = make_role(
            name,
            trust=trust_roles(list(args.lent_by)),
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            opts=child,
        )
        self.role_arn, self.bucket, statements = role.arn, None, []
        if args.bucket:
            key = self._make_key(name, args, opts)
            made = DataBucket(
                name,
                DataBucketArgs(kms_key=key.arn, retain=args.retain, tags=args.tags),
                protected_options(self, opts, retain=False),
            )
            self.bucket = BucketRef(name=args.organization, buckets=(made.bucket_name,), arns=(made.arn,))
            statements.append(Statement("UseKey", USE_KEY, (key.arn,)))
        own = () if self.bucket is None else (self.bucket,)
        access = BucketAccess(read=args.shared.read, write=(*args.shared.write, *own))
        statements += bucket_statements(access)
        self.external_trust = self.aws_config = None
        if args.external_role is not None:
            statements.append(Statement("UseExternalRole", ("sts:AssumeRole",), (args.external_role,)))
            self.external_trust = trust_roles(role.arn, external_id=args.tags.cluster)
            self.aws_config = _aws_config(args.organization, args.external_role, args.tags.cluster)
        attach_policy(name, role.name, statements, child)
        self.register_outputs({"roleArn": role.arn})

    def _make_key(self, name: str, args: OrganizationArgs, opts: pulumi.ResourceOptions | None) -> aws.kms.Key:
        """Return a key with KMS's default policy, by which the account's policies decide who may use it.

        A policy that names the role would stop working when the organization leaves and its role is deleted. Source:
        KMS developer guide, "Default key policy".
        """
        return aws.kms.Key(
            f"{name}-key",
            description=f"Bucket of {args.organization}, cluster {args.tags.cluster}",
            enable_key_rotation=True,
            tags=args.tags.for_resource(f"{name}-key"),
            opts=protected_options(self, opts, retain=args.retain),
        )


def _aws_config(profile: str, role: Input[str], external_id: str) -> Output[str]:
    """Return a profile whose role is assumed with the credentials that nodes lend.

    Source: AWS SDKs and Tools reference guide, "Assume role credential provider", credential_source.
    """
    lines = f"\ncredential_source = EcsContainer\nexternal_id = {external_id}\n"
    return Output.concat(f"[profile {profile}]\nrole_arn = ", role, lines)
