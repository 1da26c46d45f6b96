import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from hpc_components.elastic.drivers.azure.arm import INSTANCES, SETS, Arm
from hpc_components.elastic.drivers.azure.errors import ArmError, meaning_of
from hpc_components.elastic.drivers.azure.limits import LIMITS
from hpc_components.elastic.drivers.azure.machines import Machine, machine_id
from hpc_components.elastic.drivers.azure.memory import LIST_LAG_SECONDS, Memory
from hpc_components.elastic.model import Instance, InstanceState, Pool

MAX_LOOKUPS = 20
"""Maximum number of machines that are looked up individually after a list."""
MAX_STALE_SECONDS = 20.0
"""Maximum age, in seconds, of a list that is used while no new list may be requested."""
FRESH_SECONDS = 10.0
"""Maximum age, in seconds, of a list that changes are based on."""
USUAL_LAG_SECONDS = 10.0
"""Usual delay, in seconds, before a list shows a change."""
BY_FORCE: Mapping[str, str] = {"forceDeletion": "true"}
"""Query parameter that makes Azure delete a machine even if the machine hangs. No work is lost, because Slurm no
longer runs anything on the machine. Source: REST API reference, Virtual Machine Scale Sets - Delete Instances,
Virtual Machines - Delete. If forced deletion is not allowed, Azure returns OperationNotAllowed
(kubernetes/autoscaler, cloudprovider/azure, `isOperationNotAllowed`)."""


