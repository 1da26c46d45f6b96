from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hpc_components.catalog.by_kind import RecordsByKind

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    os: str
    version: str
    repository: str
    """Artifact Registry repository in the project `lustre-client-binaries`, location `us`."""
    kernel: str | None = None
    """Newest kernel series that the client supports, e.g. `6.8`, or None if unknown."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """Return the packages for an operating system, or None if Google publishes none for it (e.g. for Debian 13)."""
    return next((LustreClient(**record) for record in _records("package") if record["os"] == os), None)
