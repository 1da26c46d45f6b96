from collections.abc import Iterator
from dataclasses import dataclass, field

import pulumi
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.identity.policies import Statement, trust_roles
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.ports import BucketAccess, BucketRef, Identity
from hpc_components.aws.tags import Tags
from hpc_components.component import Component

READ = ("s3:GetObject", "s3:GetObjectTagging")
"""Actions for reading objects and their tags. The tags are read when a large object is copied between buckets."""

WRITE = (
    "s3:AbortMultipartUpload", "s3:DeleteObject", "s3:ListMultipartUploadParts", "s3:PutObject",
    "s3:PutObjectTagging", "s3:RestoreObject",
)  # fmt: skip
"""Actions for PutObject, CopyObject, multipart uploads (with ListParts and AbortMultipartUpload), DeleteObject, tags,
and RestoreObject for archived objects. Actions on old versions are excluded, so that the account's owner can recover
objects that were deleted or overwritten by mistake. Source: S3 user guide, "Required permissions for Amazon S3 API
operations", read 2026-11-24."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataIdentityArgs:
    """Arguments of `DataIdentity`."""

    buckets: BucketAccess
    """Buckets that the role may read or write."""
    lent_by: Input[str]
    """ARN of the nodes' role, the only role that may assume this one."""
    role_path: str = "/"
    """Path of the role."""
    permissions_boundary: Input[str] | None = None
    """ARN of the role's permissions boundary."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse a role without permissions."""
        if not (self.buckets.read or self.buckets.write):
            raise ValueError(
                "DataIdentityArgs.buckets: no bucket is specified, so the role would allow nothing; add at least "
                "one bucket"
            )


class DataIdentity(Component[DataIdentityArgs]):
    """A role that gives access to certain buckets and nothing else. Nodes assume it and lend it to their users and
    jobs.
    """

    identity: Identity
    """The role to pass as `Identities.lent`."""

    def _make(self, name: str, args: DataIdentityArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {
            "read": [bucket.name for bucket in args.buckets.read],
            "write": [bucket.name for bucket in args.buckets.write],
        }
        self._register("hpc:aws:DataIdentity", name, summary, opts)
        child = pulumi.ResourceOptions(parent=self)
        role = make_role(
            name,
            trust=trust_roles(args.lent_by),
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            opts=child,
        )
        attach_policy(name, role.name, bucket_statements(args.buckets), child)
        self.identity = Identity(role_arn=role.arn)
        self.register_outputs({"roleArn": role.arn})


def bucket_statements(access: BucketAccess) -> tuple[Statement, ...]:
    """Return the statements that allow the reads and writes in `access`.

    Directory buckets are accessed through sessions, which may write unless a condition forbids it. Source: S3 user
    guide, "Authorizing Zonal endpoint API operations with CreateSession".
    """
    return tuple(statement for statement in _statements(access) if statement.resources)


def _statements(access: BucketAccess) -> Iterator[Statement]:
    both = (*access.read, *access.write)
    plain, written = tuple(_arns(both, express=False)), tuple(_arns(access.write, express=False))
    yield Statement("ListBuckets", ("s3:GetBucketLocation", "s3:ListBucket"), plain)
    yield Statement("ReadObjects", READ, tuple(map(_objects, plain)))
    yield Statement("WriteObjects", WRITE, tuple(map(_objects, written)))
    read_only = {"StringEquals": {"s3express:SessionMode": "ReadOnly"}}
    session = ("s3express:CreateSession",)
    yield Statement("ReadDirectoryBuckets", session, tuple(_arns(access.read, express=True)), read_only)
    yield Statement("WriteDirectoryBuckets", session, tuple(_arns(access.write, express=True)))


def _arns(buckets: tuple[BucketRef, ...], *, express: bool) -> Iterator[Input[str]]:
    for bucket in buckets:
        if bucket.express == express:
            yield from bucket.arns


def _objects(bucket: Input[str]) -> Input[str]:
    return f"{bucket}/*" if isinstance(bucket, str) else Output.concat(bucket, "/*")
