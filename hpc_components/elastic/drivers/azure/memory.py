"""What the driver remembers of the machines of a scale set: Azure lists none that has gone."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.absences import Absences
from hpc_components.elastic.drivers.azure.limits import LIMITS
from hpc_components.elastic.drivers.azure.machines import Machine
from hpc_components.elastic.model import Instance, InstanceState

__all__ = ["SETTLING", "Memory"]

SETTLING = float(LIMITS.list_lag_seconds)
"""Seconds for which a machine may be listed in its former state."""
REMEMBERED = 3600.0
"""Seconds for which a machine that has gone is told to the daemon, as other clouds list theirs."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A machine that was listed."""

    machine: Machine
    """As it was listed last."""
    since: float
    """When it was listed first."""
    told: Instance | None = None
    """What the daemon was told last."""
    ending: float | None = None
    """When Azure has accepted to delete it."""
    gone: float | None = None
    """Since when it has gone."""


class Memory:
    """Machines by vmId. All times are in seconds of one clock that nobody sets."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._absences = Absences(SETTLING)

    def see(self, machines: Iterable[Machine], now: float) -> None:
        """These are there now."""
        for machine in machines:
            old = self._known.get(machine.vm_id)
            self._absences.over((machine.vm_id,))
            if old is None:
                self._known[machine.vm_id] = Known(machine=machine, since=now)
            elif old.ending is not None and old.ending + SETTLING < now and machine.provisioning != "deleting":
                self._known[machine.vm_id] = replace(old, machine=machine, ending=None)  # deleted in vain
            else:
                self._known[machine.vm_id] = replace(old, machine=machine, gone=None)

    def tell(self, instances: Iterable[tuple[Machine, Instance]]) -> None:
        """The daemon is told this of them."""
        for machine, instance in instances:
            if known := self._known.get(machine.vm_id):
                self._known[machine.vm_id] = replace(known, told=instance)

    def end(self, machines: Iterable[Machine], now: float) -> None:
        """Azure deletes these."""
        for machine in machines:
            old = self._known.get(machine.vm_id) or Known(machine=machine, since=now)
            self._known[machine.vm_id] = replace(old, ending=now)

    def to_ask(self, lost: Iterable[Machine], now: float, most: int) -> list[str]:
        """Which of the machines that the list lacks to ask for now."""
        return self._absences.to_ask((machine.vm_id for machine in lost), now, most)

    def miss(self, vm_id: str, now: float, *, taken: bool) -> None:
        """Azure does not know this one by its id now. It has gone if that lasts."""
        if vm_id not in self._known:
            return
        since = self._absences.unknown(vm_id, now)
        if since is not None:
            self.go(vm_id, since, taken=taken)

    def go(self, vm_id: str, now: float, *, taken: bool) -> None:
        """This one has gone, perhaps because Azure took it back."""
        self._absences.over((vm_id,))
        known = self._known.get(vm_id)
        if known is None or known.gone is not None:
            return
        told = known.told and replace(known.told, state=InstanceState.GONE, failing="", taken=taken)
        self._known[vm_id] = replace(known, gone=now, told=told)

    def compare(self, listed: Collection[str], now: float, *, spot: bool) -> list[Machine]:
        """Old machines that the list lacks although nobody deleted them; those that somebody did have gone.

        A `spot` machine that we have not deleted was taken back.
        """
        lost = []
        for vm_id, known in list(self._known.items()):
            if known.gone is not None:
                if known.gone + REMEMBERED < now:
                    del self._known[vm_id]
            elif vm_id not in listed:
                if known.ending is not None or known.machine.provisioning == "deleting":
                    self.go(vm_id, now, taken=spot and known.ending is None)
                elif known.since + SETTLING < now:
                    lost.append(known.machine)
        return lost

    @property
    def present(self) -> list[Machine]:
        """Those that have not gone, as far as anybody knows."""
        return [known.machine for known in self._known.values() if known.gone is None]

    @property
    def gone(self) -> list[Instance]:
        """Those that the daemon was told of and that went within an hour."""
        return [known.told for known in self._known.values() if known.gone is not None and known.told]

    def of_launch(self, token: str) -> list[Machine]:
        """Machines of an availability set by the token of their launch, those that have gone among them."""
        return [known.machine for known in self._known.values() if known.machine.token == token]

    def machine(self, vm_id: str) -> Machine | None:
        """A machine as it was listed last."""
        known = self._known.get(vm_id)
        return known.machine if known else None

    def told(self, vm_id: str) -> Instance | None:
        """What the daemon was told last of a machine."""
        known = self._known.get(vm_id)
        return known.told if known else None

    def owner(self, vm_id: str) -> tuple[str, str]:
        """Token and node of which the daemon was told last; empty if it was told of none."""
        told = self.told(vm_id)
        return (told.token, told.node) if told and told.token else ("", "")

    def knows(self, vm_id: str) -> bool:
        """Whether it was ever listed."""
        return vm_id in self._known

    def is_gone(self, vm_id: str) -> bool:
        """Whether it was listed, and has gone."""
        known = self._known.get(vm_id)
        return known is not None and known.gone is not None

    def is_absent(self, vm_id: str) -> bool:
        """Whether Azure does not know it by its id now."""
        return self._absences.has(vm_id)

    def is_ending(self, vm_id: str) -> bool:
        """Whether Azure deletes it, whatever a list says that may be behind."""
        known = self._known.get(vm_id)
        return known is not None and known.ending is not None
