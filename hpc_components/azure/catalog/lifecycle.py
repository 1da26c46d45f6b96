"""How Blob storage lets objects move to colder tiers and expire, decided in one place."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.catalog.cold_storage import ColdStorage
from hpc_components.catalog.refusal import Refusal, Why

__all__ = ["by_coldness", "cold_storage", "days_kept", "lifecycle_refusals", "tiers"]


def cold_storage() -> ColdStorage:
    """How blobs move to colder tiers."""
    return ColdStorage(service="Blob storage", classes=tiers(), days_kept=days_kept, refusals=lifecycle_refusals)


def tiers() -> tuple[str, ...]:
    """The access tiers that are colder than `hot`, the warmest first: a rule moves blobs down this list only."""
    return tuple(record["name"] for record in of_kind("blob_tier"))


def by_coldness(archive: Mapping[str, float]) -> list[str]:
    """The tiers to which blobs move, the warmest first."""
    return [name for name in tiers() if name in archive]


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """What Blob storage would refuse of the ages in days at which blobs move, by tier, and expire.

    The field is the tier, or `expire`. `allowed` has the least number of days where one number is too small. That a
    blob leaves a tier before `days_kept` is no refusal: it costs what the rest of them would.
    Source: Azure Storage documentation, "Azure Blob Storage lifecycle management overview": days are whole numbers,
    and a later action has more of them.
    """
    for name, days in archive.items():
        if name not in tiers():
            yield Refusal(field=name, why=Why.UNKNOWN, allowed=tiers())
        elif days != int(days) or days < 0:
            yield Refusal(field=name, why=Why.NOT_SOLD, allowed=(max(0, int(days)),))
    for warm, cold in pairwise(by_coldness(archive)):
        if archive[warm] >= archive[cold]:
            yield Refusal(field=cold, why=Why.NOT_TAKEN, because_of=warm, allowed=(int(archive[warm]) + 1,))
    if expire_days is None:
        return
    if expire_days != int(expire_days) or expire_days < 1:
        yield Refusal(field="expire", why=Why.NOT_SOLD, allowed=(1,))
    elif archive and expire_days <= max(archive.values()):
        yield Refusal(field="expire", why=Why.NOT_TAKEN, because_of=max(archive, key=lambda name: archive[name]))


def days_kept(tier: str) -> int:
    """Days of a tier that are paid for at least, also when a blob leaves earlier. KeyError: there is no such tier."""
    return {record["name"]: record["min_days_kept"] for record in of_kind("blob_tier")}[tier]
