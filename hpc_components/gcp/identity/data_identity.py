"""The service account with which users and jobs access the cluster's buckets; the nodes' own may do more."""

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
    """Buckets that it may read or write."""

    def __post_init__(self) -> None:
        """Refuse an identity without permissions."""
        if not (self.buckets.read or self.buckets.write):
            raise ValueError(
                "DataIdentityArgs.buckets: an identity without buckets has no use; name a bucket, or leave it out"
            )


class DataIdentity(Component[DataIdentityArgs]):
    """A service account that may use some buckets and nothing else. Nodes issue its tokens to all users and jobs."""

    identity: Identity
    """The service account."""
    email: Output[str]
    """Email of the account, the value of the metadata key `hpc-data-account`."""
    account_name: Output[str]
    """Full name of the account, on which the permission to issue its tokens is granted."""

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
    """Return the grants to read and write objects of the buckets, without listing or changing buckets."""
    reads = [
        Grant(name=f"reads-{each.name}", role="roles/storage.objectViewer", on="bucket", resource=each.bucket)
        for each in access.read
    ]
    writes = [
        Grant(name=f"writes-{each.name}", role="roles/storage.objectUser", on="bucket", resource=each.bucket)
        for each in access.write
    ]
    return reads + writes
