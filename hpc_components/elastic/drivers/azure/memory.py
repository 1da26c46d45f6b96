"""Remembers a group's machines, because Azure does not list machines that are gone."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.absences import Absences
from hpc_components.elastic.drivers.azure.limits import LIMITS
from hpc_components.elastic.drivers.azure.machines import Machine
from hpc_components.elastic.model import Instance, InstanceState

LIST_LAG_SECONDS = float(LIMITS.list_lag_seconds)
"""Seconds for which a list may still show a machine's former state."""
GONE_LISTED_SECONDS = 3600.0
"""Seconds for which a machine that is gone is still reported to the daemon, as on other clouds."""


@dataclass(frozen=True, kw_only=True)
class Known:
    machine: Machine
    """The machine as last listed."""
    since: float
    """Time at which the machine was first listed."""
    told: Instance | None = None
    """The machine as last reported to the daemon."""
    ending: float | None = None
    """Time at which Azure accepted the machine's deletion."""
    gone: float | None = None
    """Time at which the machine disappeared."""


class Memory:
    """The known machines, keyed by vmId. All times are in seconds on the same monotonic clock."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._absences = Absences(LIST_LAG_SECONDS)

    def see(self, machines: Iterable[Machine], now: float) -> None:
        for machine in machines:
            old = self._known.get(machine.vm_id)
            self._absences.over((machine.vm_id,))
            if old is None:
                self._known[machine.vm_id] = Known(machine=machine, since=now)
            elif (
                old.ending is not None and old.ending + LIST_LAG_SECONDS < now and machine.provisioning != "deleting"
            ):
                self._known[machine.vm_id] = replace(old, machine=machine, ending=None)  # the deletion failed
            else:
                self._known[machine.vm_id] = replace(old, machine=machine, gone=None)

    def tell(self, instances: Iterable[tuple[Machine, Instance]]) -> None:
        for machine, instance in instances:
            if known := self._known.get(machine.vm_id):
                self._known[machine.vm_id] = replace(known, told=instance)

    def end(self, machines: Iterable[Machine], now: float) -> None:
        for machine in machines:
            old = self._known.get(machine.vm_id) or Known(machine=machine, since=now)
            self._known[machine.vm_id] = replace(old, ending=now)

    def to_ask(self, lost: Iterable[Machine], now: float, most: int) -> list[str]:
        return self._absences.to_ask((machine.vm_id for machine in lost), now, most)

    def miss(self, vm_id: str, now: float, *, taken: bool) -> None:
        """Record that Azure currently can't find this machine. If this persists, the machine is considered gone."""
        if vm_id not in self._known:
            return
        since = self._absences.unknown(vm_id, now)
        if since is not None:
            self.go(vm_id, since, taken=taken)

    def go(self, vm_id: str, now: float, *, taken: bool) -> None:
        """Record that this machine is gone. `taken` means that Azure reclaimed it."""
        self._absences.over((vm_id,))
        known = self._known.get(vm_id)
        if known is None or known.gone is not None:
            return
        told = known.told and replace(known.told, state=InstanceState.GONE, failing="", taken=taken)
        self._known[vm_id] = replace(known, gone=now, told=told)

    def compare(self, listed: Collection[str], now: float, *, spot: bool) -> list[Machine]:
        """Compare a list with the known machines, and return those that are unexpectedly missing.

        New machines may be missing until the list lag is over. Missing machines that were being deleted are recorded
        as gone. If `spot` is set, they are recorded as reclaimed unless we requested the deletion.
        """
        lost = []
        for vm_id, known in list(self._known.items()):
            if known.gone is not None:
                if known.gone + GONE_LISTED_SECONDS < now:
                    del self._known[vm_id]
            elif vm_id not in listed:
                if known.ending is not None or known.machine.provisioning == "deleting":
                    self.go(vm_id, now, taken=spot and known.ending is None)
                elif known.since + LIST_LAG_SECONDS < now:
                    lost.append(known.machine)
        return lost

    @property
    def present(self) -> list[Machine]:
        return [known.machine for known in self._known.values() if known.gone is None]

    @property
    def gone(self) -> list[Instance]:
        """Machines that were reported to the daemon and disappeared within the past hour."""
        return [known.told for known in self._known.values() if known.gone is not None and known.told]

    def of_launch(self, token: str) -> list[Machine]:
        """Return all machines of a launch in an availability set, including those that are gone."""
        return [known.machine for known in self._known.values() if known.machine.token == token]

    def machine(self, vm_id: str) -> Machine | None:
        known = self._known.get(vm_id)
        return known.machine if known else None

    def told(self, vm_id: str) -> Instance | None:
        known = self._known.get(vm_id)
        return known.told if known else None

    def owner(self, vm_id: str) -> tuple[str, str]:
        told = self.told(vm_id)
        return (told.token, told.node) if told and told.token else ("", "")

    def knows(self, vm_id: str) -> bool:
        return vm_id in self._known

    def is_gone(self, vm_id: str) -> bool:
        known = self._known.get(vm_id)
        return known is not None and known.gone is not None

    def is_absent(self, vm_id: str) -> bool:
        """Return whether Azure could not find the machine at the last lookup."""
        return self._absences.has(vm_id)

    def is_ending(self, vm_id: str) -> bool:
        """Return whether Azure is deleting the machine. Outdated lists may show otherwise."""
        known = self._known.get(vm_id)
        return known is not None and known.ending is not None
