"""The service account that users and jobs use to access the cluster's buckets. It is separate from the nodes' own
accounts, which have more permissions.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.identity.roles import Grant, grant
from hpc_components.gcp.ports import BucketAccess, Identity


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataIdentityArgs:
    """Arguments of `DataIdentity`."""

    project: str
    """Id of the project."""
    buckets: BucketAccess
    """Buckets that the service account may read or write."""

    def __post_init__(self) -> None:
        if not (self.buckets.read or self.buckets.write):
            raise ValueError(
                "DataIdentityArgs.buckets: an identity needs at least one bucket; specify a bucket, or leave "
                "the identity out"
            )


class DataIdentity(Component[DataIdentityArgs]):
    """A service account that can access certain buckets and nothing else.

    Nodes issue the account's tokens to all users and jobs.
    """

    identity: Identity
    """The service account."""
    email: Output[str]
    """The account's email, which is the value of the metadata key `hpc-data-account`."""
    account_name: Output[str]
    """The account's full name, which is needed to grant permission to issue its tokens."""

    def _make(self, name: str, args: DataIdentityArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {
            "read": [bucket.name for bucket in args.buckets.read],
            "write": [bucket.name for bucket in args.buckets.write],
        }
        self._register("hpc:gcp:DataIdentity", name, summary, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = gcp.serviceaccount.Account(
            f"{name}-account",
            project=args.project,
            account_id=account_id(name),
            display_name=name,
            description="Users and jobs access buckets with it",
            opts=child,
        )
        self.identity, self.email, self.account_name = Identity(email=made.email), made.email, made.name
        grant(name, self.identity, bucket_grants(args.buckets), child)
        self.register_outputs({"email": self.email})


def bucket_grants(access: BucketAccess) -> list[Grant]:
    """Return grants to read and write objects in the buckets, but not to list or change the buckets."""
    reads = [
        Grant(name=f"reads-{each.name}", role="roles/storage.objectViewer", on="bucket", resource=each.bucket)
        for each in access.read
    ]
    writes = [
        Grant(name=f"writes-{each.name}", role="roles/storage.objectUser", on="bucket", resource=each.bucket)
        for each in access.write
    ]
    return reads + writes
