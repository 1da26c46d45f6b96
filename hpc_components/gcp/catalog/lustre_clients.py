"""For which operating systems and kernels Google publishes a Lustre client."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """Google's packages of the client for an operating system."""

    os: str
    version: str
    """As in `2.14.0`."""
    repository: str
    """Its repository in project `lustre-client-binaries` of Artifact Registry, location `us`."""
    kernel: str | None = None
    """Newest series of kernels that it works with (`6.8`); None where that was not read."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def lustre_client(os: str) -> LustreClient | None:
    """The packages for an operating system; None where Google has none, as for Debian 13."""
    return next(
        (LustreClient(**record) for record in records("lustre_clients", __file__) if record["os"] == os), None
    )
