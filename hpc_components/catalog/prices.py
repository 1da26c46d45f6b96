from collections.abc import Mapping
from typing import Any

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Price, nearest_price
from hpc_components.catalog.refreshed import refreshed_record

HOURS_PER_MONTH = 730
"""Hours per month, used for all monthly costs, as in the clouds' own calculators."""


def price(machine: Machine, region: str, purchase: Purchase) -> Price | None:
    """Return the hourly price of a machine, or None if the catalogue has no such price for any region.

    A project's own price, from `hpc catalog refresh`, takes precedence. Prepaid capacity has no list price, because
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
    """Return the list price of an item other than a machine, or None if the price is unknown.

    `item` is the name in the cloud's price list. A project's own price takes precedence.
    """
    if own := refreshed_record(cloud, item, region):
        return nearest_price([own], region)
    return catalog_of(cloud).service_price(item, region)


def monthly_usd(found: Price, quantity: float) -> float:
    return found.usd * (quantity * HOURS_PER_MONTH if found.unit.endswith("hour") else quantity)
