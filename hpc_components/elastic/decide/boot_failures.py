from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from hpc_components.elastic.decide.reconcile import REGISTERED, ClusterView, NodeView
from hpc_components.elastic.decide.table import ALIVE, CloudState
from hpc_components.elastic.journal.entries import BlockedPool, FailingPool, next_block
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Instance, Pool
from hpc_components.elastic.slurm.node_states import SlurmState
from hpc_components.elastic.slurm.reasons import Why

MIN_FAILURES = 3
"""Minimum number of consecutive failures before a pool is blocked."""
PENDING_PER_FAILURE = 4
"""Number of booting machines per tolerated failure. Out of 400 machines, a few always fail, and these failures must
not block the pool."""


@dataclass(kw_only=True)
class _Failures:
    ids: set[str]
    """Ids of the machines that failed since the pool was last blocked."""
    since: float
    """Launch time of the first failed machine, in seconds since the epoch."""


class BootFailures:
    """Counts, for each pool, the machines that died or were terminated before registering.

    Pools with too many failures are blocked, so that a broken image or boot script does not keep costing money. A
    machine counts only if it was seen alive while its node was starting, so earlier machines that the cloud still
    lists are ignored. Machines that the cloud reclaimed, such as spot machines, do not count either.

    A pool evidently works if one of its machines registers. The count then restarts, unless that machine was launched
    before the first one that failed.
    """

    def __init__(self, journal: Journal, cooldown: float) -> None:
        self._journal = journal
        self._cooldown = cooldown
        self._coming: dict[str, Instance] = {}
        self._failing: dict[Pool, _Failures] = {}

    def watch(self, machines: Mapping[str, Instance]) -> None:
        self._coming.update(machines)

    def count(self, view: ClusterView, replaced: Iterable[NodeView], ended: Collection[str]) -> list[BlockedPool]:
        """Count the failures since the last call. Return blocks for pools that have reached the limit.

        `ended` contains the ids of machines that the daemon has terminated. Such a machine counts as a failure only
        if its node is in `replaced`.
        """
        failed = {this.machine.id: this.machine for this in replaced if this.machine}
        failed |= self._died(view, ended)
        for machine in failed.values():
            known = self._journal.failing.get(machine.pool)
            failures = self._failing.setdefault(machine.pool, _Failures(ids=set(), since=machine.launched))
            failures.since = min(failures.since, machine.launched, known.since if known else machine.launched)
            failures.ids.add(machine.id)
        self._clear(view)
        tripped = [(pool, failures) for pool, failures in self._failing.items() if self._has_tripped(pool, failures)]
        return [self._block(pool, failures, view.now) for pool, failures in tripped]

    def _has_tripped(self, pool: Pool, failures: _Failures) -> bool:
        pending = sum(each.pool == pool and each.launched >= failures.since for each in self._coming.values())
        return len(failures.ids) >= max(MIN_FAILURES, pending // PENDING_PER_FAILURE)

    def _died(self, view: ClusterView, ended: Collection[str]) -> dict[str, Instance]:
        """Return the machines that ended on their own before they registered."""
        before, self._coming = self._coming, {}
        died: dict[str, Instance] = {}
        for name, this in view.seen.items():
            if this.slurm is not SlurmState.POWERING_UP:
                continue
            if this.machine and this.cloud in ALIVE:
                self._coming[name] = this.machine
            elif name in before and before[name].id not in ended:
                machine = before[name]
                if this.cloud is CloudState.ENDED and this.machine and this.machine.id == machine.id:
                    died |= {} if this.machine.taken else {machine.id: machine}
                else:  # the list may lag, or omit the machine
                    self._coming[name] = machine
        return died

    def _clear(self, view: ClusterView) -> None:
        known = self._journal.failing
        if not self._failing and not known:
            return
        since = {pool: each.since for pool, each in known.items()}
        since |= {pool: failures.since for pool, failures in self._failing.items()}
        works = {
            this.machine.pool
            for this in view.seen.values()
            if this.slurm in REGISTERED
            and this.machine
            and this.machine.pool in since
            and this.machine.launched >= since[this.machine.pool]
        }
        for pool in works:
            self._failing.pop(pool, None)
            self._journal.clear_failing(pool)

    def _block(self, pool: Pool, failures: _Failures, now: float) -> BlockedPool:
        """Return a block for the pool. Each consecutive block lasts twice as long as the one before, up to a maximum.
        As soon as one of the pool's machines registers, the doubling starts over.
        """
        known = self._journal.failing.get(pool)
        times = known.times if known else 0
        words = f"{len(failures.ids)} machines ended before registering, or did not register in time"
        failures.ids.clear()
        self._journal.put_failing(FailingPool(pool=pool, times=times + 1, since=failures.since))
        pause = next_block(self._cooldown, times)
        return BlockedPool(pool=pool, until=now + pause, words=words, why=Why.BOOT)
