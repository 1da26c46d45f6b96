"""What Azure Managed Lustre sells, decided in one place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.azure.catalog.blob_urls import BlobUrl
from hpc_components.catalog.refusal import Refusal

__all__ = [
    "LustreOrder",
    "LustreTier",
    "MaintenanceWindow",
    "link_refusals",
    "lustre_refusals",
    "lustre_regions",
    "lustre_subnet_prefix",
    "lustre_tier",
    "lustre_tiers",
    "maintenance_window",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """One tier, by its throughput: the capacities that it comes in are every multiple of a step."""

    sku: str
    """As in `AMLFS-Durable-Premium-250`."""
    throughput: int
    """MB/s per TiB."""
    step_tib: int
    """Also the smallest capacity."""
    max_tib: int
    """Largest capacity without a support request."""
    raised_max_tib: int
    """Largest capacity with one."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def allows(self, tib: float) -> bool:
        """Whether that capacity is a step of the tier, whatever its limits."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """A file system as one orders it. None is what is not given, or not known before something else is made."""

    throughput: float | None = None
    """MB/s per TiB."""
    size_tib: float | None = None
    region: str | None = None
    zones: int | None = None
    """In how many zones it is to be."""
    subnet_prefix: int | None = None
    """Prefix length of the range of its subnet."""
    maintenance: str | None = None
    """As in `Sunday 03:00` (UTC)."""


def lustre_tiers() -> tuple[LustreTier, ...]:
    """All tiers, the least throughput first."""
    raise NotImplementedError


def lustre_tier(throughput: float) -> LustreTier | None:
    """The tier with that throughput (MB/s per TiB)."""
    raise NotImplementedError


def lustre_refusals(order: LustreOrder) -> Iterator[Refusal]:
    """What Managed Lustre would refuse of a new file system, by the names of the order's fields.

    A size above `LustreTier.max_tib` is refused with `because_of="quota"`: a support request raises it, up to
    `raised_max_tib`. `subnet_prefix` has the longest prefix that is enough in `allowed`.
    Source: Azure Managed Lustre documentation, "Prerequisites" and "Create a file system".
    """
    raise NotImplementedError


def link_refusals(container: BlobUrl, log: BlobUrl) -> Iterator[Refusal]:
    """What Managed Lustre would refuse of a link: both containers in one account, and not the same.

    The fields are `bucket` and `log_bucket`. That the account is in the file system's region, without hierarchical
    namespace turned off, can't be judged by its URL.
    Source: Azure Managed Lustre documentation, "Blob storage integration".
    """
    raise NotImplementedError


def lustre_subnet_prefix(size_tib: float) -> int:
    """The longest prefix of a subnet that has room for a file system of that size: 26 for 24 TiB."""
    raise NotImplementedError


def lustre_regions() -> tuple[str, ...]:
    """The regions that have Managed Lustre, sorted; the list of a day, so that another region is a warning."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class MaintenanceWindow:
    """When the weekly maintenance may begin."""

    day: str
    """As in `Sunday`."""
    time_utc: str
    """As in `03:00`."""


def maintenance_window(text: str) -> MaintenanceWindow | None:
    """`Sunday 03:00` as Azure wants it; None if the text is no day and time."""
    raise NotImplementedError
