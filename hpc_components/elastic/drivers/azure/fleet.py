"""One scale set of a cluster: its machines, and which of them is which node."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping

from hpc_components.elastic.drivers.azure.arm import CHANGES, DELETIONS, INSTANCES, SETS, Arm, Container
from hpc_components.elastic.drivers.azure.assignment_blob import AssignmentBlob
from hpc_components.elastic.drivers.azure.assignments import Assignments, LaunchRecord
from hpc_components.elastic.drivers.azure.errors import ArmError
from hpc_components.elastic.drivers.azure.machines import Machine, machine_id, read_machine, read_machines
from hpc_components.elastic.drivers.azure.memory import SETTLING, Memory
from hpc_components.elastic.drivers.azure.scale_sets import ScaleSet, read_scale_set
from hpc_components.elastic.drivers.contract import ThrottledError
from hpc_components.elastic.model import Instance, InstanceState

__all__ = ["LATE", "Fleet"]

LOOKED_UP = 20
"""Most machines that are asked for one by one at a time."""
STALE = 20.0
"""Seconds for which a list is good enough if there may be no other one yet."""
YOUNG = 10.0
"""Seconds for which a list is good enough to change something by."""
PATIENCE = 1.0
"""Seconds that a deletion waits for its turn; after that the next cycle may ask, and for more machines at once."""
LATE = 10.0
"""Seconds by which a list is late as a rule."""
UNKNOWN_MACHINE = "is not an active Virtual Machine Scale Set VM"


class Fleet:
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
        self._arm, self._clock, self._running = arm, clock, running
        self._blob = AssignmentBlob(container, scale_set.name)
        self._memory = Memory()
        self._lock = threading.RLock()
        self._list: tuple[float, list[Machine]] | None = None
        self._first_read: float | None = None
        self._looked_up: dict[str, float] = {}

    # What is there.

    def refresh(self) -> ScaleSet:
        """Read the scale set itself."""
        self.show(read_scale_set(self._arm, self.scale_set.id))
        return self.scale_set

    def show(self, scale_set: ScaleSet) -> None:
        """The scale set is like this now."""
        self.scale_set, self.outdated = scale_set, False

    def read(self) -> list[Machine]:
        """List the machines."""
        began = self._running()
        self._arm.pace.take(SETS)
        machines = read_machines(self._arm, self.scale_set)
        with self._lock:
            self._memory.see(machines, began)
            lost = self._memory.compare({machine.vm_id for machine in machines}, began)
            self._list = began, machines
            self._first_read = began if self._first_read is None else self._first_read
        self._look_for(lost)
        return machines

    def machines(self, age: float = YOUNG) -> list[Machine]:
        """The machines as a list shows them that is no older than `age` seconds, nor than the last change."""
        with self._lock:
            if self._list is not None and self._list[0] + age >= self._running():
                return self._list[1]
        return self.read()

    def may_be_made(self, record: LaunchRecord) -> bool:
        """Whether the change for this launch may have been carried out."""
        return bool(record.operation) or not record.etag or self.scale_set.etag != record.etag

    def changed(self) -> None:
        """What was read before is out of date."""
        with self._lock:
            self._list, self.outdated = None, True

    @property
    def read_at(self) -> float:
        """When the machines were listed last; long ago if that is out of date."""
        return self._list[0] if self._list else float("-inf")

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
        """How many machines live, and how many are being deleted."""
        every = self.ever(machines)
        with self._lock:
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
        """Machines that were made since a launch was written down, and have no name yet."""
        names = self.assigned.names
        return [each for each in self.ever(machines) if each.vm_id not in record.known and each.vm_id not in names]

    def ever(self, machines: Iterable[Machine]) -> list[Machine]:
        """These machines, and those with a host that a list has omitted: they were listed, and did not go.

        One that was not given a host, and is not listed any more, has gone by itself.
        """
        listed = {machine.vm_id: machine for machine in machines}
        with self._lock:
            return list(({each.vm_id: each for each in self._memory.present if each.ready} | listed).values())

    def _is_forgotten(self, vm_id: str) -> bool:
        """Whether a machine with a name has surely gone: it did, or it was never listed while we were looking."""
        with self._lock:
            if self._memory.knows(vm_id):
                return self._memory.is_gone(vm_id)
            return self._first_read is not None and self._first_read + SETTLING < self._running()

    # What the daemon is told.

    def look(self) -> list[Machine]:
        """The machines now, or a moment ago if Azure was asked too often."""
        if self.is_empty:
            return []
        may_read = not (self._arm.pace.delay(f"{INSTANCES}:{self.scale_set.name}") or self._arm.pace.delay(SETS))
        return self.read() if may_read else self.machines(STALE)

    def told(self, machines: Iterable[Machine]) -> list[Instance]:
        """These machines as the daemon knows them, but for those that an open launch is still to give names to."""
        machines, assigned = list(machines), self.assigned
        if assigned.open and self.may_be_made(assigned.open[1]):
            secret = {machine.vm_id for machine in self.unnamed(machines, assigned.open[1])}
            machines = [machine for machine in machines if machine.vm_id not in secret]
        with self._lock:
            pairs = [(machine, self._instance(machine, assigned)) for machine in machines]
            self._memory.tell(pairs)
        return [instance for _, instance in pairs]

    def gone(self) -> list[Instance]:
        """Machines that went within an hour."""
        with self._lock:
            return self._memory.gone

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

    def find(self, wanted: Mapping[str, str]) -> list[Instance]:
        """Machines by their vmIds, each with its id in the scale set. Those that nobody knows are left out."""
        with self._lock:
            gone = [vm_id for vm_id in wanted if self._memory.is_gone(vm_id)]
            found = [told for vm_id in gone if (told := self._memory.told(vm_id))]
        rest = {vm_id: instance for vm_id, instance in wanted.items() if vm_id not in gone}
        machines: list[Machine] = []
        if len(rest) > LOOKED_UP:
            machines = [machine for machine in self.read() if machine.vm_id in rest]
            rest = {vm_id: rest[vm_id] for vm_id in rest.keys() - {machine.vm_id for machine in machines}}
        return [*found, *self.told([*machines, *self._looked_for(rest)])]

    def _instance(self, machine: Machine, assigned: Assignments) -> Instance:
        id = machine_id(self.scale_set.name, machine)
        state = InstanceState.STOPPING if self._memory.is_ending(machine.vm_id) else machine.state
        if self._memory.is_gone(machine.vm_id):
            state = InstanceState.GONE
        token, node = assigned.owners.get(machine.vm_id, ("", id))
        return Instance(
            id=id,
            node=node,
            token=token,
            pool=self.scale_set.pool,
            state=state,
            launched=machine.made,
            failing=machine.failing,
        )

    # One by one.

    def _look_for(self, lost: Collection[Machine]) -> None:
        """A list may omit a machine once. Only what Azure does not know by its id has gone."""
        now = self._running()
        wanted = {machine.vm_id: machine.instance for machine in lost}
        found = {machine.vm_id for machine in self._looked_for(wanted)}
        with self._lock:
            for vm_id in wanted.keys() - found:
                if self._looked_up.get(vm_id, 0.0) >= now:
                    self._memory.go(vm_id, now, taken=self.scale_set.spot)

    def _looked_for(self, wanted: Mapping[str, str]) -> list[Machine]:
        """Those that Azure knows by their ids; if there are many, those that were not asked for the longest."""
        found = []
        now = self._running()
        for vm_id in sorted(wanted, key=lambda vm_id: self._looked_up.get(vm_id, 0.0))[:LOOKED_UP]:
            machine = read_machine(self._arm, self.scale_set, wanted[vm_id])
            self._looked_up[vm_id] = now
            if machine is not None and machine.vm_id == vm_id:
                found.append(machine)
        with self._lock:
            self._memory.see(found, now)
            self._looked_up = {vm_id: at for vm_id, at in self._looked_up.items() if at + SETTLING > now}
        return found

    # What is ended.

    def end(self, wanted: Mapping[str, str]) -> Collection[str]:
        """Delete machines by their vmIds, each with its id in the scale set.

        Those of which nobody knows yet whether they are there; what else Azure does not know has gone.
        """
        try:
            return self._end(self.read() if self.assigned.open else self.machines(), wanted)
        except ArmError as error:
            if UNKNOWN_MACHINE not in str(error):
                raise
            return self._end(self.read(), wanted)  # one has gone since

    def _end(self, machines: Iterable[Machine], wanted: Mapping[str, str]) -> Collection[str]:
        ends = {machine.vm_id: machine for machine in machines if machine.vm_id in wanted}
        with self._lock:
            lost = {id: wanted[id] for id in wanted.keys() - ends.keys() if not self._memory.is_gone(id)}
        ends |= {machine.vm_id: machine for machine in self._looked_for(lost)}
        self.delete(ends.values())
        with self._lock:
            now = self._running()
            unclear = (id for id in lost if self._memory.is_young(id, now) or id not in self._looked_up)
            return [id for id in unclear if id not in ends]

    def delete(self, machines: Iterable[Machine]) -> None:
        """Delete these, in one request. Lowering the capacity would let Azure choose others."""
        ends = [machine for machine in machines if machine.provisioning != "deleting"]
        if not ends:
            return
        name, bucket = self.scale_set.name, f"{DELETIONS}:{self.scale_set.name}"
        if self._arm.pace.delay(bucket) > PATIENCE:
            raise ThrottledError(
                f"machines of {name} were deleted as often as Azure allows; a later cycle ends these"
            )
        ids = [machine.instance for machine in ends]
        self._arm.change("POST", f"{self.scale_set.id}/delete", {"instanceIds": ids}, bucket=bucket)
        with self._lock:
            self._memory.end(ends, self._running())
        self.changed()
