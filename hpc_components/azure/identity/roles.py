"""Role assignments, and custom roles for cases where every built-in role would allow too much."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.catalog.roles import role_id
from hpc_components.azure.ports import Identity


@dataclass(frozen=True, kw_only=True)
class Grant:
    """A role assignment whose scope is one resource or resource group."""

    name: str
    """Suffix of the assignment's Pulumi name, such as `reads-config`."""
    role: Input[str]
    """Id of the role definition."""
    scope: Input[str]
    """Id of the resource or resource group that the role applies to."""
    why: str
    """Purpose of the assignment, as shown in the portal's list of assignments."""


def built_in_role(name: str) -> str:
    """Return the id of a built-in role such as `Key Vault Secrets User`. Raise KeyError if the role is not in the
    catalogue.

    The id contains no subscription, because built-in roles exist in every subscription, and because a plan shows the
    id before the subscription is known.
    """
    return f"/providers/Microsoft.Authorization/roleDefinitions/{role_id(name)}"


def grant(
    of: str, identity: Identity, grants: Sequence[Grant], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Assign roles to an identity on behalf of the component named `of`. Do nothing if the identity has no principal
    id, which means that its roles are already assigned.

    A new identity takes minutes to become known throughout Azure, but assignments that specify the principal's type
    don't have to wait for that. Source: Azure RBAC documentation, "Assign Azure roles to a new service principal".
    """
    if identity.principal_id is None:
        return []
    return [
        azure_native.authorization.RoleAssignment(
            f"{of}-{each.name}",
            principal_id=identity.principal_id,
            principal_type=azure_native.authorization.PrincipalType.SERVICE_PRINCIPAL,
            role_definition_id=each.role,
            scope=each.scope,
            description=each.why,
            opts=pulumi.ResourceOptions.merge(
                opts,
                # Azure adds the subscription to the id, so a refresh would report a different role
                pulumi.ResourceOptions(ignore_changes=["roleDefinitionId"]),
            ),
        )
        for each in grants
    ]


def make_role(
    name: str,
    *,
    title: Input[str],
    description: str,
    scope: Input[str],
    actions: Sequence[str],
    assignable: Sequence[Input[str]],
    opts: pulumi.ResourceOptions,
) -> Output[str]:
    """Create a custom role in the resource group `scope`, and return its id.

    The role can be assigned in the resource groups `assignable`. `title` must be unique within the tenant.
    """
    role = azure_native.authorization.RoleDefinition(
        name,
        role_name=title,
        role_type="CustomRole",
        description=description,
        scope=scope,
        assignable_scopes=list(assignable),
        permissions=[azure_native.authorization.PermissionArgs(actions=list(actions))],
        opts=opts,
    )
    return role.id
