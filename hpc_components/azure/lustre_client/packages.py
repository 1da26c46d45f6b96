from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hpc_components.catalog.by_kind import RecordsByKind

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """Microsoft's client packages for an operating system."""

    os: str
    version: str
    """Version of the client, such as `2.17.0`."""
    kernel: str | None = None
    """Newest kernel series that the client supports, such as `6.17`, or None if unknown."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """Return the packages for an operating system, or None if Microsoft publishes none (e.g. for Debian)."""
    return next((LustreClient(**record) for record in _records("package") if record["os"] == os), None)
