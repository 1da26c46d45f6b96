"""List prices of machines and of what stands around them. A list price is a fact of its day, never a quotation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hpc_components.catalog._load import records
from hpc_components.catalog.machines import Machine, Purchase

__all__ = ["HOURS_PER_MONTH", "Price", "price", "service_price"]

HOURS_PER_MONTH = 730
"""A month in every monthly cost, as AWS's own calculator has it."""


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

    The hours of a capacity block are paid when it is bought, at a price that only AWS can quote: None.
    """
    found = [_price("USD/hour", record, region) for record in machine.prices if record["purchase"] == purchase]
    if purchase == "on_demand" and machine.cloud == "aws" and not any(each.exact_region for each in found):
        found += _regional(machine.name, region)
    return _nearest(found)


def service_price(item: str, region: str) -> Price | None:
    """What something other than a machine costs, such as `nat_gateway.hour` or `lustre.persistent_2.ssd.250`."""
    return _nearest([replace(p, exact_region=p.region == region) for p in _services().get(item, ())])


def _nearest(found: list[Price]) -> Price | None:
    return next((p for p in found if p.exact_region), found[0] if found else None)


def _price(unit: str, record: Mapping[str, Any], region: str) -> Price:
    return Price(
        usd=record["usd"],
        unit=unit,
        region=record["region"],
        exact_region=record["region"] == region,
        source=record["source"],
        as_of=record["as_of"],
        unsure=record.get("unsure", False),
        notes=record.get("notes", ""),
    )


def _regional(name: str, region: str) -> list[Price]:
    """The price of an EC2 type in a region, where a table of regional prices has it."""
    record = _regional_records().get(name)
    if record is None or region not in record["usd"]:
        return []
    return [_price("USD/hour", {**record, "region": region, "usd": record["usd"][region]}, region)]


@cache
def _regional_records() -> dict[str, Mapping[str, Any]]:
    return {record["name"]: record for record in records("aws_regional_prices")}


@cache
def _services() -> dict[str, tuple[Price, ...]]:
    found: dict[str, list[Price]] = {}
    for record in records("aws_prices"):
        found.setdefault(record["item"], []).append(_price(record["unit"], record, record["region"]))
    return {item: tuple(prices) for item, prices in found.items()}
