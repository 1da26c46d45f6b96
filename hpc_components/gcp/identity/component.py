from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.identity.data_identity import DataIdentity, DataIdentityArgs
from hpc_components.gcp.identity.roles import Grant, grant
from hpc_components.gcp.ports import BucketAccess, Identities, Identity


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeIdentityArgs:
    """Arguments of `NodeIdentity`."""

    project: str
    """Id of the project."""
    buckets: BucketAccess | None = None
    """Buckets that users and jobs on the nodes can access through a second service account; default: no second
    account."""


class NodeIdentity(Component[NodeIdentityArgs]):
    """A service account for one group of nodes: the head node, the login nodes, or a queue.

    The account has no permissions at first; the components that use it grant the roles. With `buckets`, there is also
    a second account, and the nodes issue only that account's tokens to users and jobs.
    """

    identities: Identities
    """The service accounts in the form that other components accept."""
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
