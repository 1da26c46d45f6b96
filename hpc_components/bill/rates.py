"""The price of a machine at any time."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from hpc_components.bill.records import Machine, Price

_BASES = ("list", "spot", "contract")


@dataclass(frozen=True, order=True)
class Tariff:
    """A kind of machine as it is bought. Its price may change."""

    queue: str
    machine: str
    zone: str
    purchase: str
    basis: str
    """`list`, `contract` or `spot`; empty if the price is unknown."""
    early: bool = False
    """Whether the price is the first recorded one, used for a time before it."""

    @property
    def known(self) -> bool:
        return self.basis != ""


Rate: TypeAlias = tuple[Tariff, int]
"""A tariff and its price in nano-dollars per hour, 0 if that is unknown."""


class Segment(NamedTuple):
    """A part of a machine's life with one price, in nano-dollars per hour."""

    since: int
    until: int
    tariff: Tariff
    price: int


class Rates:
    """The price history of a ledger. Of all prices that fit a machine, the latest counts."""

    def __init__(self, prices: Iterable[Price]) -> None:
        self._prices: dict[tuple[str, str], list[Price]] = defaultdict(list)
        for price in sorted(set(prices), key=_order):
            self._prices[price.machine, price.purchase].append(price)
        self._tariffs: dict[Tariff, Tariff] = {}
        self._histories: dict[tuple[str, str, str, str], tuple[list[int], list[Rate]]] = {}

    def over(self, machine: Machine, since: int, until: int) -> Iterator["Segment"]:
        """Yield the parts of a period in which the machine has one price."""
        times, rates = self._history(machine)
        place = bisect_right(times, since) - 1
        while since < until:
            after = times[place + 1] if place + 1 < len(times) else until
            end = min(after, until)
            yield Segment(since, end, *rates[place])
            since, place = end, place + 1

    def _history(self, machine: Machine) -> tuple[list[int], list[Rate]]:
        key = machine.queue, machine.machine, machine.zone, machine.purchase
        if key not in self._histories:
            self._histories[key] = self._made(*key)
        return self._histories[key]

    def _one(self, tariff: Tariff) -> Tariff:
        """Return the one object for equal tariffs: they are compared often."""
        return self._tariffs.setdefault(tariff, tariff)

    def _made(self, queue: str, machine: str, zone: str, purchase: str) -> tuple[list[int], list[Rate]]:
        """Return the times at which the rate changes, the first of them before all times, and the rates from then."""
        fitting = [
            price
            for price in self._prices.get((machine, purchase), [])
            if price.queue in ("", queue) and price.zone in ("", zone)
        ]
        if not fitting:
            return [-1], [(self._one(Tariff(queue, machine, zone, purchase, "")), 0)]
        times, rates = [-1], [self._rate(fitting[0], queue, zone, early=True)]
        for price in fitting:
            rate = self._rate(price, queue, zone)
            if times[-1] == price.since:
                rates[-1] = rate
            elif rates[-1] != rate:
                times.append(price.since)
                rates.append(rate)
        return times, rates

    def _rate(self, price: Price, queue: str, zone: str, *, early: bool = False) -> Rate:
        basis = "" if price.usd_per_hour is None else price.basis or "list"
        tariff = Tariff(queue, price.machine, zone, price.purchase, basis, early)
        return self._one(tariff), price.usd_per_hour or 0


def _order(price: Price) -> tuple[object, ...]:
    """Sort by time. Of prices with the same time, the most specific counts, then a contract's, then the highest."""
    basis = _BASES.index(price.basis) if price.basis in _BASES else -1
    amount = -1 if price.usd_per_hour is None else price.usd_per_hour
    specific = price.queue != "", price.zone != ""
    return price.since, specific, basis, amount, price.queue, price.zone, price.source, price.as_of
