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
    """A role to assign on a single resource."""

    name: str
    """Suffix of the assignment's name in the program, such as `reads-config`."""
    role: Input[str]
    """Id of the role definition."""
    scope: Input[str]
    """Id of the resource or resource group to which the role applies."""
    why: str
    """Purpose of the assignment, as shown in the portal's list of assignments."""


def built_in_role(name: str) -> str:
    """Return the id of a built-in role such as `Key Vault Secrets User`. Raise KeyError if the catalogue lacks it.

    The id contains no subscription, because built-in roles exist in all of them and a plan shows the id before the
    subscription is known.
    """
    return f"/providers/Microsoft.Authorization/roleDefinitions/{role_id(name)}"


def grant(
    of: str, identity: Identity, grants: Sequence[Grant], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Assign roles to the identity of component `of`. Do nothing if it has no principal id, which means that it
    already has its roles.

    It takes minutes for a new identity to become known throughout Azure, but assignments that specify the principal's
    type don't have to wait. Source: Azure RBAC documentation, "Assign Azure roles to a new service principal".
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
                # Azure returns the id with the subscription, which a refresh would mistake for a different role
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
    """Create a custom role in the resource group `scope`, assignable in the groups `assignable`, and return its id.

    `title` must be unique in the whole tenant.
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
