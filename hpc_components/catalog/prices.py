"""List prices of machines. A list price is a fact of its day, never a quotation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.refreshed import refreshed_record

__all__ = ["HOURS_PER_MONTH", "Price", "monthly_usd", "nearest_price", "price", "service_price"]

HOURS_PER_MONTH = 730
"""Hours of a month in every monthly cost, as in the clouds' own calculators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One list price in US dollars.

    `exact_region` is false when the price is that of another region (`region` says which), because the catalogue has
    none for the one asked for; `unsure` is true when no primary source confirms it or only its year is known.
    """

    usd: float
    unit: str
    region: str
    exact_region: bool
    source: str
    as_of: str
    unsure: bool = False
    notes: str = ""


def price(machine: Machine, region: str, purchase: Purchase) -> Price | None:
    """What a machine costs per hour, or None when the catalogue has no such price anywhere.

    A project's own price, from `hpc catalog refresh`, goes first. Capacity paid in advance, at a price that only the
    cloud can quote, has none.
    """
    if own := refreshed_record(machine.cloud, machine.name, region, purchase):
        return nearest_price([own], region, "USD/hour")
    found: list[Mapping[str, Any]] = [record for record in machine.prices if record["purchase"] == purchase]
    if purchase == "on_demand" and not any(record["region"] == region for record in found):
        regional = catalog_of(machine.cloud).regional_price(machine.name, region)
        found += [regional] if regional else []
    return nearest_price(found, region, "USD/hour")


def service_price(cloud: str, item: str, region: str) -> Price | None:
    """The list price of something other than a machine, by its name in the cloud's price list; None without one.

    A project's own price goes first.
    """
    if own := refreshed_record(cloud, item, region):
        return nearest_price([own], region)
    return catalog_of(cloud).service_price(item, region)


def monthly_usd(found: Price, quantity: float) -> float:
    """What a quantity costs a month at a price by the hour or month."""
    return found.usd * (quantity * HOURS_PER_MONTH if found.unit.endswith("hour") else quantity)


def nearest_price(found: Sequence[Mapping[str, Any]], region: str, unit: str | None = None) -> Price | None:
    """The price record of a region, else the first one; None if there is none. Records without a unit have `unit`."""
    record = next((record for record in found if record["region"] == region), found[0] if found else None)
    if record is None:
        return None
    return Price(
        usd=record["usd"],
        unit=record.get("unit") or unit or "",
        region=record["region"],
        exact_region=record["region"] == region,
        source=record["source"],
        as_of=record["as_of"],
        unsure=record.get("unsure", False),
        notes=record.get("notes", ""),
    )
