"""Lifecycle rules of Blob storage, which move blobs to colder tiers and delete them."""

from collections.abc import Iterator, Mapping

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.catalog.cold_storage import ColdStorage, age_refusals
from hpc_components.catalog.refusal import Refusal


def cold_storage() -> ColdStorage:
    """Return the colder tiers of Blob storage, and what it refuses."""
    return ColdStorage(service="Blob storage", classes=tiers(), days_kept=days_kept, refusals=lifecycle_refusals)


def tiers() -> tuple[str, ...]:
    """Return the access tiers below `hot`, the warmest first; rules move blobs only towards the end of this list."""
    return tuple(record["name"] for record in of_kind("blob_tier"))


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """Yield what Blob storage would refuse in the ages (in days) at which blobs change tiers and expire.

    A refusal's field is the tier, or `expire`. If an age is too low, `allowed` contains the minimum. Leaving a tier
    before `days_kept` is not refused, but Azure charges for the remaining days.

    Source: Azure Storage documentation, "Azure Blob Storage lifecycle management overview": days are whole numbers,
    and each later action must have a higher number of days.
    """
    return age_refusals(archive, expire_days, tiers())


def days_kept(tier: str) -> int:
    """Return the minimum number of days that Azure charges for in a tier, even if a blob leaves it earlier.

    Raise KeyError if the tier is unknown.
    """
    return {record["name"]: record["min_days_kept"] for record in of_kind("blob_tier")}[tier]
