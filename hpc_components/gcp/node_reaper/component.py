"""Creates the object that tells a head node, as it shuts down, whether its cluster is being destroyed."""

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
    """The store from which nodes fetch their configuration."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class NodeReaper(Component[NodeReaperArgs]):
    """An object in the config bucket that exists as long as the cluster should exist.

    The head node launches compute nodes by itself, and while they run, networks and service accounts can't be
    deleted. Make this component depend on the head node, and the head node on the fleets and the network
    (`depends_on`). A destroy deletes resources in the reverse order, so it deletes this object first and the head
    node next. While the head node shuts down, it finds the object missing and deletes all compute nodes of the
    cluster with their policies. It stops when they are gone, or after 80 s. Then the rest is deleted. A head node
    that is replaced or rebooted finds the object, and leaves the nodes running. No cleanup runs on the user's
    machine, and no cloud function is needed.

    A broken head node deletes nothing. The destroy then fails with a message that a subnet is in use. List the nodes
    with `gcloud compute instances list --filter "labels.clustername=<cluster> AND labels.hpc_role=compute"`, delete
    them with `gcloud compute instances delete`, and destroy again.
    """

    def _make(self, name: str, args: NodeReaperArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:NodeReaper", name, {"cluster": args.tags.cluster}, opts)
        gcp.storage.BucketObject(
            f"{name}-{OBJECT}",
            bucket=args.config.bucket,
            name=OBJECT,
            source=pulumi.StringAsset(f"{args.tags.cluster}\n"),
            content_type="text/plain; charset=utf-8",
            # otherwise the old object would be deleted last, by name, which would delete the new one
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        self.register_outputs({})
