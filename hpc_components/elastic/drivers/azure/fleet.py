"""One scale set of a cluster: its machines, and which of them is which node."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from hpc_components.elastic.drivers.azure.arm import CHANGES, DELETIONS, Arm, Container
from hpc_components.elastic.drivers.azure.assignment_blob import AssignmentBlob
from hpc_components.elastic.drivers.azure.assignments import Assignments, LaunchRecord
from hpc_components.elastic.drivers.azure.errors import ArmError
from hpc_components.elastic.drivers.azure.listing import LATE, Listing
from hpc_components.elastic.drivers.azure.machines import Machine, read_machine, read_machines
from hpc_components.elastic.drivers.azure.memory import SETTLING
from hpc_components.elastic.drivers.azure.scale_sets import ScaleSet, read_scale_set
from hpc_components.elastic.drivers.contract import ThrottledError
from hpc_components.elastic.model import Instance

__all__ = ["Fleet"]

UNKNOWN_MACHINE = re.compile(r"instanceId (\S+) is not an active Virtual Machine Scale Set VM")
"""Why Azure deletes none of several machines. Source: kubernetes-sigs/cloud-provider-azure,
`isInstanceNotFoundError`."""
PATIENCE = 1.0
"""Seconds that a deletion waits for its turn; after that the next cycle may ask, and for more machines at once."""


class Fleet(Listing):
    """A scale set and its blob. May be used from any thread.

    `clock` gives seconds of the epoch, `running` seconds of a clock that nobody sets.
    """

    def __init__(
        self,
        scale_set: ScaleSet,
        arm: Arm,
        container: Container,
        clock: Callable[[], float],
        running: Callable[[], float],
    ) -> None:
        super().__init__(scale_set.name, scale_set.pool, arm, running)
        self.scale_set = scale_set
        """As it was read last."""
        self.outdated = False
        """Whether we have changed it since."""
        self.launching: set[str] = set()
        """Tokens of the launches that a thread is working on."""
        self.left_alone: float | None = None
        """Since when no operation is under way for an open launch on which nobody works."""
        self.bucket = f"{CHANGES}:{scale_set.name}"
        """For changes of the scale set."""
        self._clock = clock
        self._blob = AssignmentBlob(container, scale_set.name)

    # What is there.

    def refresh(self) -> ScaleSet:
        """Read the scale set itself."""
        self.show(read_scale_set(self._arm, self.scale_set.id))
        return self.scale_set

    def show(self, scale_set: ScaleSet) -> None:
        """The scale set is like this now."""
        self.scale_set, self.outdated = scale_set, False

    @property
    def spot(self) -> bool:
        """Whether Azure may take the machines back."""
        return self.scale_set.spot

    def _read_all(self) -> list[Machine]:
        return read_machines(self._arm, self.scale_set)

    def _read_one(self, instance: str) -> Machine | None:
        return read_machine(self._arm, self.scale_set, instance)

    def changed(self) -> None:
        """What was read before is out of date."""
        super().changed()
        self.outdated = True

    def may_be_made(self, record: LaunchRecord) -> bool:
        """Whether the change for this launch may have been carried out."""
        return bool(record.operation) or not record.etag or self.scale_set.etag != record.etag

    @property
    def is_empty(self) -> bool:
        """Whether nobody knows of a machine. A capacity of 0 proves nothing by itself."""
        if self.scale_set.capacity or self.scale_set.updating or self._memory.present:
            return False
        assigned = self.assigned
        return assigned.open is None and all(map(self._is_forgotten, assigned.names))

    def capacity_for(self, more: int, machines: Iterable[Machine]) -> int:
        """The capacity to ask for to get so many machines more than these: never less than there are, or will be."""
        living, ending = self._count(machines)
        if self.scale_set.capacity < living or not (living or self.scale_set.capacity or self.is_empty):
            self.refresh()  # it may have been shown as 0 for a moment
        capacity = self.scale_set.capacity
        return more + (capacity if capacity > living + ending else living)

    def patience(self, machines: Iterable[Machine]) -> float:
        """Seconds for which more machines than these may still come to be listed, as the scale set should have more.

        Machines that are being deleted may count for its capacity, or not any more.
        """
        living, ending = self._count(machines)
        if self.scale_set.capacity <= living:
            return 0.0
        return LATE if self.scale_set.capacity <= living + ending else SETTLING

    def _count(self, machines: Iterable[Machine]) -> tuple[int, int]:
        """How many machines live, and how many are being deleted; one that Azure does not know now is neither.

        If it lives nevertheless, the capacity is larger than what is counted here.
        """
        with self._lock:
            every = [each for each in self.ever(machines) if not self._memory.is_absent(each.vm_id)]
            ending = sum(each.provisioning == "deleting" or self._memory.is_ending(each.vm_id) for each in every)
        return len(every) - ending, ending

    # Which is which.

    @property
    def assigned(self) -> Assignments:
        """What the blob says."""
        return self._blob.read()

    def assign(self, change: Callable[[Assignments], Assignments]) -> Assignments:
        """Change the blob. What is of no use any more goes on this occasion."""

        def tidied(assigned: Assignments) -> Assignments:
            return change(assigned).tidied(set(filter(self._is_forgotten, assigned.names)), self._clock())

        return self._blob.change(tidied)

    def unnamed(self, machines: Iterable[Machine], record: LaunchRecord) -> list[Machine]:
        """Machines that were made since a launch was written down, and have never had a name."""
        names = self.assigned.names
        new = [each for each in self.ever(machines) if each.vm_id not in record.known and each.vm_id not in names]
        with self._lock:
            return [each for each in new if not self._memory.owner(each.vm_id)[0]]

    def _is_forgotten(self, vm_id: str) -> bool:
        """Whether a machine with a name has surely gone: it did, or it was never listed while we were looking."""
        with self._lock:
            if self._memory.knows(vm_id):
                return self._memory.is_gone(vm_id)
            return self._first_read is not None and self._first_read + SETTLING < self._running()

    # What the daemon is told.

    def look(self) -> list[Machine]:
        """The machines now, or a moment ago if Azure was asked too often; none where there can be none."""
        return [] if self.is_empty else super().look()

    def told(self, machines: Iterable[Machine]) -> list[Instance]:
        """These machines as the daemon knows them, but for those that an open launch is still to give names to."""
        machines, assigned = list(machines), self.assigned
        if assigned.open and self.may_be_made(assigned.open[1]):
            secret = {machine.vm_id for machine in self.unnamed(machines, assigned.open[1])}
            machines = [machine for machine in machines if machine.vm_id not in secret]
        return super().told(machines)

    def _owners(self) -> Callable[[Machine], tuple[str, str]]:
        """By the blob; of one that seemed to have gone, so that its name was removed there, by what was told last."""
        owners = self.assigned.owners
        return lambda machine: owners.get(machine.vm_id) or self._memory.owner(machine.vm_id)

    def made_by(self, token: str) -> list[Instance]:
        """The machines of a launch, as Azure lists them; none of one that the blob does not know."""
        if token not in self.assigned.launches:
            return []
        return [each for each in self.told(self.read()) if each.token == token]

    def made(self, record: LaunchRecord) -> list[Instance]:
        """The machines of a launch, in the order of its nodes, those that have gone among them.

        OSError if one is not listed that was not seen to go: its answer must not lack a machine that costs money.
        """
        machines = {machine.vm_id: machine for machine in self.machines()}
        with self._lock:
            known = {vm_id: machines.get(vm_id) or self._memory.machine(vm_id) for vm_id in record.made}
            unclear = [vm_id for vm_id, machine in known.items() if not machine and not self._is_forgotten(vm_id)]
        if unclear:
            raise OSError(f"{self.scale_set.name}: Azure does not list {', '.join(unclear)} yet")
        return self.told(machine for machine in known.values() if machine)

    # What is ended.

    def end(self, wanted: Mapping[str, str]) -> Mapping[str, Exception]:
        """As `Listing`. While a launch is open, only a new list tells which machine has which id."""
        if self.assigned.open:
            self.read()
        return super().end(wanted)

    def delete_each(self, machines: Iterable[Machine]) -> tuple[Collection[str], Mapping[str, Exception]]:
        """Delete these, in one request, which fails for an unknown one: it is sent again without that.

        Lowering the capacity would let Azure choose others.
        """
        ends = [machine for machine in machines if machine.provisioning != "deleting"]
        try:
            self._delete_all(ends)
        except ArmError as error:
            match = UNKNOWN_MACHINE.search(str(error))
            rest = [machine for machine in ends if match and machine.instance != match[1]]
            if match is None or len(rest) == len(ends):
                raise
            unknown, failures = self.delete_each(rest)
            return [*unknown, *(machine.vm_id for machine in ends if machine not in rest)], failures
        return (), {}

    def _delete_all(self, ends: Collection[Machine]) -> None:
        if not ends:
            return
        name, bucket = self.scale_set.name, f"{DELETIONS}:{self.scale_set.name}"
        if self._arm.pace.delay(bucket) > PATIENCE:
            raise ThrottledError(
                f"machines of {name} were deleted as often as Azure allows; a later cycle ends these"
            )
        document = {"instanceIds": [machine.instance for machine in ends]}
        self._delete_by_force("POST", f"{self.scale_set.id}/delete", document, bucket)
        self._ended(ends)
