from functools import cache
from pathlib import Path

from hpc_components.catalog.base_image import LustreClient
from hpc_components.catalog.by_kind import RecordsByKind

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@cache
def lustre_client(os: str) -> LustreClient | None:
    """Return the packages for an operating system, or None if Microsoft publishes none (e.g. for Debian)."""
    return next((LustreClient(**record) for record in _records("package") if record["os"] == os), None)
