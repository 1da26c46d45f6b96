"""A secret that a cluster's nodes share."""

import pulumi
import pulumi_gcp as gcp

from hpc_components.gcp.tags import Tags


def make_node_secret(
    of: str, what: str, *, project: str, tags: Tags, opts: pulumi.ResourceOptions
) -> gcp.secretmanager.Secret:
    """Create the secret `what` (`munge`) of component `of`, named `<cluster>-munge` in Google Cloud.

    It has no value yet: a node creates that, so that neither plan nor state ever holds it.
    """
    name = f"{of}-{what}"
    return gcp.secretmanager.Secret(
        name,
        project=project,
        secret_id=f"{tags.cluster}-{what}",
        replication=gcp.secretmanager.SecretReplicationArgs(auto=gcp.secretmanager.SecretReplicationAutoArgs()),
        labels=tags.for_resource(name),
        # nodes look it up by name, and two secrets can't have the same name
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
