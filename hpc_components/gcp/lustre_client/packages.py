from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hpc_components.catalog.base_image import LustreClient
from hpc_components.catalog.by_kind import RecordsByKind

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class GooglesLustreClient(LustreClient):
    repository: str
    """Artifact Registry repository in the project `lustre-client-binaries`, location `us`."""


@cache
def lustre_client(os: str) -> GooglesLustreClient | None:
    """Return the packages for an operating system, or None if Google publishes none for it (e.g. for Debian 13)."""
    return next((GooglesLustreClient(**record) for record in _records("package") if record["os"] == os), None)
