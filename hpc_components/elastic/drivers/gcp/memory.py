"""What the driver remembers of machines: Compute Engine lists none that has gone, and may list one as it was."""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.absences import Absences
from hpc_components.elastic.drivers.gcp.limits import LIMITS
from hpc_components.elastic.drivers.gcp.machines import Machine
from hpc_components.elastic.model import Instance, InstanceState

__all__ = ["Memory"]

SETTLING = float(LIMITS.list_lag_seconds)
"""Seconds for which a machine may be listed in its former state."""
IN_VAIN = 600.0
"""Seconds after which a machine that is stopped was deleted in vain: one that is being deleted may look like that."""
SPOT = "spot"
REMEMBERED = 3600.0
"""Seconds for which a machine that has gone is told to the daemon, as other clouds list theirs."""


@dataclass(frozen=True)
class Known:
    """A machine that was seen."""

    machine: Machine
    """As it was seen last."""
    since: float
    """When it was seen first."""
    ending: float | None = None
    """When Google has accepted to delete it."""
    deletions: int = 0
    """How often it was deleted in vain."""
    gone: float | None = None
    """Since when it has gone."""


class Memory:
    """Machines by id. All times are in seconds of one clock that nobody sets. May be used from any thread."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._absences = Absences(SETTLING)
        self._lock = threading.Lock()

    def see(self, machines: Iterable[Machine], now: float) -> list[Instance]:
        """These are there now. What the daemon is told of them: one that is being deleted is, whatever is listed.

        One that is seen so long after it went that no list is behind by as much has not gone.
        """
        told = []
        with self._lock:
            for machine in machines:
                id = machine.instance.id
                old = self._known.get(id)
                self._absences.over((id,))
                if old is None:
                    known = Known(machine, now)
                elif old.gone is not None and old.gone + SETTLING > now:
                    told.append(old.machine.instance)  # a list that is behind
                    continue
                elif old.gone is not None:
                    known = Known(machine, now, deletions=old.deletions + (old.ending is not None))
                else:
                    known = replace(old, machine=machine)
                    pause = SETTLING if _runs(machine) else IN_VAIN
                    if known.ending is not None and known.ending + pause < now:
                        known = replace(known, ending=None, deletions=known.deletions + 1)
                self._known[id] = known
                told.append(_ending(machine.instance) if known.ending is not None else machine.instance)
        return told

    def end(self, ids: Iterable[str], now: float) -> None:
        """Google deletes these."""
        with self._lock:
            for id in ids:
                if known := self._known.get(id):
                    self._known[id] = replace(known, ending=now if known.ending is None else known.ending)

    def miss(self, id: str, now: float) -> None:
        """Google does not know this one by its id now. It has gone if it was being deleted, or if that lasts."""
        with self._lock:
            known = self._known.get(id)
            if known is None or known.gone is not None:
                return
            deleted = known.ending is not None or known.machine.instance.state is InstanceState.STOPPING
            since = now if deleted else self._absences.unknown(id, now)
        if since is not None:
            self.go(id, since)

    def to_ask(self, lost: Collection[Instance], now: float, most: int) -> list[str]:
        """Which of the machines that the list lacks to ask for now."""
        with self._lock:
            return self._absences.to_ask((each.id for each in lost), now, most)

    def go(self, id: str, now: float) -> None:
        """This one has gone. A spot machine that we have not deleted was taken back."""
        with self._lock:
            known = self._known.get(id)
            self._absences.over((id,))
            if known and known.gone is None:
                taken = known.ending is None and known.machine.instance.pool.purchase == SPOT
                instance = replace(known.machine.instance, state=InstanceState.GONE, failing="", taken=taken)
                self._known[id] = replace(known, machine=replace(known.machine, instance=instance), gone=now)

    def compare(self, listed: Collection[str], now: float) -> list[Instance]:
        """Machines that the list lacks and that are to be asked for: old ones that nobody has deleted, and new ones
        that somebody has, of which the list may be behind. Old ones that somebody has deleted have gone.
        """
        lost: list[Instance] = []
        went: list[str] = []
        with self._lock:
            for id, known in list(self._known.items()):
                if known.gone is not None:
                    if known.gone + REMEMBERED < now:
                        del self._known[id]
                elif id not in listed:
                    old, ending = known.since + SETTLING < now, known.ending is not None
                    if old and ending:
                        went.append(id)
                    elif old or ending:
                        lost.append(known.machine.instance)
        for id in went:
            self.go(id, now)
        return lost

    def gone(self) -> list[Instance]:
        """Those that went within an hour."""
        with self._lock:
            return [known.machine.instance for known in self._known.values() if known.gone is not None]

    def get(self, id: str) -> Known | None:
        """What is known of a machine."""
        return self._known.get(id)

    def policies(self) -> set[str]:
        """Names of the policies of machines that have not gone."""
        with self._lock:
            there = [known.machine.policies for known in self._known.values() if known.gone is None]
        return set().union(*there)

    def ending(self, zone: str, names: Collection[str]) -> Sequence[Known]:
        """Machines of these names in a zone that are being deleted."""
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
