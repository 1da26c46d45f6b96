"""Reads `prices.json`, the prices that the description of the cluster gives, and finds out what has changed."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from hpc_components.elastic.ledger.records import AMOUNT, PriceSet, Record, ServiceSet
from hpc_components.elastic.model import Pool

VERSION = 1


@dataclass(frozen=True, kw_only=True)
class PriceList:
    machines: Mapping[Pool, PriceSet] = field(default_factory=dict)
    """Prices with `since` 0. They include the disks of the node."""
    disks: Mapping[Pool, Decimal] = field(default_factory=dict)
    """The part of the price that is for disks, in USD per hour."""
    services: Mapping[str, ServiceSet] = field(default_factory=dict)


class PriceFile:
    """`prices.json`, which may be replaced while the daemon runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: object = None
        self.prices = PriceList()
        self.problem = "no prices are known"
        """Why the file can't be used, in which case the last prices stay valid; otherwise empty."""

    def look(self) -> None:
        """Read the file if it was replaced."""
        try:
            status = self._path.stat()
            stamp = status.st_mtime_ns, status.st_ino, status.st_size
            if stamp == self._stamp:
                return
            self.prices, self.problem = read_prices(self._path.read_text(encoding="utf-8")), ""
            self._stamp = stamp
        except (OSError, ValueError) as error:
            self._stamp = None
            self.problem = f"can't read the prices: {error}"


def read_prices(text: str) -> PriceList:
    """Parse the document. Raise ValueError if it is invalid."""
    try:
        document = json.loads(text)
        if document["version"] != VERSION:
            raise ValueError(f"version {document['version']} is not supported (expected {VERSION})")
        machines, disks = {}, {}
        for raw in document["machines"]:
            pool = Pool(**{key: raw[key] for key in ("queue", "machine", "zone", "purchase")})
            machines[pool] = PriceSet(since=0.0, **vars(pool), **_usd_and_origin(raw))
            disks[pool] = Decimal(raw.get("disks_usd_per_hour") or 0)
        services = {
            raw["what"]: ServiceSet(since=0.0, what=raw["what"], group=raw["group"], **_usd_and_origin(raw))
            for raw in document["services"]
        }
    except (KeyError, TypeError, InvalidOperation, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    return PriceList(machines=machines, disks=disks, services=services)


def _usd_and_origin(raw: Mapping[str, Any]) -> dict[str, Any]:
    usd = raw["usd_per_hour"]
    if usd is not None and not AMOUNT.fullmatch(usd):
        raise ValueError(f"usd_per_hour: {usd!r} must be a decimal number with at most 9 decimals, in quotes")
    return {"usd_per_hour": usd, **{key: raw[key] for key in ("basis", "source", "as_of")}}


def with_spot(
    prices: PriceList, spot: Mapping[Pool, Decimal], source: str, recorded: Mapping[Pool, PriceSet]
) -> dict[Pool, PriceSet]:
    """Replace the list prices of spot machines by those that the cloud reported, plus the price of the disks.

    `recorded` are spot prices of an earlier daemon, which hold until the cloud has answered this one.
    """
    found = dict(prices.machines)
    for pool in [pool for pool, price in found.items() if price.basis == "list"]:
        if pool in spot:
            total = format(round(spot[pool] + prices.disks[pool], 9).normalize(), "f")
            found[pool] = replace(found[pool], usd_per_hour=total, basis="spot", source=source, as_of="")
        elif pool in recorded:
            found[pool] = recorded[pool]
    return found


def changes(
    prices: Mapping[Pool, PriceSet],
    services: Mapping[str, ServiceSet],
    known: Mapping[Pool, PriceSet],
    known_services: Mapping[str, ServiceSet],
    since: float,
) -> Iterator[Record]:
    """Yield a record, valid from `since` on, for each price that differs from the recorded one.

    A pool that is no longer described keeps its price, because its last machines may still run.
    """
    for pool, price in prices.items():
        if not (pool in known and _same(price, known[pool])):
            yield replace(price, since=since)
    for what, service in services.items():
        if not (what in known_services and _same(service, known_services[what])):
            yield replace(service, since=since)
    for what, service in known_services.items():
        if what not in services and service.usd_per_hour != "0":
            yield replace(service, since=since, usd_per_hour="0")


def _same(one: PriceSet | ServiceSet, other: PriceSet | ServiceSet) -> bool:
    return replace(one, since=0.0) == replace(other, since=0.0)
