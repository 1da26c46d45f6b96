"""List prices of machines by region, and of what stands around them."""

from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.prices import Price, nearest_price

__all__ = ["regional_price", "service_price"]


def regional_price(name: str, region: str) -> Record | None:
    """The price record of a machine type in a region, on demand, where the table of regional prices has it."""
    record = _regional().get(name)
    if record is None or region not in record["usd"]:
        return None
    return {**record, "region": region, "usd": record["usd"][region]}


def service_price(item: str, region: str) -> Price | None:
    """What something other than a machine costs, such as `nat.hour`, `disk.pd-balanced.storage` or `lustre.1000`."""
    return nearest_price(_services().get(item, []), region)


@cache
def _regional() -> dict[str, Record]:
    return {record["name"]: record for record in records("regional_prices", __file__)}


@cache
def _services() -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records("prices", __file__):
        found.setdefault(record["item"], []).append(record)
    return found
