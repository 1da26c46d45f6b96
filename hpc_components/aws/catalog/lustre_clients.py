from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """AWS's client packages for an operating system, one per kernel."""

    os: str
    kernel: str | None = None
    """Newest kernel series with a package, such as `6.17`, or None if never checked."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """Return the client packages for an operating system, or None if AWS publishes none, e.g. for Debian."""
    return next(
        (LustreClient(**record) for record in records("lustre_clients", __file__) if record["os"] == os), None
    )
