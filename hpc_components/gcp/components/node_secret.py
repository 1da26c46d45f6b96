"""A secret that a cluster's nodes share."""

import pulumi
import pulumi_gcp as gcp

from hpc_components.gcp.tags import Tags


def make_node_secret(
    of: str, what: str, *, project: str, tags: Tags, opts: pulumi.ResourceOptions
) -> gcp.secretmanager.Secret:
    """The secret `what` (`munge`) of component `of`, which Google calls `<cluster>-munge`.

    A container only: a node makes the value, so that neither plan nor state ever holds it.
    """
    name = f"{of}-{what}"
    return gcp.secretmanager.Secret(
        name,
        project=project,
        secret_id=f"{tags.cluster}-{what}",
        replication=gcp.secretmanager.SecretReplicationArgs(auto=gcp.secretmanager.SecretReplicationAutoArgs()),
        labels=tags.for_resource(name),
        # nodes know it by its name, which another one can't have as long as it is there
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
