"""Defines the types of list prices and quotas.

The types have their own module because they are imported both by the clouds' catalogues and by the modules `prices`
and `quotas`, which look things up in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A list price in US dollars.

    `exact_region` is False if the catalogue has no price for the wanted region and this is another region's price, as
    stated by `region`. `unsure` is True if no primary source confirms the price, or if only its year is known.
    """

    usd: float
    unit: str
    region: str
    exact_region: bool
    source: str
    as_of: str
    unsure: bool = False
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A quota. `code` is the cloud's code for it, and `default` is the value for a new account.

    Either is None if it doesn't exist in the cloud or no source states it.
    """

    key: str
    service: str
    code: str | None
    name: str
    unit: str
    default: int | None
    source: str
    as_of: str
    notes: str = ""
    unsure: Sequence[str] = ()
    regional: bool = True
    """Whether each region has its own quota. If not, a single quota applies to the whole account or project."""


def nearest_price(found: Sequence[Mapping[str, Any]], region: str, unit: str | None = None) -> Price | None:
    """Return the price in `region` or, if there isn't one, the first price. Return None if there are no records.

    `unit` is used for records that don't state their unit.
    """
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
