"""For which operating systems and kernels Microsoft publishes a Lustre client."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """Microsoft's packages of the client for an operating system."""

    os: str
    version: str
    """As in `2.17.0`."""
    kernel: str | None = None
    """Newest series of kernels that it works with (`6.17`); None where that was not read."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """The packages for an operating system; None where Microsoft has none, as for Debian."""
    return next(
        (LustreClient(**record) for record in records("lustre_clients", __file__) if record["os"] == os), None
    )
