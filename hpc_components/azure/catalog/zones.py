"""Azure's regions and zones as written in descriptions: `eastus-1`, or `eastus` for machines without a zone.

Each subscription numbers its zones differently, so `eastus-1` may be a different datacenter in another subscription.
The catalogue therefore can't specify which zones offer a machine type.
"""

import re
from functools import cache

from hpc_components.catalog._load import Record, records


def zone_number(zone: str, region: str) -> str | None:
    """Return a zone's number in Azure Resource Manager, such as `1` for `eastus-1`, or None if `zone` is the region's
    name.

    Raise ValueError if `zone` is neither the region nor one of its zones.
    """
    if zone == region:
        return None
    if match := re.fullmatch(rf"{re.escape(region)}-([1-9])", zone):
        return match[1]
    raise ValueError(f"{zone!r} is not a zone of {region}")


def has_zones(region: str) -> bool:
    """Return whether a region has availability zones, or False if the region is unknown."""
    return bool(_regions().get(region, {}).get("zones"))


def regions() -> dict[str, tuple[str, ...]]:
    """Return each region's zones, keyed by region. The region's name comes first and stands for no particular zone:
    `eastus`, `eastus-1` and so on.
    """
    return {name: (name, *(f"{name}-{number}" for number in held["zones"])) for name, held in _regions().items()}


def zone_mistake(word: str, region: str) -> tuple[str, str] | None:
    """Return a reason and a remedy for a word that looks like a mistyped zone.

    Examples are `1`, `eastus1`, `eastus-az1`, `East US` and `eastus-4`. `eastus2` is the region East US 2, but may be
    meant as zone 2 of eastus, so the remedy mentions both.
    """
    held = _regions().get(region)
    if held is None or word in regions()[region]:
        return None
    plain = re.sub(r"[\s_-]", "", word.lower())
    if plain in (region, _plain_title(held)):
        return (
            f"Azure's name for {word!r} is {region}",
            f"write {region} for machines without a zone{_or_zones(held)}",
        )
    match = re.fullmatch(rf"(?:{re.escape(region)})?(?:az|zone)?([a-c1-9])", plain)
    number = str("abc".find(match[1]) + 1 or match[1]) if match else None
    other = next((r for r in _regions().values() if plain in (r["region"], _plain_title(r))), None)
    if other is not None:
        here = f"write {region}-{number} for zone {number} of {region}, or " if number in held["zones"] else "write "
        return f"{word!r} is a different region", f"{here}region: {other['region']}"
    if number is None:
        return None
    if not held["zones"]:
        return f"{region} has no availability zones", f"write {region}"
    if number not in held["zones"]:
        return f"{region} only has zones {', '.join(held['zones'])}", f"write one of {_zones(held)}"
    return f"zone {word!r} is not in the form <region>-<number>", f"write {region}-{number}"


def _plain_title(held: Record) -> str:
    return held["title"].lower().replace(" ", "")


def _or_zones(held: Record) -> str:
    return f", or a zone: {_zones(held)}" if held["zones"] else ""


def _zones(held: Record) -> str:
    return ", ".join(f"{held['region']}-{number}" for number in held["zones"])


@cache
def _regions() -> dict[str, Record]:
    return {record["region"]: record for record in records("regions", __file__)}
