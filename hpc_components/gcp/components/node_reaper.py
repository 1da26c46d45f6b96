"""What tells a head node that shuts down whether its cluster goes with it."""

from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.ports import ConfigStore
from hpc_components.gcp.tags import Tags

OBJECT = "cluster"
"""Name of the object in the config bucket."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeReaperArgs:
    """Arguments of `NodeReaper`."""

    config: ConfigStore
    """Where nodes fetch their configuration from."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class NodeReaper(Component[NodeReaperArgs]):
    """An object in the config bucket that is there as long as the cluster is to be.

    The head node makes compute nodes by itself, and while they run, networks and service accounts can't be deleted.
    Give this component `depends_on` with the head node, and the head node one with fleets and network. A destroy goes
    the other way round: it deletes this object; then the head node, which finds it gone when it shuts down, deletes
    all compute nodes of the cluster with their policies, and stops when they have gone, or after 80 s; then the rest.
    A head node that is replaced or rebooted finds the object, and leaves the nodes to their jobs. So nothing runs
    on anybody's own machine, and no function is needed.

    A head node that is broken deletes nothing. The destroy then fails at a subnet that is in use, and says so; end
    the nodes with `gcloud compute instances delete`, which finds them by `gcloud compute instances list --filter
    "labels.clustername=<cluster> AND labels.hpc_role=compute"`, and destroy again.
    """

    def _make(self, name: str, args: NodeReaperArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:NodeReaper", name, {"cluster": args.tags.cluster}, opts)
        gcp.storage.BucketObject(
            f"{name}-{OBJECT}",
            bucket=args.config.bucket,
            name=OBJECT,
            source=pulumi.StringAsset(f"{args.tags.cluster}\n"),
            content_type="text/plain; charset=utf-8",
            # else the old object, deleted last and by its name, would take the new one along
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        self.register_outputs({})
