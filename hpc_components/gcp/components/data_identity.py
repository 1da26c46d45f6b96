"""The service account by which people and jobs read and write the cluster's buckets; the nodes' own may do more."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.components.roles import Grant, grant
from hpc_components.gcp.ports import BucketAccess, Identity


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataIdentityArgs:
    """Arguments of `DataIdentity`."""

    project: str
    """Id of the project."""
    buckets: BucketAccess
    """What may be done with which buckets."""

    def __post_init__(self) -> None:
        """Refuse an identity that may do nothing."""
        if not (self.buckets.read or self.buckets.write):
            raise ValueError(
                "DataIdentityArgs.buckets: there is none; an identity without buckets is of no use, leave it out"
            )


class DataIdentity(Component[DataIdentityArgs]):
    """A service account that may use some buckets and nothing else. Nodes lend its tokens to everybody on them."""

    identity: Identity
    """The account."""
    email: Output[str]
    """Its email: the value of the metadata key `hpc-data-account`."""
    account_name: Output[str]
    """Its full name, on which permissions to make its tokens hang."""

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
            description="People and jobs use buckets by it",
            opts=child,
        )
        self.identity, self.email, self.account_name = Identity(email=made.email), made.email, made.name
        grant(name, self.identity, bucket_grants(args.buckets), child)
        self.register_outputs({"email": self.email})


def bucket_grants(access: BucketAccess) -> list[Grant]:
    """Reading, and writing, of the buckets that are named; no right to list or change buckets."""
    reads = [
        Grant(name=f"reads-{each.name}", role="roles/storage.objectViewer", on="bucket", resource=each.bucket)
        for each in access.read
    ]
    writes = [
        Grant(name=f"writes-{each.name}", role="roles/storage.objectUser", on="bucket", resource=each.bucket)
        for each in access.write
    ]
    return reads + writes
