from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from hpc_components.elastic import months
from hpc_components.elastic.ledger.records import RANKS, Ended, PriceSet, Record, Seen, ServiceSet, Started, nano_of
from hpc_components.elastic.model import Pool

_MS_PER_HOUR = 3_600_000


class Spending:
    """What the cluster has cost since the beginning of the UTC month, in nano-dollars.

    Sums are kept up to date with every record, so reading them costs a few operations for each pool, however many
    machines there are. Machines without a known price count as zero; see `unpriced`. A machine that ran before the
    first recorded price, because the ledger was lost, counts at that price.
    """

    def __init__(self, minimum_seconds: float = 0.0) -> None:
        """`minimum_seconds` is billed at least for every machine."""
        self._minimum = _ms(minimum_seconds)
        self._month = 0
        self._machines: dict[str, _Life] = {}
        self._prices: defaultdict[Pool, _Curve] = defaultdict(lambda: _Curve(holds_before=True))
        self._services: defaultdict[str, _Curve] = defaultdict(_Curve)
        self._open: defaultdict[Pool, _Open] = defaultdict(_Open)
        self._closed: defaultdict[str, int] = defaultdict(int)
        self._stale = True
        """Whether the sums must be made again, because a price has changed."""

    def apply(self, records: Iterable[Record]) -> None:
        for record in records:
            if isinstance(record, Started):
                self._start(record)
            elif isinstance(record, Ended):
                self._end(record)
            elif isinstance(record, Seen):
                self._see(record)
            elif isinstance(record, PriceSet):
                self._prices[_pool(record)].set(_ms(record.since), nano_of(record.usd_per_hour))
                self._stale = True
            elif isinstance(record, ServiceSet):
                self._services[record.what].set(_ms(record.since), nano_of(record.usd_per_hour))

    def month_to_date(self, now: float) -> int:
        """Return what machines and services have cost since the beginning of the month, in nano-dollars."""
        return sum(self.by_queue(now).values()) + self.services(now)

    def by_queue(self, now: float) -> dict[str, int]:
        """Return the month-to-date cost of each queue's machines in nano-dollars."""
        self._turn(now)
        at, sums = _ms(now), dict(self._closed)
        for pool, open_now in self._open.items():
            if open_now.count:
                running = open_now.count * self._prices[pool].until(at) - open_now.before
                sums[pool.queue] = sums.get(pool.queue, 0) + running
        return {queue: _nano(total) for queue, total in sums.items()}

    def services(self, now: float) -> int:
        """Return the month-to-date cost of services, such as the head node and file systems, in nano-dollars."""
        self._turn(now)
        return _nano(sum(each.until(_ms(now)) - each.until(self._month) for each in self._services.values()))

    def rate(self, now: float) -> int:
        """Return what an hour of everything that runs now costs, in nano-dollars."""
        self._turn(now)
        at = _ms(now)
        machines = sum(each.count * (self._prices[pool].rate(at) or 0) for pool, each in self._open.items())
        return machines + sum(each.rate(at) or 0 for each in self._services.values())

    def unpriced(self, now: float) -> list[Pool]:
        """Return the pools whose running machines have no known price."""
        self._turn(now)
        at = _ms(now)
        return [pool for pool, each in self._open.items() if each.count and self._prices[pool].rate(at) is None]

    def _start(self, record: Started) -> None:
        life = self._machines.get(record.id)
        rank = RANKS[record.started_by], record.corrected
        if life is not None and life.start_rank >= rank:
            return
        if life is None:
            life = self._machines[record.id] = _Life(pool=_pool(record))
        else:
            self._count(life, -1)
        life.start, life.start_rank = _ms(record.started), rank
        self._count(life, 1)

    def _end(self, record: Ended) -> None:
        life = self._machines.get(record.id)
        rank = RANKS[record.ended_by], record.corrected, record.ended
        if life is None or life.end_rank >= rank:
            return
        self._count(life, -1)
        life.end, life.end_rank = _ms(record.ended), rank
        self._count(life, 1)

    def _see(self, record: Seen) -> None:
        life = self._machines.get(record.id)
        if life is None or life.end is None or life.end >= _ms(record.at) or life.end_rank[0] == RANKS["cloud"]:
            return
        self._count(life, -1)
        life.end, life.end_rank = None, _NO_RANK
        self._count(life, 1)

    def _count(self, life: "_Life", sign: int) -> None:
        """Add a machine to the sums, or remove it."""
        if self._stale:
            return
        curve, start = self._prices[life.pool], max(life.start, self._month)
        if life.end is None:
            open_now = self._open[life.pool]
            open_now.count += sign
            open_now.before += sign * curve.until(start)
        else:
            end = max(life.end, life.start + self._minimum, self._month)
            self._closed[life.pool.queue] += sign * (curve.until(end) - curve.until(start))

    def _turn(self, now: float) -> None:
        """Start again at the beginning of a month. A month that is over is not returned to."""
        month = _ms(months.begins(now))
        if month > self._month:
            self._month, self._stale = month, True
            self._machines = {
                id: life for id, life in self._machines.items() if life.end is None or life.end >= month
            }
        if self._stale:
            self._stale = False
            self._open.clear()
            self._closed.clear()
            for life in self._machines.values():
                self._count(life, 1)


_NO_RANK = (-1, 0, 0.0)


@dataclass
class _Life:
    pool: Pool
    start: int = 0
    start_rank: tuple[int, int] = (-1, 0)
    end: int | None = None
    end_rank: tuple[int, int, float] = _NO_RANK


@dataclass
class _Open:
    """The running machines of a pool."""

    count: int = 0
    before: int = 0
    """Sum over the machines: what one machine of the pool would have cost from the first price to its own start."""


class _Curve:
    """What one machine would have cost from the first known price on, as a function of time.

    Times are in milliseconds, and costs in nano-dollars x milliseconds / hour, which are exact integers. If the first
    price also holds before its time, costs before it are negative.
    """

    def __init__(self, *, holds_before: bool = False) -> None:
        self._holds_before = holds_before
        self._since: list[int] = []
        self._rates: list[int | None] = []
        self._sums: list[int] = []

    def set(self, since: int, rate: int | None) -> None:
        at = bisect_left(self._since, since)
        if at < len(self._since) and self._since[at] == since:
            self._rates[at] = rate
        else:
            self._since.insert(at, since)
            self._rates.insert(at, rate)
            self._sums.insert(at, 0)
        for index in range(at, len(self._since)):
            if index:
                lasted = self._since[index] - self._since[index - 1]
                self._sums[index] = self._sums[index - 1] + (self._rates[index - 1] or 0) * lasted

    def until(self, at: int) -> int:
        index = bisect_right(self._since, at) - 1
        if index < 0:
            if not self._holds_before or not self._since:
                return 0
            index = 0
        return self._sums[index] + (self._rates[index] or 0) * (at - self._since[index])

    def rate(self, at: int) -> int | None:
        index = bisect_right(self._since, at) - 1
        return self._rates[index] if index >= 0 else None


def _pool(record: Started | PriceSet) -> Pool:
    return Pool(queue=record.queue, machine=record.machine, zone=record.zone, purchase=record.purchase)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _nano(total: int) -> int:
    return (total + _MS_PER_HOUR // 2) // _MS_PER_HOUR