class Listing(ABC):
    """Tracks the machines of a scale set or availability set. Thread-safe.

    `running` is a monotonic clock that returns seconds.
    """

    def __init__(self, name: str, pool: Pool, arm: Arm, running: Callable[[], float]) -> None:
        self.name = name
        self.pool = pool
        self._arm, self._running = arm, running
        self._memory = Memory()
        self._lock = threading.RLock()
        self._list: tuple[float, list[Machine]] | None = None
        self._first_read: float | None = None
        self._looked_up: dict[str, float] = {}
        self._by_force = BY_FORCE

    @property
    @abstractmethod
    def spot(self) -> bool:
        """Whether Azure may reclaim the machines."""

    @abstractmethod
    def _read_all(self) -> list[Machine]:
        """Return the machines that Azure lists."""

    @abstractmethod
    def _read_one(self, instance: str) -> Machine | None:
        """Return the machine that currently has this id within the group, or None if no machine has it."""

    @abstractmethod
    def _owners(self) -> Callable[[Machine], tuple[str, str]]:
        """Return a function that maps a machine to its launch token and node name, which are empty if unknown."""

    @abstractmethod
    def delete_each(self, machines: Iterable[Machine]) -> tuple[Collection[str], Mapping[str, Exception]]:
        """Delete machines, and report each failure.

        Return the vmIds that Azure currently can't find, and an error for each vmId that was not deleted. Raise
        LaunchError, ArmError or OSError if no machine was deleted, or if it is unknown which ones were.
        """

    def delete(self, machines: Iterable[Machine]) -> Collection[str]:
        """Delete machines.

        Return the vmIds that Azure currently can't find. Raise LaunchError, ArmError or OSError if any other machine
        was not deleted.
        """
        unknown, failures = self.delete_each(machines)
        for error in failures.values():
            raise error
        return unknown

    def read(self) -> list[Machine]:
        """Request a new list of the machines and record it."""
        began = self._running()
        self._arm.pace.take(SETS)
        machines = self._read_all()
        with self._lock:
            self._memory.see(machines, began)
            lost = self._memory.compare({machine.vm_id for machine in machines}, began, spot=self.spot)
            self._list = began, machines
            self._first_read = began if self._first_read is None else self._first_read
        self._look_for(lost)
        return machines

    def machines(self, age: float = FRESH_SECONDS) -> list[Machine]:
        """Return the machines from a list that is at most `age` seconds old and newer than the last change."""
        with self._lock:
            if self._list is not None and self._list[0] + age >= self._running():
                return self._list[1]
        return self.read()

    def look(self) -> list[Machine]:
        """Return the current machines, or slightly older data if Azure has been called too often."""
        may_read = not (self._arm.pace.delay(f"{INSTANCES}:{self.name}") or self._arm.pace.delay(SETS))
        return self.read() if may_read else self.machines(MAX_STALE_SECONDS)

    def changed(self) -> None:
        """Mark the last list as outdated."""
        with self._lock:
            self._list = None

    def ever(self, machines: Iterable[Machine]) -> list[Machine]:
        """Return these machines, plus earlier machines that have a host and are not known to be gone.

        An earlier machine without a host is gone if it is no longer listed.
        """
        listed = {machine.vm_id: machine for machine in machines}
        with self._lock:
            return list(({each.vm_id: each for each in self._memory.present if each.ready} | listed).values())

    def told(self, machines: Iterable[Machine]) -> list[Instance]:
        """Convert machines into instances for the daemon, and remember what was reported."""
        owner = self._owners()
        with self._lock:
            pairs = [(machine, self._instance(machine, *owner(machine))) for machine in machines]
            self._memory.tell(pairs)
        return [instance for _, instance in pairs]

    def gone(self) -> list[Instance]:
        with self._lock:
            return self._memory.gone

    def find(self, wanted: Mapping[str, str]) -> list[Instance]:
        """Return the machines with these ids. Unknown machines are left out.

        `wanted` maps each vmId to the id within the group.
        """
        with self._lock:
            gone = [vm_id for vm_id in wanted if self._memory.is_gone(vm_id)]
            found = [told for vm_id in gone if (told := self._memory.told(vm_id))]
        rest = {vm_id: instance for vm_id, instance in wanted.items() if vm_id not in gone}
        machines: list[Machine] = []
        if len(rest) > MAX_LOOKUPS:
            machines = [machine for machine in self.read() if machine.vm_id in rest]
            rest = {vm_id: rest[vm_id] for vm_id in rest.keys() - {machine.vm_id for machine in machines}}
        return [*found, *self.told([*machines, *self._looked_for(rest)])]

    @abstractmethod
    def made_by(self, token: str) -> list[Instance]:
        """Return the machines of a launch, as Azure lists them."""

    def _instance(self, machine: Machine, token: str, node: str) -> Instance:
        id = machine_id(self.name, machine)
        state = InstanceState.STOPPING if self._memory.is_ending(machine.vm_id) else machine.state
        if self._memory.is_gone(machine.vm_id):
            state = InstanceState.GONE
        return Instance(
            id=id,
            node=node or id,
            token=token,
            pool=self.pool,
            state=state,
            launched=machine.made,
            failing=machine.failing,
        )

    def _look_for(self, lost: Collection[Machine]) -> None:
        """Look up machines that are missing from a list, because a list sometimes omits an existing machine.

        If the lookups keep failing for long enough, the machine is considered gone.
        """
        now = self._running()
        with self._lock:
            asked = set(self._memory.to_ask(lost, now, MAX_LOOKUPS))
        wanted = {machine.vm_id: machine.instance for machine in lost if machine.vm_id in asked}
        self._looked_for(wanted)

    def _looked_for(self, wanted: Mapping[str, str]) -> list[Machine]:
        """Look up machines by id, and return those that exist.

        If there are too many, look up only those that were checked least recently.
        """
        found = []
        now = self._running()
        for vm_id in sorted(wanted, key=lambda vm_id: self._looked_up.get(vm_id, 0.0))[:MAX_LOOKUPS]:
            machine = self._read_one(wanted[vm_id])
            self._looked_up[vm_id] = now
            if machine is not None and machine.vm_id == vm_id:
                found.append(machine)
                continue
            with self._lock:
                if machine is None:
                    self._memory.miss(vm_id, now, taken=self.spot)
                else:  # a newer machine has reused the id
                    self._memory.go(vm_id, now, taken=self.spot)
        with self._lock:
            self._memory.see(found, now)
            self._looked_up = {vm_id: at for vm_id, at in self._looked_up.items() if at + LIST_LAG_SECONDS > now}
        return found

    def end(self, wanted: Mapping[str, str]) -> Mapping[str, Exception]:
        """Delete machines. Return an error for each vmId that was not deleted.

        `wanted` maps each vmId to the id within the group. A machine that Azure can't find is considered gone, unless
        it was created or seen so recently that Azure's response may be wrong.
        """
        ends = {machine.vm_id: machine for machine in self.machines() if machine.vm_id in wanted}
        with self._lock:
            lost = {id: wanted[id] for id in wanted.keys() - ends.keys() if not self._memory.is_gone(id)}
        ends |= {machine.vm_id: machine for machine in self._looked_for(lost)}
        unknown, failures = self.delete_each(ends.values())
        now = self._running()
        with self._lock:
            for id in unknown:
                self._memory.miss(id, now, taken=self.spot)
            unclear = {id for id in lost.keys() - ends.keys() | {*unknown} if not self._memory.is_gone(id)}
            early = sorted(id for id in unclear if self._memory.knows(id) or id not in self._looked_up)
        names = ", ".join(f"{self.name}/{wanted[id]}" for id in early)
        seen = f"created or last seen less than {LIMITS.list_lag_seconds} s ago"
        told = {id: meaning_of(error) for id, error in failures.items()}
        return {**told, **dict.fromkeys(early, OSError(f"Azure currently can't find machines {seen}: {names}"))}

    def _delete_by_force(self, method: str, place: str, document: Any, bucket: str) -> None:
        """Request forced deletion. If Azure refuses, use ordinary deletion from then on."""
        try:
            self._arm.change(method, place, document, bucket=bucket, **self._by_force)
        except ArmError as error:
            if not (self._by_force and error.not_allowed):
                raise
            self._by_force = {}
            self._arm.change(method, place, document, bucket=bucket)

    def _ended(self, machines: Iterable[Machine]) -> None:
        with self._lock:
            self._memory.end(machines, self._running())
        self.changed()
