"""Azure's regions and zones, as descriptions write them: `eastus-1`, or `eastus` for machines in no zone."""

__all__ = ["has_zones", "regions", "zone_mistake", "zone_number"]


def zone_number(zone: str, region: str) -> str | None:
    """What Resource Manager calls a zone: `1` for `eastus-1`, None for the region alone.

    Raises:
        ValueError: the word is neither the region nor a zone of it.
    """
    raise NotImplementedError


def has_zones(region: str) -> bool:
    """Whether a region has availability zones; false for one that is not known."""
    raise NotImplementedError


def regions() -> dict[str, tuple[str, ...]]:
    """The regions, each with itself ("in no zone") and its zones: `eastus`, `eastus-1` and so on."""
    raise NotImplementedError


def zone_mistake(word: str, region: str) -> tuple[str, str] | None:
    """Reason and remedy for words that people take for zones: `1`, `eastus1`, `eastus-az1`, `East US`, `eastus-4`."""
    raise NotImplementedError
