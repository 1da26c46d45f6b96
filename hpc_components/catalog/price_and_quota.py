"""What a list price and a quota are.

Both a cloud's catalogue, which has them, and the functions that ask it (`prices`, `quotas`) import these types, so
they are in a module that imports neither.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """One quota: `code` is the cloud's name for it, `default` the value for a new account.

    Each is None if the cloud does not have it or no source states it.
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
    """Whether each region has its own quota; otherwise one quota applies to the whole account or project."""


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
