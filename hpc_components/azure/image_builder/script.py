from collections.abc import Mapping

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.ports import Group, Identity
from hpc_components.azure.tags import Tags

CLI_VERSION = "2.64.0"
"""Version of Azure's CLI in the containers of scripts. Source: the tags of Microsoft's container azure-cli, read
2026-11."""


def make_script(
    name: str,
    *,
    script: str,
    group: Group,
    identity: Identity,
    variables: Mapping[str, Input[str]],
    minutes: int,
    run: str,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "azure_native.resources.AzureCliScript":
    """Make a deployment script, which Azure runs in a container during `pulumi up`, and again when `run` changes. If
    it fails, so does the update.

    Source: Azure Resource Manager documentation, "Use deployment scripts in templates".
    """
    resources = azure_native.resources
    return resources.AzureCliScript(
        name,
        kind="AzureCLI",
        az_cli_version=CLI_VERSION,
        resource_group_name=group.name,
        location=group.location,
        identity=resources.ManagedServiceIdentityArgs(
            type=resources.ManagedServiceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity.id]
        ),
        environment_variables=[
            resources.EnvironmentVariableArgs(name=key, value=value) for key, value in sorted(variables.items())
        ],
        script_content=script,
        force_update_tag=run,
        timeout=f"PT{minutes}M",
        retention_interval="PT1H",
        cleanup_preference=resources.CleanupOptions.ALWAYS,
        tags=tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="3h", update="3h"))
        ),
    )
