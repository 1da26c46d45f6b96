"""Azure's built-in roles: their ids, by name."""

from functools import cache

from hpc_components.catalog._load import records


def role_id(name: str) -> str:
    """The GUID of a built-in role such as `Key Vault Secrets User`. KeyError: the catalogue has none of that name."""
    return _roles()[name]


def role_definition_id(name: str, subscription: str) -> str:
    """The id of a built-in role in Resource Manager, as role assignments name it. KeyError: as `role_id`."""
    return f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role_id(name)}"


def role_names() -> tuple[str, ...]:
    """The roles that are held here, sorted."""
    return tuple(sorted(_roles()))


@cache
def _roles() -> dict[str, str]:
    return {record["name"]: record["id"] for record in records("roles", __file__)}
