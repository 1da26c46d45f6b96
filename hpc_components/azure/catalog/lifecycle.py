"""How Blob storage lets objects move to colder tiers and expire, decided in one place."""

from collections.abc import Iterator, Mapping

from hpc_components.catalog.refusal import Refusal

__all__ = ["WARM_TO_COLD", "by_coldness", "days_kept", "lifecycle_refusals"]

WARM_TO_COLD = ("cool", "cold", "archive")
"""Access tiers; a rule moves blobs down this list only."""


def by_coldness(archive: Mapping[str, float]) -> list[str]:
    """The tiers to which blobs move, the warmest first."""
    return [name for name in WARM_TO_COLD if name in archive]


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """What Blob storage would refuse of the ages in days at which blobs move, by tier, and expire (`expire`).

    Source: Azure Storage documentation, "Lifecycle management policies".
    """
    raise NotImplementedError


def days_kept(tier: str) -> int:
    """Days of a tier that are paid for at least; a blob that leaves earlier costs a fee. KeyError for another tier."""
    raise NotImplementedError
