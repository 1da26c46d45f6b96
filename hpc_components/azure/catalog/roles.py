"""Azure's built-in roles: their ids, by name."""

__all__ = ["role_definition_id", "role_id", "role_names"]


def role_id(name: str) -> str:
    """The GUID of a built-in role such as `Key Vault Secrets User`. KeyError: the catalogue has none of that name."""
    raise NotImplementedError


def role_definition_id(name: str, subscription: str) -> str:
    """The id of a built-in role in Resource Manager, as role assignments name it."""
    raise NotImplementedError


def role_names() -> tuple[str, ...]:
    """The roles that are held here, sorted."""
    raise NotImplementedError
