"""What Azure Files (NFS) and NetApp Files sell, decided in one place."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hpc_components.catalog.refusal import Refusal

__all__ = ["NfsOrder", "netapp_levels", "netapp_mibps", "netapp_pool_tib", "nfs_refusals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NfsOrder:
    """A file system over NFS as one orders it. None is what is not given, or not known before something is made."""

    service: Literal["files", "netapp"]
    size_gib: float | None = None
    level: str | None = None
    """Service level of NetApp Files: `standard`, `premium` or `ultra`."""
    snapshot_days: float | None = None
    """Days for which snapshots (NetApp Files) or deleted shares (Azure Files) are kept; None for not at all."""
    subnet_prefix: int | None = None
    """Prefix length of the range of the delegated subnet, for NetApp Files."""


def nfs_refusals(order: NfsOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a new file system, by the names of the order's fields.

    Source: Azure Files documentation, "Scalability and performance targets" and "Enable soft delete"; Azure NetApp
    Files documentation, "Resource limits" and "Service levels".
    """
    raise NotImplementedError


def netapp_levels() -> tuple[str, ...]:
    """The service levels, the slowest first."""
    raise NotImplementedError


def netapp_mibps(level: str, size_gib: float) -> float:
    """MiB/s of a volume, which follow from its size and level. KeyError: there is no such level."""
    raise NotImplementedError


def netapp_pool_tib(size_gib: float) -> int:
    """The capacity in TiB of the smallest pool that holds a volume of that size."""
    raise NotImplementedError
