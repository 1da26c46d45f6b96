"""For which kernels AWS publishes a Lustre client."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """AWS's packages of the client for an operating system, one for each kernel."""

    os: str
    kernel: str | None = None
    """Newest series of kernels that has one (`6.17`); None where that was not read."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """The packages for an operating system; None where AWS has none, as for Debian."""
    return next(
        (LustreClient(**record) for record in records("lustre_clients", __file__) if record["os"] == os), None
    )
