"""Regions of AWS and the ids of their zones."""

from functools import cache

from hpc_components.catalog._load import records

__all__ = ["region_of_zone", "regions", "zones"]


def regions() -> tuple[str, ...]:
    """The AWS regions that we hold, sorted."""
    return tuple(sorted(_zones()))


def zones(region: str) -> tuple[str, ...]:
    """The zone ids of a region, sorted; empty for a region that we do not hold."""
    return _zones().get(region, ())


def region_of_zone(zone_id: str) -> str | None:
    """The region of a zone id such as `use2-az2`; None when no region that we hold has it."""
    return next((region for region, ids in _zones().items() if zone_id in ids), None)


@cache
def _zones() -> dict[str, tuple[str, ...]]:
    return {record["region"]: tuple(record["zones"]) for record in records("aws_regions")}
