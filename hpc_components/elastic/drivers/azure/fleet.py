import re
from collections.abc import Callable, Collection, Iterable, Mapping

from hpc_components.elastic.drivers.azure.arm import CHANGES, DELETIONS, Arm, Container
from hpc_components.elastic.drivers.azure.assignment_blob import AssignmentBlob
from hpc_components.elastic.drivers.azure.assignments import Assignments, LaunchRecord
from hpc_components.elastic.drivers.azure.errors import ArmError
from hpc_components.elastic.drivers.azure.listing import USUAL_LAG_SECONDS, Listing
from hpc_components.elastic.drivers.azure.machines import Machine, read_machine, read_machines
from hpc_components.elastic.drivers.azure.memory import LIST_LAG_SECONDS
from hpc_components.elastic.drivers.azure.scale_sets import ScaleSet, read_scale_set
from hpc_components.elastic.drivers.contract import ThrottledError
from hpc_components.elastic.model import Instance

UNKNOWN_MACHINE = re.compile(r"instanceId (\S+) is not an active Virtual Machine Scale Set VM")
"""Message that Azure returns when it rejects a deletion request because one of the machines is unknown. Source:
kubernetes-sigs/cloud-provider-azure, `isInstanceNotFoundError`."""
MAX_DELETION_WAIT_SECONDS = 1.0
"""Maximum number of seconds for which the rate limit may delay a deletion. A deletion that would have to wait longer
is left to a later cycle, which can combine it with others."""


