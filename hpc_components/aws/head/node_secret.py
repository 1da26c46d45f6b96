import pulumi
import pulumi_aws as aws

from hpc_components.aws.identity.permissions import secret_name
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.tags import Tags


def make_node_secret(
    of: str, what: str, *, config: ConfigStore, retain: bool, tags: Tags, opts: pulumi.ResourceOptions
) -> aws.secretsmanager.Secret:
    """Make a secret named `what`, such as `munge`, for the component `of`. The new secret has no value.

    A node sets the value later, so neither the plan nor the state contains the value. If `retain` is true, a deleted
    secret can be restored for 30 days; otherwise, it can't be restored.
    """
    name = f"{of}-{what}"
    return aws.secretsmanager.Secret(
        name,
        name=secret_name(tags.cluster, what, config),
        recovery_window_in_days=None if retain else 0,
        tags=tags.for_resource(name),
        opts=opts,
    )
