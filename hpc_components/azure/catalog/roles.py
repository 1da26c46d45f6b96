from functools import cache

from hpc_components.catalog._load import records


def role_id(name: str) -> str:
    """Return the GUID of a built-in role such as `Key Vault Secrets User`.

    Raise KeyError if the role is not in the catalogue.
    """
    return _roles()[name]


def role_definition_id(name: str, subscription: str) -> str:
    """Return the id of a built-in role in a subscription, as used in role assignments.

    Raise KeyError if the role is not in the catalogue.
    """
    return f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role_id(name)}"


def role_names() -> tuple[str, ...]:
    return tuple(sorted(_roles()))


@cache
def _roles() -> dict[str, str]:
    return {record["name"]: record["id"] for record in records("roles", __file__)}
