"""The service account of nodes."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.components.data_identity import DataIdentity, DataIdentityArgs
from hpc_components.gcp.components.roles import Grant, grant
from hpc_components.gcp.ports import BucketAccess, Identities, Identity


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeIdentityArgs:
    """Arguments of `NodeIdentity`."""

    project: str
    """Id of the project."""
    buckets: BucketAccess | None = None
    """What people and jobs on the nodes may do with buckets, by a service account of their own."""


class NodeIdentity(Component[NodeIdentityArgs]):
    """A service account for the nodes of one place: the head, the login nodes, or a queue.

    It may do nothing yet: the component to which it is handed gives it its roles. With `buckets`, there is a second
    one, of which nodes make tokens for people and jobs, who get nothing else.
    """

    identities: Identities
    """What machines are given."""
    email: Output[str]
    """Email of the nodes' own service account."""

    def _make(self, name: str, args: NodeIdentityArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:NodeIdentity", name, {"lends": args.buckets is not None}, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = gcp.serviceaccount.Account(
            f"{name}-account",
            project=args.project,
            account_id=account_id(name),
            display_name=name,
            opts=child,
        )
        own, lent = Identity(email=made.email), None
        if args.buckets is not None:
            data = DataIdentity(f"{name}-data", DataIdentityArgs(project=args.project, buckets=args.buckets), child)
            lends = Grant(
                name="lends-data",
                role="roles/iam.serviceAccountTokenCreator",
                on="service_account",
                resource=data.account_name,
            )
            grant(name, own, [lends], child)
            lent = data.identity
        self.identities, self.email = Identities(own=own, lent=lent), made.email
        self.register_outputs({"email": self.email})
