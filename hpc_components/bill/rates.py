"""The price of a machine at any time."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from hpc_components.bill.records import Machine, Price

_BASES = ("list", "spot", "contract")


@dataclass(frozen=True)
class Rate:
    """What an hour of such a machine costs, in nano-dollars."""

    queue: str
    machine: str
    zone: str
    purchase: str
    usd_per_hour: int | None
    """None if it is unknown."""
    basis: str
    source: str = ""
    as_of: str = ""
    early: bool = False
    """Whether this is the first recorded price, used for a time before it."""

    @property
    def order(self) -> tuple[object, ...]:
        price = -1 if self.usd_per_hour is None else self.usd_per_hour
        return (
            self.queue, self.machine, self.zone, self.purchase, price, self.basis, self.early, self.as_of, self.source
        )  # fmt: skip


class Rates:
    """The price history of a ledger. Of all prices that fit a machine, the latest counts."""

    def __init__(self, prices: Iterable[Price]) -> None:
        self._prices: dict[tuple[str, str], list[Price]] = defaultdict(list)
        for price in sorted(set(prices), key=_order):
            self._prices[price.machine, price.purchase].append(price)
        self._histories: dict[tuple[str, str, str, str], tuple[list[int], list[Rate]]] = {}

    def over(self, machine: Machine, since: int, until: int) -> Iterator[tuple[int, int, Rate]]:
        """Yield (since, until, rate) for each part of a period in which the machine has one rate."""
        times, rates = self._history(machine)
        place = bisect_right(times, since) - 1
        while since < until:
            after = times[place + 1] if place + 1 < len(times) else until
            end = min(after, until)
            yield since, end, rates[place]
            since, place = end, place + 1

    def _history(self, machine: Machine) -> tuple[list[int], list[Rate]]:
        key = machine.queue, machine.machine, machine.zone, machine.purchase
        if key not in self._histories:
            self._histories[key] = self._made(*key)
        return self._histories[key]

    def _made(self, queue: str, machine: str, zone: str, purchase: str) -> tuple[list[int], list[Rate]]:
        """Return the times at which the rate changes, the first of them before all times, and the rates from then."""
        fitting = [
            price
            for price in self._prices.get((machine, purchase), [])
            if price.queue in ("", queue) and price.zone in ("", zone)
        ]
        if not fitting:
            return [-1], [Rate(queue, machine, zone, purchase, None, "")]
        first = _rate(fitting[0], queue, zone)
        times, rates = [-1], [replace(first, early=True)]
        for price in fitting:
            rate = _rate(price, queue, zone)
            if times[-1] == price.since:
                rates[-1] = rate
            elif rates[-1] != rate:
                times.append(price.since)
                rates.append(rate)
        return times, rates


def _rate(price: Price, queue: str, zone: str) -> Rate:
    return Rate(
        queue, price.machine, zone, price.purchase, price.usd_per_hour, price.basis, price.source, price.as_of
    )


def _order(price: Price) -> tuple[object, ...]:
    """Sort by time. Of prices with the same time, the most specific counts, then a contract's, then the highest."""
    basis = _BASES.index(price.basis) if price.basis in _BASES else -1
    amount = -1 if price.usd_per_hour is None else price.usd_per_hour
    specific = price.queue != "", price.zone != ""
    return price.since, specific, basis, amount, price.queue, price.zone, price.source, price.as_of
