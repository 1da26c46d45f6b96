"""Machine series that Google has newer ones for."""

from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.gcp.catalog.by_prefix import nearest

__all__ = ["is_previous_generation"]


def is_previous_generation(name: str) -> bool:
    """Whether there are newer series for what a type is for."""
    return nearest(_records(), name) is not None


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("generations", __file__))
