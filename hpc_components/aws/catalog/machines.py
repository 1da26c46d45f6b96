from collections.abc import Iterator
from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine, read_machines


def machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, _family)


def other_machines() -> Iterator[Machine]:
    """Yield all other machine types that run Linux. They are in a separate file, which is slow to read."""
    return read_machines("other_machines", __file__, _family)


def type_names() -> frozenset[str]:
    return frozenset(f"{family}.{size}" for family, record in _families().items() for size in record["sizes"])


def is_previous_generation(name: str) -> bool:
    family = _families().get(_family(name), {})
    return not family.get("current", True) and "current" not in family.get("unsure", ())


def regions() -> dict[str, tuple[str, ...]]:
    return {record["region"]: tuple(record["zones"]) for record in records("regions", __file__)}


def _family(name: str) -> str:
    return name.partition(".")[0]


@cache
def _families() -> dict[str, Record]:
    return {record["family"]: record for record in records("known_types", __file__)}
