from collections.abc import Iterator, Mapping

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.catalog.cold_storage import ColdStorage, age_refusals
from hpc_components.catalog.refusal import Refusal


def cold_storage() -> ColdStorage:
    return ColdStorage(service="Blob storage", classes=tiers(), days_kept=days_kept, refusals=lifecycle_refusals)


def tiers() -> tuple[str, ...]:
    """Return the access tiers colder than `hot`, warmest first. Lifecycle rules can only move blobs to a colder
    tier.
    """
    return tuple(record["name"] for record in of_kind("blob_tier"))


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """Yield a refusal for each age, in days, at which Blob storage would refuse to move blobs to a colder tier or to
    delete them.

    A refusal's field is the tier or `expire`. If an age is too low, `allowed` contains the minimum. Blobs may leave a
    tier before `days_kept`, but Azure charges for the remaining days.

    Source: Azure Storage documentation, "Azure Blob Storage lifecycle management overview": days are whole numbers,
    and each later action must have a higher number of days.
    """
    return age_refusals(archive, expire_days, tiers())


def days_kept(tier: str) -> int:
    """Return the minimum number of days for which Azure charges for a blob in this tier, even if the blob leaves the
    tier earlier.

    Raise KeyError if the tier is unknown.
    """
    return {record["name"]: record["min_days_kept"] for record in of_kind("blob_tier")}[tier]
