"""How Blob storage lets objects move to colder tiers and expire, decided in one place."""

from collections.abc import Iterator, Mapping

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.catalog.cold_storage import ColdStorage, age_refusals
from hpc_components.catalog.refusal import Refusal


def cold_storage() -> ColdStorage:
    """How blobs move to colder tiers."""
    return ColdStorage(service="Blob storage", classes=tiers(), days_kept=days_kept, refusals=lifecycle_refusals)


def tiers() -> tuple[str, ...]:
    """The access tiers that are colder than `hot`, the warmest first: a rule moves blobs down this list only."""
    return tuple(record["name"] for record in of_kind("blob_tier"))


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """What Blob storage would refuse of the ages in days at which blobs move, by tier, and expire.

    The field is the tier, or `expire`. `allowed` has the least number of days where one number is too small. That a
    blob leaves a tier before `days_kept` is no refusal: it costs what the rest of them would.
    Source: Azure Storage documentation, "Azure Blob Storage lifecycle management overview": days are whole numbers,
    and a later action has more of them.
    """
    return age_refusals(archive, expire_days, tiers())


def days_kept(tier: str) -> int:
    """Days of a tier that are paid for at least, also when a blob leaves earlier. KeyError: there is no such tier."""
    return {record["name"]: record["min_days_kept"] for record in of_kind("blob_tier")}[tier]
