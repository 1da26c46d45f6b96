from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.gcp.catalog.by_prefix import nearest


def is_previous_generation(name: str) -> bool:
    return nearest(_records(), name) is not None


def newer_type(name: str) -> str | None:
    """Return the equivalent type in a newer series (`n2-standard-4` for `n1-standard-4`), or None if no newer series
    has one.
    """
    found = nearest(_records(), name)
    return f"{found['successor']}{name.removeprefix(found['prefix'])}" if found and found["successor"] else None


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("generations", __file__))
