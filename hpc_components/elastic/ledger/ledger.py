from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hpc_components.elastic.clock import TOLERANCE_SECONDS, Clock
from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.ledger.file import LedgerFiles
from hpc_components.elastic.ledger.news import Known, Life, Sighting, news
from hpc_components.elastic.ledger.prices import PriceFile, changes, with_spot
from hpc_components.elastic.ledger.records import ClockSet, Gap, PriceSet, Record, ServiceSet
from hpc_components.elastic.ledger.spending import Spending
from hpc_components.elastic.ledger.spot import SpotPrices
from hpc_components.elastic.model import Pool

AWAY_SECONDS = 600.0
"""Seconds without a running daemon after which a bill should say that machines may have been missed."""


class Ledger:
    """Records what machines and services cost, and sums it up.

    What can't be written stays in memory and is written later. If the daemon is killed before, the same is found
    again from the cloud's list and from the machines that are recorded as running.
    """

    def __init__(
        self,
        files: LedgerFiles,
        prices: Path,
        clock: Clock,
        limits: Limits,
        spot: SpotPrices | None = None,
        *,
        earlier: bool = False,
    ) -> None:
        """`earlier` means that a daemon ran on this cluster before, so that an empty ledger is incomplete."""
        self._files = files
        self._price_file = PriceFile(prices)
        self._clock = clock
        self._list_lag = limits.list_lag_seconds
        self._known = Known()
        self._prices: dict[Pool, PriceSet] = {}
        self._services: dict[str, ServiceSet] = {}
        self._spot = spot
        self._epoch: float | None = None
        """The clock's `epoch` on whose scale the records are, or None if nothing was recorded in this boot."""
        self._pending: list[Record] = []
        self._state: list[Record] = []
        """What was known before anything that is still to be written. The first file of a month begins with it."""
        self._written: float | None = None
        """Time of the last write of an earlier daemon, or None on a cluster without a ledger."""
        self._earlier = earlier
        self._begun = False
        self.spending = Spending(limits.minimum_billed_seconds)
        self.calls = 0
        """Number of calls to the driver in the last cycle."""
        self.problem = ""
        """Why the ledger can't be read or written, or the prices can't be read; otherwise empty."""
        self._damage = ""
        try:
            self._written = files.written()
            for record in files.read(self._note_damage):
                self._apply(record)
        except OSError as error:
            self._note_damage(str(error))

    def _note_damage(self, words: str) -> None:
        self._damage = self._damage or f"a part of the ledger can't be read: {words}"

    def see(self, seen: Sighting) -> None:
        """Record what a cycle has seen."""
        if not self._pending:
            self._state = list(self._known_state())
        records = [*self._pending, *self._corrections()]
        for record in records[len(self._pending) :]:
            self._apply(record)
        self._price_file.look()
        self.calls = self._spot.look() if self._spot else 0
        for record in [*self._beginning(seen), *self._price_changes(seen), *news(self._known, seen, self._list_lag)]:
            self._apply(record)
            records.append(record)
        self._known.forget(seen)
        self._write(records, seen.now)

    def _beginning(self, seen: Sighting) -> Iterator[Record]:
        """Yield what the first cycle of a daemon has to record."""
        if not self._begun:
            self._begun = True
            if self._written is None and (self._earlier or seen.instances):
                yield Gap(since=0.0, until=seen.now, why="nothing was recorded before")
            elif self._written is not None and self._written + AWAY_SECONDS < seen.now:
                yield Gap(since=self._written, until=seen.now, why="hpc-elastic did not run")
        if self._epoch is None:
            yield ClockSet(at=seen.now, step=0.0, boot=self._clock.boot, epoch=self._clock.epoch)

    def _price_changes(self, seen: Sighting) -> Iterator[Record]:
        if self._price_file.problem:
            return
        prices = self._price_file.prices
        # the first prices also hold for machines that were launched before there was a ledger
        since = min([seen.now, *(each.launched for each in seen.instances)]) if not self._prices else seen.now
        machines = prices.machines
        if self._spot:
            recorded = {pool: price for pool, price in self._prices.items() if price.basis == "spot"}
            machines = with_spot(prices, self._spot.prices, self._spot.source, recorded)
        yield from changes(machines, prices.services, self._prices, self._services, since)

    def _corrections(self) -> Iterator[Record]:
        """Yield recent records again if the clock was set since they were written."""
        if self._epoch is None:
            return
        step = self._clock.epoch - self._epoch
        if abs(step) < TOLERANCE_SECONDS:
            return
        for life in list(self._known.lives.values()):
            yield from _corrected(life, step, self._epoch)
        yield ClockSet(at=self._clock(), step=step, boot=self._clock.boot, epoch=self._clock.epoch)

    def _apply(self, record: Record) -> None:
        self._known.apply(record)
        self.spending.apply([record])
        if isinstance(record, PriceSet):
            pool = Pool(queue=record.queue, machine=record.machine, zone=record.zone, purchase=record.purchase)
            self._prices[pool] = record
        elif isinstance(record, ServiceSet):
            self._services[record.what] = record
        elif isinstance(record, ClockSet) and record.boot == self._clock.boot:
            self._epoch = record.epoch

    def _known_state(self) -> Iterator[Record]:
        """Yield the prices, and the machines that run or ended recently: the cloud may still tell when they ended.
        Later records say only what has changed since."""
        yield from self._prices.values()
        yield from self._services.values()
        for life in self._known.lives.values():
            yield from filter(None, (life.started, life.registered, life.ended))

    def _write(self, records: list[Record], now: float) -> None:
        trouble = ""
        try:
            if records:
                self._files.append(records, now, self._state)
            elif self._written is None or self._written + AWAY_SECONDS / 10 < now:
                self._files.touch(now)
                self._written = now
            self._pending = []
        except OSError as error:
            self._pending = records
            trouble = f"can't write the ledger: {error}"
        self.problem = trouble or self._damage or self._price_file.problem


def _corrected(life: Life, step: float, epoch: float) -> Iterator[Record]:
    """Yield the machine's records with corrected times, apart from those of the cloud and of earlier boots."""
    corrected = life.corrected + 1
    if life.missing_since is not None:
        life.missing_since += step
    if life.started.started_by == "daemon" and life.started.started >= epoch:
        yield replace(life.started, started=life.started.started + step, corrected=corrected)
    if life.registered and life.registered.at >= epoch:
        yield replace(life.registered, at=life.registered.at + step, corrected=corrected)
    if life.ended and life.ended.ended_by in ("daemon", "list") and life.ended.ended >= epoch:
        yield replace(life.ended, ended=life.ended.ended + step, corrected=corrected)
