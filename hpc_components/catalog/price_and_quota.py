"""Defines the types of list prices and quotas.

They are in a separate module to avoid circular imports: the clouds' catalogues use these types, and so do the modules
`prices` and `quotas`, which import the catalogues.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A list price in US dollars.

    `exact_region` is False if the catalogue has no price for the requested region. In that case, `region` names the
    region that the price is for. `unsure` is True if no primary source confirms the price, or if only the year of the
    price is known.
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
    """A quota. `code` is the cloud's code for the quota, and `default` is the value for a new account.

    `code` and `default` are None if the cloud has none, or if no source states them.
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
    """Return the price in `region`, or the first price if none is known for this region. Return None if there are no
    records.

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
