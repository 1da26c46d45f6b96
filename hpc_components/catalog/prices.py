"""List prices of machines and other items. A list price is a fact of its date, never a quotation."""

from collections.abc import Mapping
from typing import Any

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Price, nearest_price
from hpc_components.catalog.refreshed import refreshed_record

HOURS_PER_MONTH = 730
"""Hours of a month in every monthly cost, as in the clouds' own calculators."""


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
