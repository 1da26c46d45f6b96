"""Lustre clients that Microsoft publishes, by operating system and kernel."""

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
    """Version, such as `2.17.0`."""
    kernel: str | None = None
    """Newest kernel series that it supports (`6.17`); None if unknown."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """Return the packages for an operating system; None if Microsoft has none, as for Debian."""
    return next((LustreClient(**record) for record in _records("package") if record["os"] == os), None)
