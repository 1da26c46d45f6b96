"""Lustre clients that Microsoft publishes, by operating system and kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


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
    return next(
        (LustreClient(**record) for record in records("lustre_clients", __file__) if record["os"] == os), None
    )
