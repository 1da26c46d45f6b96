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
    """An object in the config bucket that exists until the cluster is destroyed.

    The head node launches compute nodes outside Pulumi, and networks and service accounts can't be deleted while
    those nodes are running. Therefore, make this component depend on the head node, and the head node on the fleets
    and the network (`depends_on`). Pulumi destroys resources in reverse order, so it deletes this object first and
    the head node next. As the head node shuts down, it finds that the object is missing, and deletes all of the
    cluster's compute nodes and their policies. Once the nodes are gone, or after 80 s, the head node stops, and
    Pulumi deletes the remaining resources. A head node that is replaced or rebooted still finds the object, so it
    leaves the compute nodes running.

    If the head node is broken, it can't delete the compute nodes, so `pulumi destroy` fails with a message that a
    subnet is in use. In this case, list the nodes with `gcloud compute instances list --filter
    "labels.clustername=<cluster> AND labels.hpc_role=compute"`, delete them with `gcloud compute instances delete`,
    and run `pulumi destroy` again.
    """

    def _make(self, name: str, args: NodeReaperArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:NodeReaper", name, {"cluster": args.tags.cluster}, opts)
        gcp.storage.BucketObject(
            f"{name}-{OBJECT}",
            bucket=args.config.bucket,
            name=OBJECT,
            source=pulumi.StringAsset(f"{args.tags.cluster}\n"),
            content_type="text/plain; charset=utf-8",
            # both objects have the same name, so if Pulumi deleted the old object last, the new object would be lost
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        self.register_outputs({})
