from functools import cache

from hpc_components.catalog._load import records


@cache
def reserved_names() -> frozenset[str]:
    """Return the names of users and groups that images and packages of nodes create."""
    return frozenset(record["name"] for record in records("reserved_names"))
