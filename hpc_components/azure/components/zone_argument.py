"""A zone as an argument of a component."""

from hpc_components.azure.catalog.zones import zone_mistake, zone_number


def number_of_zone(path: str, zone: str, region: str) -> str | None:
    """What Resource Manager calls `zone` (`eastus-1`), None for the region alone; ValueError names `path`."""
    if mistake := zone_mistake(zone, region):
        raise ValueError(f"{path}: {mistake[0]}; {mistake[1]}")
    try:
        return zone_number(zone, region)
    except ValueError:
        raise ValueError(f"{path}: {zone!r} is no zone of {region}; write one like {region}-1") from None
