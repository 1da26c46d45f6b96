from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.identity.roles import Grant, built_in_role, grant
from hpc_components.azure.ports import BucketAccess, Group, Identity
from hpc_components.azure.tags import Tags
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataIdentityArgs:
    """Arguments of `DataIdentity`."""

    group: Group
    """Resource group of the identity."""
    buckets: BucketAccess
    """Buckets that the identity may read, and buckets that it may also write."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        if not (self.buckets.read or self.buckets.write):
            raise ValueError(
                "DataIdentityArgs.buckets is empty, so the identity would have no permissions; add a bucket, "
                "or leave the component out"
            )


class DataIdentity(Component[DataIdentityArgs]):
    """An identity that can access the given buckets and nothing else. All users and jobs on a node can use this
    identity.
    """

    identity: Identity
    """Identity to assign to machines in addition to their own."""
    client_id: Output[str]
    """Client id that nodes use to request tokens for the identity."""

    def _make(self, name: str, args: DataIdentityArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {
            "read": [bucket.name for bucket in args.buckets.read],
            "write": [bucket.name for bucket in args.buckets.write],
        }
        self._register("hpc:azure:DataIdentity", name, summary, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = azure_native.managedidentity.UserAssignedIdentity(
            name,
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(name),
            opts=child,
        )
        self.identity = Identity(id=made.id, client_id=made.client_id, principal_id=made.principal_id)
        self.client_id = made.client_id
        grant(name, self.identity, bucket_grants(args.buckets), child)
        self.register_outputs({"clientId": self.client_id})


def bucket_grants(access: BucketAccess) -> list[Grant]:
    """Return grants for reading and writing these buckets. None of the roles allows listing or changing storage
    accounts.
    """
    reads = [
        Grant(
            name=f"reads-{bucket.name}",
            role=built_in_role("Storage Blob Data Reader"),
            scope=bucket.id,
            why="Jobs and people read the cluster's bucket",
        )
        for bucket in access.read
    ]
    writes = [
        Grant(
            name=f"writes-{bucket.name}",
            role=built_in_role("Storage Blob Data Contributor"),
            scope=bucket.id,
            why="Jobs and people read and write the cluster's bucket",
        )
        for bucket in access.write
    ]
    return reads + writes
