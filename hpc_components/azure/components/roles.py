"""Role assignments: who may do what, where. Custom roles where no built-in one is as narrow as it should be."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.catalog.roles import role_id
from hpc_components.azure.ports import Identity


@dataclass(frozen=True, kw_only=True)
class Grant:
    """A role on one resource."""

    name: str
    """End of the assignment's name in the program: `reads-config`."""
    role: Input[str]
    """Id of the role's definition."""
    scope: Input[str]
    """Id of the resource, or of the resource group, on which it holds."""
    why: str
    """What it is for, for people who look at the list of assignments."""


def built_in_role(name: str) -> str:
    """Id of one of Azure's own roles, such as `Key Vault Secrets User`. KeyError if the catalogue has none.

    Without a subscription, because they hold in all of them, and a plan shows them before one is known.
    """
    return f"/providers/Microsoft.Authorization/roleDefinitions/{role_id(name)}"


def grant(
    of: str, identity: Identity, grants: Sequence[Grant], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Assign roles to the identity of component `of`; none to an identity that is to get none.

    A new identity takes minutes until all of Azure knows it; with the type of the principal, assignments do not wait
    for that. Source: Azure RBAC documentation, "Assign Azure roles to a new service principal".
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
                # Azure answers with the id below the subscription; a refresh would find another role in it
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
    """Id of a custom role, held at the resource group `scope` and assignable in the resource groups `assignable`.

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
