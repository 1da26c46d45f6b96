"""Pools whose machines do not come up."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from hpc_components.elastic.decide.reconcile import REGISTERED, Seen, View
from hpc_components.elastic.decide.table import CloudState, SlurmState
from hpc_components.elastic.journal.file import LONGEST, Journal, Struck
from hpc_components.elastic.model import Instance, Pool
from hpc_components.elastic.report.events import BlockedPool, Why

__all__ = ["LIMIT", "Strikes"]

LIMIT = 3
"""Machines in a row after which a pool is left alone, if few others are still to come up."""
SHARE = 4
"""A row counts only if it is at least one for so many that are still to come up: of 400, a handful always dies."""

_ALIVE = frozenset({CloudState.PENDING, CloudState.RUNNING, CloudState.FAILING})


@dataclass(kw_only=True)
class _Row:
    """Failures in a row."""

    ids: set[str]
    """Of machines that failed since the pool was left alone last."""
    since: float
    """When the first of the row was launched, seconds of the epoch."""


class Strikes:
    """Counts, for each pool, machines that died or were ended before they registered.

    A broken image or boot script would otherwise be paid for again and again. A machine counts only if it was seen
    alive for a node that came up, so what the cloud still lists of former machines does not; nor does one that was
    taken away, as spot machines are. The row ends when a
    machine registers that was launched no earlier than the first that failed: then it is not the pool.
    """

    def __init__(self, journal: Journal, cooldown: float) -> None:
        self._journal = journal
        self._cooldown = cooldown
        self._coming: dict[str, Instance] = {}
        self._rows: dict[Pool, _Row] = {}

    def watch(self, machines: Mapping[str, Instance]) -> None:
        """Machines, by node, that a launch has just brought."""
        self._coming.update(machines)

    def count(self, view: View, replaced: Iterable[Seen], ended: Collection[str]) -> list[BlockedPool]:
        """Count what has failed since the last time. Returns pools that have reached the limit, to be left alone.

        `ended` are machines that we have ended ourselves: no fault of theirs, unless they are among `replaced`.
        """
        failed = {this.machine.id: this.machine for this in replaced if this.machine}
        failed |= self._died(view, ended)
        for machine in failed.values():
            struck = self._journal.struck.get(machine.pool)
            row = self._rows.setdefault(machine.pool, _Row(ids=set(), since=machine.launched))
            row.since = min(row.since, machine.launched, struck.since if struck else machine.launched)
            row.ids.add(machine.id)
        self._clear(view)
        return [self._block(pool, row, view.now) for pool, row in self._rows.items() if self._is_out(pool, row)]

    def _is_out(self, pool: Pool, row: _Row) -> bool:
        """Whether so many have failed that it must be the pool."""
        young = sum(each.pool == pool and each.launched >= row.since for each in self._coming.values())
        return len(row.ids) >= max(LIMIT, young // SHARE)

    def _died(self, view: View, ended: Collection[str]) -> dict[str, Instance]:
        """Machines that were seen coming and have ended by themselves."""
        before, self._coming = self._coming, {}
        died: dict[str, Instance] = {}
        for name, this in view.seen.items():
            if this.slurm is not SlurmState.BOOTING:
                continue
            if this.machine and this.cloud in _ALIVE:
                self._coming[name] = this.machine
            elif name in before and before[name].id not in ended:
                machine = before[name]
                if this.cloud is CloudState.ENDED and this.machine and this.machine.id == machine.id:
                    died |= {} if this.machine.taken else {machine.id: machine}
                else:  # not listed yet, or not now
                    self._coming[name] = machine
        return died

    def _clear(self, view: View) -> None:
        struck = self._journal.struck
        if not self._rows and not struck:
            return
        since = {pool: known.since for pool, known in struck.items()}
        since |= {pool: row.since for pool, row in self._rows.items()}
        works = {
            this.machine.pool
            for this in view.seen.values()
            if this.slurm in REGISTERED
            and this.machine
            and this.machine.pool in since
            and this.machine.launched >= since[this.machine.pool]
        }
        for pool in works:
            self._rows.pop(pool, None)
            self._journal.absolve(pool)

    def _block(self, pool: Pool, row: _Row, now: float) -> BlockedPool:
        """Left alone for the cool-down; each time in the same row twice as long."""
        struck = self._journal.struck.get(pool)
        times = struck.times if struck else 0
        words = f"{len(row.ids)} machines ended, or did not register in time"
        row.ids.clear()
        self._journal.strike(Struck(pool=pool, times=times + 1, since=row.since))
        pause = min(self._cooldown * 2.0 ** min(times, 20), max(LONGEST, self._cooldown))
        return BlockedPool(pool=pool, until=now + pause, words=words, why=Why.BOOT)
