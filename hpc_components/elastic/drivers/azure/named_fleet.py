from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from hpc_components.elastic.drivers.azure.arm import Arm
from hpc_components.elastic.drivers.azure.availability_sets import AvailabilitySet, read_member, read_members
from hpc_components.elastic.drivers.azure.errors import ArmError, meaning_of
from hpc_components.elastic.drivers.azure.listing import MAX_LOOKUPS, Listing
from hpc_components.elastic.drivers.azure.machines import Machine
from hpc_components.elastic.drivers.contract import LaunchError, RefusedError
from hpc_components.elastic.model import Instance

FINAL_STATES = frozenset({"succeeded", "deleting"})
"""Provisioning states in which a machine does not have to be looked up individually."""


def machine_name(node: str, token: str) -> str:
    return f"{node}-{token[:8]}"


class NamedFleet(Listing):
    """Tracks the machines of an availability set.

    Nothing has to be recorded, because each machine's tags contain its launch token and node name from the start.

    `running` is a monotonic clock that returns seconds.
    """

    spot = False

    def __init__(self, group: AvailabilitySet, arm: Arm, running: Callable[[], float]) -> None:
        super().__init__(group.name, group.pool, arm, running)
        self.group = group
        """The availability set as last read."""
        self.launching: set[str] = set()
        """Tokens of the launches in progress."""
        self._asked: dict[str, float] = {}

    def show(self, group: AvailabilitySet) -> None:
        self.group = group

    def _read_all(self) -> list[Machine]:
        """List the machines, and look up a few of those that have not started or have failed."""
        machines = [self._as_known(machine) for machine in read_members(self._arm, self.group)]
        now = self._running()
        self._asked = {machine.vm_id: self._asked.get(machine.vm_id, float("-inf")) for machine in machines}
        unsettled = [
            machine for machine in machines if machine.provisioning not in FINAL_STATES and not machine.power
        ]
        told: dict[str, Machine] = {}
        for machine in sorted(unsettled, key=lambda machine: self._asked[machine.vm_id])[:MAX_LOOKUPS]:
            # a listed machine exists even if the lookup by name briefly fails
            told[machine.vm_id] = self._read_one(machine.instance) or machine
            self._asked[machine.vm_id] = now
        return [told.get(machine.vm_id, machine) for machine in machines]

    def _read_one(self, instance: str) -> Machine | None:
        return read_member(self._arm, self.group, instance)

    def _as_known(self, machine: Machine) -> Machine:
        known = self._memory.machine(machine.vm_id)
        if known is None or known.provisioning != machine.provisioning:
            return machine
        return replace(machine, power=known.power, failure=known.failure)

    def is_unclear(self, machine: Machine) -> bool:
        """Return whether the machine's power state is unknown and has never been looked up."""
        unasked = self._asked.get(machine.vm_id, float("-inf")) == float("-inf")
        return machine.provisioning not in FINAL_STATES and not machine.power and unasked

    def of_launch(self, token: str) -> tuple[list[Machine], list[Machine]]:
        """Return a launch's known machines as (existing, ended)."""
        with self._lock:
            every = self._memory.of_launch(token)
            ending = {
                machine.vm_id
                for machine in every
                if machine.provisioning == "deleting"
                or self._memory.is_ending(machine.vm_id)
                or self._memory.is_gone(machine.vm_id)
            }
            past = [each for each in every if each.vm_id in ending and self._memory.told(each.vm_id)]
        return [machine for machine in every if machine.vm_id not in ending], past

    def told(self, machines: Iterable[Machine]) -> list[Instance]:
        """Convert machines into instances for the daemon.

        Machines of a launch in progress are left out until they have a host.
        """
        return super().told(each for each in machines if each.ready or each.token not in self.launching)

    def _owners(self) -> Callable[[Machine], tuple[str, str]]:
        return lambda machine: (machine.token, machine.node)

    def made_by(self, token: str) -> list[Instance]:
        return self.told(machine for machine in self.read() if machine.token == token)

    def delete_each(self, machines: Iterable[Machine]) -> tuple[Collection[str], Mapping[str, Exception]]:
        """Delete machines one by one, together with their disks and network interfaces.

        Deleting by name is safe, because names are never reused. If Azure refuses to delete a machine, the others are
        still deleted. After any other error, no more requests are sent, because they would fail in the same way.
        """
        unknown: list[str] = []
        failures: dict[str, Exception] = {}
        stop: Exception | None = None
        for machine in machines:
            if machine.provisioning == "deleting":
                continue
            if stop is not None:
                failures[machine.vm_id] = stop
                continue
            try:
                if self._delete(machine.instance):
                    self._ended([machine])
                else:
                    unknown.append(machine.vm_id)
            except (ArmError, LaunchError, OSError) as error:
                failures[machine.vm_id] = error
                stop = None if isinstance(meaning_of(error), RefusedError) else error
        return unknown, failures

    def _delete(self, instance: str) -> bool:
        try:
            self._delete_by_force("DELETE", f"{self.group.machines}/{instance}", None, "machine")
        except ArmError as error:
            if error.status != 404:
                raise
            return False
        return True

    def unseen(self, nodes: Collection[str], token: str) -> list[str]:
        with self._lock:
            seen = {machine.node for machine in self._memory.of_launch(token)}
        return [node for node in nodes if node not in seen]

    def delete_unseen(self, nodes: Collection[str], token: str) -> None:
        """Delete the machines of a launch that no list has shown yet. Such machines may exist, because lists lag
        behind deployments.
        """
        for node in self.unseen(nodes, token):
            self._delete(machine_name(node, token))
