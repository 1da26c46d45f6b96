"""Facts in `tools/catalog_sources/` that are maintained by hand: prices and measured memory."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]

SOURCES = Path(__file__).resolve().parent / "catalog_sources"
PRICE_SOURCE = "karpenter-provider-aws zz_generated.pricing_aws.go"
PRICE_DATE = "2026-07-20"
HOME = "us-east-1"
"""Region of these prices."""


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV source."""
    with (SOURCES / name).open(newline="") as stream:
        return list(csv.DictReader(stream))


def read_json(name: str) -> list[Record]:
    """Return the records of a JSON source."""
    return json.loads((SOURCES / name).read_bytes())


def prices(row: dict[str, str]) -> Iterator[Record]:
    """Yield the on-demand and spot price of a row, if it has them."""
    for purchase, usd, source, dated in (
        ("on_demand", row["od_usd_hour"], row["price_source"], row["price_date"]),
        ("spot", row["spot_usd_hour"], row["spot_source"], row["spot_source"]),
    ):
        if usd:
            yield priced(row["region"], purchase, usd, source, last_day(dated))


def priced(region: str, purchase: str, usd: str, source: str = PRICE_SOURCE, as_of: str = PRICE_DATE) -> Record:
    """Return a price record (USD per hour). Derived, second-hand and undated prices are marked unsure."""
    doubt = any(word in source for word in ("derived", "second hand", "quoted")) or len(as_of) == 4
    record = {"region": region, "purchase": purchase, "usd": number(usd), "source": source, "as_of": as_of}
    return {**record, "unsure": True} if doubt else record


def notes(row: dict[str, str]) -> str:
    """Return the notes that a user can act on, without those on how a price or bandwidth was derived."""
    parts = row["notes"].split("; ")
    return "; ".join(part for part in parts if not re.search("advisor savings|DescribeInstanceTypes", part))


def bandwidth(text: str) -> tuple[float | None, bool]:
    """Parse "Up to 12.5 Gigabit", "4x 100 Gigabit" or "32 default / 100 Tier_1" as (Gbit/s, whether only a peak)."""
    match = re.search(r"(?:(\d+)x )?([\d.]+)", text)
    if not match:
        return None, False
    return number(int(match[1] or 1) * float(match[2])), text.startswith("Up to")


def number(value: float | str) -> float:
    """Return an int if the value is whole, so that files contain 100 instead of 100.0."""
    value = float(value)
    return int(value) if value.is_integer() else value


def whole(text: str) -> int | None:
    """Return a count; None if the source has none."""
    return int(text) if text else None


def last_day(text: str) -> str:
    """Return the latest day in a text, else the latest month, else the latest year."""
    dates = re.findall(r"20\d\d(?:-\d\d(?:-\d\d)?)?", text)
    return max(dates, key=lambda date: (len(date), date))
