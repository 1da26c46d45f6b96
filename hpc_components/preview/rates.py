"""The prices of a contract with the cloud: `billing.rates` of a description."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from hpc_components.catalog import Price

Rates: TypeAlias = Mapping[str, float]
"""Prices in USD per node-hour, keyed by machine type. They replace list prices, also those of spot machines."""

NO_RATES: Rates = MappingProxyType({})

CONTRACT_NOTE = "price of your contract (billing.rates)"

_SOURCE = "billing.rates"


def rates_in(description: Any) -> Rates:
    """Return the rates of a description as written, which may be wrong: values that are not prices are left out."""
    billing = description.get("billing") if isinstance(description, Mapping) else None
    rates = billing.get("rates") if isinstance(billing, Mapping) else None
    found = rates.items() if isinstance(rates, Mapping) else ()
    return {name: float(usd) for name, usd in found if type(usd) in (int, float) and 0 < usd < float("inf")}


def contract_price(usd: float, region: str) -> Price:
    return Price(usd=usd, unit="hour", region=region, exact_region=True, source=_SOURCE, as_of="")


def is_contract(price: Price) -> bool:
    return price.source == _SOURCE


def kinds_of_prices(cost: Mapping[str, Any]) -> str:
    """Return what the prices in a result of `cost_of` are, in words."""
    has_rates = any("basis" in each for each in (*cost.get("lines", ()), *cost.get("queues", ())))
    return "list prices and rates of your contract" if has_rates else "list prices"
