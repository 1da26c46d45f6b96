"""Remembers a cluster's machines, because Compute Engine does not list machines that are gone and may list outdated
states.
"""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.absences import Absences
from hpc_components.elastic.drivers.gcp.limits import LIMITS
from hpc_components.elastic.drivers.gcp.machines import Machine
from hpc_components.elastic.model import Instance, InstanceState

LIST_LAG_SECONDS = float(LIMITS.list_lag_seconds)
FAILED_DELETION_SECONDS = 600.0
"""Seconds after which a deletion is considered failed if the machine is still listed as stopped. A machine may be
listed as stopped for a while during its deletion."""
SPOT = "spot"
GONE_LISTED_SECONDS = 3600.0
"""Seconds for which a machine that is gone is still reported to the daemon, as on other clouds."""


@dataclass(frozen=True)
class Known:
    machine: Machine
    since: float
    """Time at which the machine was first seen."""
    ending: float | None = None
    """Time at which Google accepted the machine's deletion."""
    deletions: int = 0
    """Number of failed deletions."""
    gone: float | None = None
    """Time at which the machine disappeared."""


class Memory:
    """The known machines, keyed by id. All times are in seconds on the same monotonic clock. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._absences = Absences(LIST_LAG_SECONDS)
        self._lock = threading.Lock()

    def see(self, machines: Iterable[Machine], now: float) -> list[Instance]:
        """Record listed machines. Return the instances to report, with those that are being deleted marked as
        stopping.

        If a machine that was recorded as gone is still listed after the list lag, it is recorded as existing again.
        """
        told = []
        with self._lock:
            for machine in machines:
                id = machine.instance.id
                old = self._known.get(id)
                self._absences.over((id,))
                if old is None:
                    known = Known(machine, now)
                elif old.gone is not None and old.gone + LIST_LAG_SECONDS > now:
                    told.append(old.machine.instance)  # the list is outdated
                    continue
                elif old.gone is not None:
                    known = Known(machine, now, deletions=old.deletions + (old.ending is not None))
                else:
                    known = replace(old, machine=machine)
                    pause = LIST_LAG_SECONDS if _runs(machine) else FAILED_DELETION_SECONDS
                    if known.ending is not None and known.ending + pause < now:
                        known = replace(known, ending=None, deletions=known.deletions + 1)
                self._known[id] = known
                told.append(_ending(machine.instance) if known.ending is not None else machine.instance)
        return told

    def end(self, ids: Iterable[str], now: float) -> None:
        """Record that Google is deleting these machines."""
        with self._lock:
            for id in ids:
                if known := self._known.get(id):
                    self._known[id] = replace(known, ending=now if known.ending is None else known.ending)

    def miss(self, id: str, now: float) -> None:
        """Record that Google currently can't find this machine.

        The machine is considered gone if it was being deleted or stays missing.
        """
        with self._lock:
            known = self._known.get(id)
            if known is None or known.gone is not None:
                return
            deleted = known.ending is not None or known.machine.instance.state is InstanceState.STOPPING
            since = now if deleted else self._absences.unknown(id, now)
        if since is not None:
            self.go(id, since)

    def to_ask(self, lost: Collection[Instance], now: float, most: int) -> list[str]:
        with self._lock:
            return self._absences.to_ask((each.id for each in lost), now, most)

    def go(self, id: str, now: float) -> None:
        """Record that this machine is gone. A spot machine that we did not delete is recorded as reclaimed."""
        with self._lock:
            known = self._known.get(id)
            self._absences.over((id,))
            if known and known.gone is None:
                taken = known.ending is None and known.machine.instance.pool.purchase == SPOT
                instance = replace(known.machine.instance, state=InstanceState.GONE, failing="", taken=taken)
                self._known[id] = replace(known, machine=replace(known.machine, instance=instance), gone=now)

    def compare(self, listed: Collection[str], now: float) -> list[Instance]:
        """Return the machines that are missing from a list and must be looked up.

        These are machines that were not deleted and are older than the list lag, and newer machines that were deleted
        but may be missing only because of the list lag. Deleted machines that are older than the list lag are
        recorded as gone.
        """
        lost: list[Instance] = []
        went: list[str] = []
        with self._lock:
            for id, known in list(self._known.items()):
                if known.gone is not None:
                    if known.gone + GONE_LISTED_SECONDS < now:
                        del self._known[id]
                elif id not in listed:
                    old, ending = known.since + LIST_LAG_SECONDS < now, known.ending is not None
                    if old and ending:
                        went.append(id)
                    elif old or ending:
                        lost.append(known.machine.instance)
        for id in went:
            self.go(id, now)
        return lost

    def gone(self) -> list[Instance]:
        """Return the machines that disappeared within the past hour."""
        with self._lock:
            return [known.machine.instance for known in self._known.values() if known.gone is not None]

    def get(self, id: str) -> Known | None:
        return self._known.get(id)

    def policies(self) -> set[str]:
        with self._lock:
            there = [known.machine.policies for known in self._known.values() if known.gone is None]
        return set().union(*there)

    def ending(self, zone: str, names: Collection[str]) -> Sequence[Known]:
        with self._lock:
            return [
                known
                for known in self._known.values()
                if known.gone is None
                and known.ending is not None
                and known.machine.name in names
                and known.machine.instance.pool.zone == zone
            ]


def _runs(machine: Machine) -> bool:
    return machine.instance.alive and not machine.instance.failing


def _ending(instance: Instance) -> Instance:
    return replace(instance, state=InstanceState.STOPPING, failing="")
