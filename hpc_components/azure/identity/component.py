from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.identity.data import DataIdentity, DataIdentityArgs
from hpc_components.azure.ports import BucketAccess, Group, Identities, Identity, Services
from hpc_components.azure.tags import Tags
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeIdentityArgs:
    """Arguments of `NodeIdentity`."""

    group: Group
    """Resource group of the identity."""
    buckets: BucketAccess | None = None
    """Buckets that users and jobs on the nodes may access, through a separate identity."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class NodeIdentity(Component[NodeIdentityArgs]):
    """A user-assigned identity for the head node, the login nodes, or the nodes of a queue.

    The identity has no roles at first; the component that uses it assigns them. If `buckets` is set, a second
    identity is created, which is the only one that users and jobs on the nodes can use.
    """

    identities: Identities
    """Identities to assign to the nodes."""
    tenant_id: Output[str]
    """Id of the subscription's tenant, which Key Vaults require."""

    def _make(self, name: str, args: NodeIdentityArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:NodeIdentity", name, {"lends": args.buckets is not None}, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = azure_native.managedidentity.UserAssignedIdentity(
            f"{name}-identity",
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(f"{name}-identity"),
            opts=child,
        )
        lent = None
        if args.buckets is not None:
            data = DataIdentityArgs(group=args.group, buckets=args.buckets, tags=args.tags)
            lent = DataIdentity(f"{name}-data", data, child).identity
        own = Identity(id=made.id, client_id=made.client_id, principal_id=made.principal_id)
        self.identities = Identities(own=own, lent=lent)
        self.tenant_id = made.tenant_id
        self.register_outputs({"identityId": made.id, "clientId": made.client_id})


def identity_marks(identities: Identities) -> dict[str, Input[str]]:
    """Return the tags that tell machines which identities to use."""
    lent = {} if identities.lent is None else {"data_identity": identities.lent.client_id}
    return {"identity": identities.own.client_id, **lent}


def service_marks(services: Services) -> dict[str, Input[str]]:
    """Return the tags that tell machines which services to use at boot."""
    logs = {} if services.logs is None else {"logs": services.logs.address}
    return {"config": services.config.address, "vault": services.munge.vault, **logs}


def identity_ids(identities: Identities) -> list[Input[str]]:
    return [each.id for each in (identities.own, identities.lent) if each is not None]