class Fleet(Listing):
    """A scale set and its blob. Thread-safe.

    `clock` returns seconds since the epoch, and `running` returns the seconds of a monotonic clock.
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
        """The scale set as last read."""
        self.outdated = False
        """Whether the daemon has changed the scale set since it was read."""
        self.launching: set[str] = set()
        """Tokens of the launches that a thread is working on."""
        self.left_alone: float | None = None
        """Time since which the open launch has been idle: no thread is handling it, and no operation is in progress
        for it."""
        self.bucket = f"{CHANGES}:{scale_set.name}"
        self._clock = clock
        self._blob = AssignmentBlob(container, scale_set.name)

    def refresh(self) -> ScaleSet:
        self.show(read_scale_set(self._arm, self.scale_set.id))
        return self.scale_set

    def show(self, scale_set: ScaleSet) -> None:
        self.scale_set, self.outdated = scale_set, False

    @property
    def spot(self) -> bool:
        return self.scale_set.spot

    def _read_all(self) -> list[Machine]:
        return read_machines(self._arm, self.scale_set)

    def _read_one(self, instance: str) -> Machine | None:
        return read_machine(self._arm, self.scale_set, instance)

    def changed(self) -> None:
        super().changed()
        self.outdated = True

    def may_be_made(self, record: LaunchRecord) -> bool:
        """Return whether Azure may have executed the capacity change for this launch."""
        return bool(record.operation) or not record.etag or self.scale_set.etag != record.etag

    @property
    def is_empty(self) -> bool:
        """Whether the scale set is known to have no machines. A capacity of 0 alone proves nothing."""
        if self.scale_set.capacity or self.scale_set.updating or self._memory.present:
            return False
        assigned = self.assigned
        return assigned.open is None and all(map(self._is_forgotten, assigned.names))

    def capacity_for(self, more: int, machines: Iterable[Machine]) -> int:
        """Return the capacity to request for `more` additional machines.

        The capacity is never less than the number of existing and expected machines.
        """
        living, ending = self._count(machines)
        if self.scale_set.capacity < living or not (living or self.scale_set.capacity or self.is_empty):
            self.refresh()  # Azure may have shown a capacity of 0 for a moment
        capacity = self.scale_set.capacity
        return more + (capacity if capacity > living + ending else living)

    def patience(self, machines: Iterable[Machine]) -> float:
        """Return the seconds to wait for machines that the scale set should have but does not list yet.

        Machines that are being deleted may or may not still be included in the scale set's capacity.
        """
        living, ending = self._count(machines)
        if self.scale_set.capacity <= living:
            return 0.0
        return USUAL_LAG_SECONDS if self.scale_set.capacity <= living + ending else LIST_LAG_SECONDS

    def _count(self, machines: Iterable[Machine]) -> tuple[int, int]:
        """Return the number of living machines and the number of machines being deleted.

        Machines that Azure currently can't find are not counted. If any of them is still alive, the scale set's
        capacity reveals it by being larger than the count.
        """
        with self._lock:
            every = [each for each in self.ever(machines) if not self._memory.is_absent(each.vm_id)]
            ending = sum(each.provisioning == "deleting" or self._memory.is_ending(each.vm_id) for each in every)
        return len(every) - ending, ending

    @property
    def assigned(self) -> Assignments:
        return self._blob.read()

    def assign(self, change: Callable[[Assignments], Assignments]) -> Assignments:
        """Change the blob, and remove outdated entries at the same time."""

        def tidied(assigned: Assignments) -> Assignments:
            return change(assigned).tidied(set(filter(self._is_forgotten, assigned.names)), self._clock())

        return self._blob.change(tidied)

    def unnamed(self, machines: Iterable[Machine], record: LaunchRecord) -> list[Machine]:
        """Return the machines that were created after a launch was recorded and have never had a name."""
        names = self.assigned.names
        new = [each for each in self.ever(machines) if each.vm_id not in record.known and each.vm_id not in names]
        with self._lock:
            return [each for each in new if not self._memory.owner(each.vm_id)[0]]

    def _is_forgotten(self, vm_id: str) -> bool:
        """Return whether a named machine is definitely gone. This is the case if it was seen to disappear, or if it
        has not appeared although the list has been read for longer than the list lag.
        """
        with self._lock:
            if self._memory.knows(vm_id):
                return self._memory.is_gone(vm_id)
            return self._first_read is not None and self._first_read + LIST_LAG_SECONDS < self._running()

    def look(self) -> list[Machine]:
        return [] if self.is_empty else super().look()

    def told(self, machines: Iterable[Machine]) -> list[Instance]:
        """Convert machines for the daemon, leaving out those that an open launch has yet to name."""
        machines, assigned = list(machines), self.assigned
        if assigned.open and self.may_be_made(assigned.open[1]):
            secret = {machine.vm_id for machine in self.unnamed(machines, assigned.open[1])}
            machines = [machine for machine in machines if machine.vm_id not in secret]
        return super().told(machines)

    def _owners(self) -> Callable[[Machine], tuple[str, str]]:
        """Return a function that maps a machine to its launch token and node name, as recorded in the blob.

        For a machine that seemed gone and was removed from the blob, the function returns the values last reported to
        the daemon.
        """
        owners = self.assigned.owners
        return lambda machine: owners.get(machine.vm_id) or self._memory.owner(machine.vm_id)

    def made_by(self, token: str) -> list[Instance]:
        """Return the machines that a launch created, as listed by Azure. The result is empty if the launch is not
        recorded in the assignment blob.
        """
        if token not in self.assigned.launches:
            return []
        return [each for each in self.told(self.read()) if each.token == token]

    def made(self, record: LaunchRecord) -> list[Instance]:
        """Return the machines of a launch in the order of its nodes, including those that are gone.

        Raise OSError if a machine is neither listed nor known to be gone. The result must include every machine that
        costs money.
        """
        machines = {machine.vm_id: machine for machine in self.machines()}
        with self._lock:
            known = {vm_id: machines.get(vm_id) or self._memory.machine(vm_id) for vm_id in record.made}
            unclear = [vm_id for vm_id, machine in known.items() if not machine and not self._is_forgotten(vm_id)]
        if unclear:
            raise OSError(f"{self.scale_set.name}: Azure does not list {', '.join(unclear)} yet")
        return self.told(machine for machine in known.values() if machine)

    def end(self, wanted: Mapping[str, str]) -> Mapping[str, Exception]:
        """Delete machines; see `Listing.end`.

        While a launch is open, the list is read first, to find out which machine has which id.
        """
        if self.assigned.open:
            self.read()
        return super().end(wanted)

    def delete_each(self, machines: Iterable[Machine]) -> tuple[Collection[str], Mapping[str, Exception]]:
        """Delete these machines in one request.

        If the request fails because of an unknown machine, it is sent again without that machine.

        The capacity is not lowered, because Azure would then choose which machines to delete.
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
        if self._arm.pace.delay(bucket) > MAX_DELETION_WAIT_SECONDS:
            raise ThrottledError(
                f"the rate limit for deletions in {name} has been reached; a later cycle will delete these machines"
            )
        document = {"instanceIds": [machine.instance for machine in ends]}
        self._delete_by_force("POST", f"{self.scale_set.id}/delete", document, bucket)
        self._ended(ends)
