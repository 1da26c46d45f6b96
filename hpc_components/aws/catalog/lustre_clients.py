from functools import cache

from hpc_components.catalog._load import records
from hpc_components.catalog.base_image import LustreClient


@cache
def lustre_client(os: str) -> LustreClient | None:
    """Return the client packages for an operating system, or None if AWS publishes none, e.g. for Debian."""
    return next(
        (LustreClient(**record) for record in records("lustre_clients", __file__) if record["os"] == os), None
    )
