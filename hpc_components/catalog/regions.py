from functools import cache

from hpc_components.catalog.clouds import catalog_of


def regions(cloud: str) -> tuple[str, ...]:
    return tuple(sorted(_zones(cloud)))


def zones(cloud: str, region: str) -> tuple[str, ...]:
    """Return the sorted zones of a region, named as in descriptions. The tuple is empty if the region is unknown."""
    return _zones(cloud).get(region, ())


def region_of_zone(cloud: str, zone: str) -> str | None:
    return next((region for region, known in _zones(cloud).items() if zone in known), None)


@cache
def _zones(cloud: str) -> dict[str, tuple[str, ...]]:
    return {region: tuple(known) for region, known in catalog_of(cloud).regions().items()}
