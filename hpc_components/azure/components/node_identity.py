"""The managed identity of nodes."""

from dataclasses import dataclass

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.components.data_identity import DataIdentity, DataIdentityArgs
from hpc_components.azure.ports import BucketAccess, Group, Identity
from hpc_components.ports import Tags

__all__ = ["NodeIdentity", "NodeIdentityArgs", "identity_ids", "identity_marks"]


@dataclass(frozen=True, kw_only=True)
class NodeIdentityArgs:
    """Arguments of `NodeIdentity`."""

    group: Group
    """Resource group for it."""
    buckets: BucketAccess | None = None
    """What people and jobs on the nodes may do with buckets, by an identity of their own."""
    tags: Tags
    """Tags of the cluster."""


class NodeIdentity(pulumi.ComponentResource):
    """A user-assigned identity for the nodes of one place: the head, the login nodes, or a queue.

    It may do nothing yet: the component to which it is handed gives it its roles. With `buckets`, there is a second
    one that the nodes lend to people and jobs, who get nothing else.
    """

    identity: Identity
    """The nodes' own identity."""
    data: Identity | None
    """That for people and jobs, if there are buckets."""
    tenant_id: Output[str]
    """The tenant of the subscription, which a Key Vault must name."""

    def __init__(self, name: str, args: NodeIdentityArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("hpc:azure:NodeIdentity", name, {"lends": args.buckets is not None}, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = azure_native.managedidentity.UserAssignedIdentity(
            f"{name}-identity",
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.of(f"{name}-identity"),
            opts=child,
        )
        self.identity = Identity(id=made.id, client_id=made.client_id, principal_id=made.principal_id)
        self.data = None
        if args.buckets is not None:
            data = DataIdentityArgs(group=args.group, buckets=args.buckets, tags=args.tags)
            self.data = DataIdentity(f"{name}-data", data, child).identity
        self.tenant_id = made.tenant_id
        self.register_outputs({"identityId": made.id, "clientId": made.client_id})


def identity_marks(identity: Identity, data: Identity | None) -> dict[str, Input[str]]:
    """The tags by which machines find their identities, as `Tags.of` takes them."""
    lent = {} if data is None else {"data_identity": data.client_id}
    return {"identity": identity.client_id, **lent}


def identity_ids(identity: Identity, data: Identity | None) -> list[Input[str]]:
    """The ids of all identities that a machine is given."""
    return [identity.id] if data is None else [identity.id, data.id]
