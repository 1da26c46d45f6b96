"""List prices of machines and other items. A list price is a fact of its date, never a quotation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.refreshed import refreshed_record

HOURS_PER_MONTH = 730
"""Hours of a month in every monthly cost, as in the clouds' own calculators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One list price in US dollars.

    `exact_region` is false if the catalogue has no price for the wanted region and this is the price of another one
    (`region` says which). `unsure` is true if no primary source confirms the price or only its year is known.
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
    """Return the price of a machine per hour, or None if the catalogue has no such price in any region.

    A project's own price, from `hpc catalog refresh`, takes precedence. Capacity paid in advance has no list price:
    only the cloud can quote it.
    """
    if own := refreshed_record(machine.cloud, machine.name, region, purchase):
        return nearest_price([own], region, "USD/hour")
    found: list[Mapping[str, Any]] = [record for record in machine.prices if record["purchase"] == purchase]
    if purchase == "on_demand" and not any(record["region"] == region for record in found):
        regional = catalog_of(machine.cloud).regional_price(machine.name, region)
        found += [regional] if regional else []
    return nearest_price(found, region, "USD/hour")


def service_price(cloud: str, item: str, region: str) -> Price | None:
    """Return the list price of an item other than a machine, by its name in the cloud's price list; None if unknown.

    A project's own price takes precedence.
    """
    if own := refreshed_record(cloud, item, region):
        return nearest_price([own], region)
    return catalog_of(cloud).service_price(item, region)


def monthly_usd(found: Price, quantity: float) -> float:
    """Return the monthly cost in USD of a quantity, at a price per hour or per month."""
    return found.usd * (quantity * HOURS_PER_MONTH if found.unit.endswith("hour") else quantity)


def nearest_price(found: Sequence[Mapping[str, Any]], region: str, unit: str | None = None) -> Price | None:
    """Return the price in a region, else the first one; None without records. `unit` is for records without a
    unit."""
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
