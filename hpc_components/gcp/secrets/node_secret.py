import pulumi
import pulumi_gcp as gcp

from hpc_components.gcp.tags import Tags


def make_node_secret(
    of: str, what: str, *, project: str, tags: Tags, opts: pulumi.ResourceOptions
) -> gcp.secretmanager.Secret:
    """Create the secret `what` for component `of`. For example, `munge` is named `<cluster>-munge` in Google Cloud.

    The secret is created without a value. A node adds the value later, so that no plan or state ever contains it.
    """
    name = f"{of}-{what}"
    return gcp.secretmanager.Secret(
        name,
        project=project,
        secret_id=f"{tags.cluster}-{what}",
        replication=gcp.secretmanager.SecretReplicationArgs(auto=gcp.secretmanager.SecretReplicationAutoArgs()),
        labels=tags.for_resource(name),
        # nodes look the secret up by name, and two secrets can't have the same name
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
