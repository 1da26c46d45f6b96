import re
from functools import cache

from hpc_components.catalog._load import Record, records


def regions() -> dict[str, tuple[str, ...]]:
    return {name: tuple(held["zones"]) for name, held in _regions().items()}


def region_of(zone: str) -> str:
    return zone.rpartition("-")[0]


def zone_letter(zone: str) -> str:
    return zone.rpartition("-")[2]


def is_zone(word: str) -> bool:
    """Return whether `word` looks like a zone, e.g. `us-central1-a`. The zone may not exist."""
    return re.fullmatch(r"[a-z]+-[a-z]+\d+-[a-z]", word) is not None


def zone_mistake(word: str, region: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if `word` is a common mistake for a zone in `region`.

    Common mistakes are the region itself, `a`, `us-central1a` and `us-central1-1`.
    """
    held = _regions().get(region)
    if held is None or word in held["zones"]:
        return None
    zones = ", ".join(held["zones"])
    plain = re.sub(r"[\s_-]", "", word.lower())
    if plain in (region.replace("-", ""), held["title"].lower().replace(" ", "")):
        return f"{word!r} is a region, not a zone", f"use one of {zones}"
    if match := re.fullmatch(rf"(?:{region.replace('-', '')})?(?:zone)?([a-z]|[1-9])", plain):
        letter = match[1] if match[1].isalpha() else "abcdefghi"[int(match[1]) - 1]
        zone = f"{region}-{letter}"
        if zone in held["zones"]:
            return f"{word!r} is not a valid zone name", f"write {zone}"
        return f"{region} has no zone {letter}", f"use one of {zones}"
    return None


@cache
def _regions() -> dict[str, Record]:
    return {record["region"]: record for record in records("regions", __file__)}
