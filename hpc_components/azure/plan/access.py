from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.azure.catalog.security_rules import lets_in, ports_of, sources_of
from hpc_components.preview.ingress import Ingress
from hpc_components.preview.nested import items, text_at
from hpc_components.preview.resources import Resource

_BROAD_ROLES = {
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635": "Owner",
    "b24988ac-6180-42a0-ab88-20f7382dd24c": "Contributor",
    "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9": "User Access Administrator",
    "f58310d9-a9f6-439a-9e8d-f62e7b41a168": "Role Based Access Control Administrator",
}
"""Built-in roles with wildcard actions for every service. Source: Azure documentation, "Azure built-in roles",
privileged."""

_RULES = "azure-native:network:SecurityRule"
_GROUP = "azure-native:network:NetworkSecurityGroup"


def ingress(resource: Resource) -> Iterator[Ingress]:
    """Yield the security rules that allow inbound TCP. A rule is included even if an earlier rule denies the same
    traffic.
    """
    rules = {_GROUP: items(resource.inputs, "securityRules"), _RULES: (resource.inputs,)}.get(resource.type, ())
    for index, rule in enumerate(rules):
        for low, high in ports_of(rule) if lets_in(rule) else ():
            path = f"securityRules[{index}].sourceAddressPrefix" if resource.type == _GROUP else "sourceAddressPrefix"
            yield Ingress(sources=tuple(sources_of(rule)), low=low, high=high, path=path)


def wildcard_actions(resource: Resource) -> Iterator[str]:
    if resource.type == "azure-native:authorization:RoleDefinition":
        for permission in items(resource.inputs, "permissions"):
            yield from _wide(permission)
    if resource.type == "azure-native:authorization:RoleAssignment":
        role = (text_at(resource.inputs, "roleDefinitionId") or "").rpartition("/")[2].lower()
        if role in _BROAD_ROLES:
            yield f"all actions of the role {_BROAD_ROLES[role]}"


def _wide(permission: Mapping[str, Any]) -> Iterator[str]:
    for key in ("actions", "dataActions"):
        yield from (str(action) for action in items(permission, key) if "*" in str(action))
