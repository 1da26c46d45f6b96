from hpc_components.azure.catalog.zones import zone_mistake, zone_number


def number_of_zone(path: str, zone: str, region: str) -> str | None:
    """Return the zone number (1 for `eastus-1`), or None if `zone` is the region's name.

    Raise ValueError, with `path` in the message, if `zone` is neither the region nor one of its zones.
    """
    if mistake := zone_mistake(zone, region):
        raise ValueError(f"{path}: {mistake[0]}; {mistake[1]}")
    try:
        return zone_number(zone, region)
    except ValueError:
        raise ValueError(f"{path}: {zone!r} is not a zone of {region}; write a zone such as {region}-1") from None
