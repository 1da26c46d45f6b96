"""The scale sets of the stand-in for Azure, and what becomes of their machines. `fake_arm` is how they are asked.

They do what Azure documents and what programs stumble over: operations that last, throttling by scale set, too little
capacity for some of the machines, ids of machines that are used again, conflicts, ETags, lists that are behind, a
capacity that is shown as 0 for a moment or too late after a deletion. Tests turn the knobs.
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count, islice
from typing import Any

from .arm_shapes import (
    AzureError,
    Operation,
    ScaleSet,
    Vm,
    lags,
    shown_availability_set,
    shown_deployment,
    shown_set,
    shown_vm,
)

GROUP = "/subscriptions/s-1/resourceGroups/cfd-nodes"
COMPUTE = f"{GROUP}/providers/Microsoft.Compute"
SHORT = AzureError(
    "AllocationFailed", "Allocation failed. We do not have sufficient capacity for the requested VM size."
)
BUCKETS = {"scale": (12, 4), "delete": (12, 4), "machines": (30, 10), "operation": (45, 15), "set": (36, 12)}
"""Requests that a bucket holds, and those that it gets each minute, of each scale set or operation."""


class FakeCompute:
    """One resource group. All times are in seconds of `clock`."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.sets: dict[str, ScaleSet] = {}
        self.operations: dict[str, Operation] = {}
        self.deployments: dict[str, Operation] = {}
        self.mistakes: list[str] = []
        """What must never be asked for."""
        self.left: dict[tuple[str, str], int] = {}
        """Machines left by machine type and zone; what is not named here is endless."""
        self.host_seconds = self.boot_seconds = self.stop_seconds = 0.0
        """Until a machine has a host, until it has booted then, and until it has gone after it was deleted."""
        self.lag_seconds = 0.0
        """By which lists are behind."""
        self.forgotten: set[str] = set()
        """vmIds that lists lack."""
        self.unknown: set[str] = set()
        """vmIds that nobody knows for a while, whether they are listed or asked for."""
        self.throttled = False
        """Whether the documented limits are kept to."""
        self.one_at_a_time = False
        """Whether a scale set takes no change while it makes machines; else the later change preempts the former."""
        self.keeps_failed = True
        """Whether a machine without a host stays until it is deleted."""
        self.counts_late = False
        """Whether a deleted machine counts for the capacity until it has gone."""
        self.forgets_capacity = 0
        """Each so many times, a scale set is shown with the capacity 0."""
        self.on_made: Callable[[ScaleSet, Vm], None] = lambda scale_set, vm: None
        self.on_ended: Callable[[ScaleSet, Vm], None] = lambda scale_set, vm: None
        self._buckets: dict[tuple[str, str], tuple[int, float]] = {}
        self._serial = 0

    def add_set(self, name: str, machine: str, zone: str, tags: Mapping[str, str], **more: Any) -> ScaleSet:
        """Make a scale set."""
        kind = "availabilitySets" if more.get("named") else "virtualMachineScaleSets"
        id = f"{COMPUTE}/{kind}/{name}"
        made = self.sets[name] = ScaleSet(id, name, dict(tags), machine, zone, made=self.clock(), **more)
        made.history.append((0.0, made.capacity, made.changes))
        return made

    def vms(self) -> list[tuple[ScaleSet, Vm]]:
        """All machines that there ever were."""
        return [(scale_set, vm) for scale_set in self.sets.values() for vm in scale_set.vms]

    def live(self) -> list[Vm]:
        """Machines that cost money."""
        now = self.clock()
        return [vm for _, vm in self.vms() if vm.alive(now)]

    def evict(self, scale_set: ScaleSet, vm: Vm) -> None:
        """Azure takes a machine back."""
        vm.evicted = True
        self._change(scale_set, -1)
        self.on_ended(scale_set, vm)

    # What is asked.

    def list_sets(self) -> list[Callable[[], dict[str, Any]]]:
        """Each as what shows it."""
        self.settle()
        at = self.clock() - self.lag_seconds
        sets = (each for each in self.sets.values() if not each.named)
        return [partial(self._shown, each, *lags(each.history, at)) for each in sets]

    def list_availability_sets(self) -> list[Callable[[], dict[str, Any]]]:
        """Each as what shows it."""
        return [partial(shown_availability_set, each) for each in self.sets.values() if each.named]

    def show_set(self, name: str) -> dict[str, Any]:
        self.settle()
        self.spend("set", name)
        scale_set = self.set(name)
        return self._shown(scale_set, scale_set.capacity, scale_set.changes)

    def scale(self, name: str, capacity: int, etag: str | None) -> Operation:
        """PATCH of the capacity."""
        self.settle()
        scale_set, now = self.set(name), self.clock()
        self.spend("scale", name)
        if etag not in (None, scale_set.etag):
            raise AzureError("PreconditionFailed", "The ETag of the scale set is another one.", 412)
        if self.one_at_a_time and self.is_updating(scale_set):
            raise AzureError("AnotherOperationInProgress", "Another operation on this scale set is in progress.", 409)
        there = [vm for vm in scale_set.vms if vm.ended is None and self._is_there(vm)]
        if capacity < len(there):
            self.mistakes.append(f"{name}: the capacity is lowered from {len(there)} to {capacity}")
        for operation in self.operations.values():
            if operation.scale_set is scale_set and now < operation.ends():
                operation.preempted = True
        vms = self._new_vms(scale_set, capacity - len(there))
        hosts, fault = self.room(scale_set, len(vms))
        self._start(vms, hosts, fault)
        ending = sum(vm.ended is not None and self._is_there(vm) for vm in scale_set.vms) if self.counts_late else 0
        scale_set.vms += vms
        self._change(scale_set, capacity + ending - scale_set.capacity)
        for vm in vms:
            self.on_made(scale_set, vm)
        return Operation(scale_set, tuple(vms))

    def _start(self, vms: Sequence[Vm], hosts: int, fault: AzureError) -> None:
        """The first so many of the new machines get hosts."""
        now = self.clock()
        for vm in vms[:hosts]:
            vm.ready = now + self.host_seconds
            vm.booted = vm.ready + self.boot_seconds
        for vm in vms[hosts:]:
            vm.fails, vm.fault = now + self.host_seconds, fault

    def room(self, scale_set: ScaleSet, wanted: int) -> tuple[int, AzureError]:
        """How many hosts there are for so many machines, and why there are no more. AzureError: none is made."""
        key = scale_set.machine, scale_set.zone
        hosts = min(wanted, self.left.get(key, wanted))
        if key in self.left:
            self.left[key] -= hosts
        return hosts, SHORT

    def delete(self, name: str, instances: Sequence[str]) -> Operation:
        """POST of ids to delete."""
        self.settle()
        scale_set, now = self.set(name), self.clock()
        self.spend("delete", name)
        there = {vm.instance: vm for vm in scale_set.vms if self._is_known(vm)}
        for each in instances:
            if each not in there:
                words = f"The provided instanceId {each} is not an active Virtual Machine Scale Set VM instanceId."
                raise AzureError("InvalidParameter", words)
        fresh = [there[each] for each in instances if there[each].ended is None]
        for vm in fresh:
            vm.ended = now
            self.on_ended(scale_set, vm)
        self._change(scale_set, 0 if self.counts_late else -len(fresh))
        return Operation(scale_set)

    def deploy(self, name: str, properties: Mapping[str, Any]) -> Operation:
        """PUT of a deployment that makes machines of an availability set."""
        self.settle()
        values = {key: parameter["value"] for key, parameter in properties["parameters"].items()}
        group = self.set(values["availabilitySet"].rpartition("/")[2])
        if properties["templateLink"]["id"] != group.tags["hpc:template"] or properties["mode"] != "Incremental":
            self.mistakes.append(f"deployment {name} is of another template")
        if name in self.deployments and self.clock() < self.deployments[name].ends():
            raise AzureError("DeploymentActive", f"The deployment {name} is active.", 409)
        there = {vm.instance for _, vm in self.vms() if self._is_there(vm)}
        now, vms = self.clock(), []
        for machine in values["machines"]:
            if machine["name"] in there:
                continue  # it is as it should be
            self._serial += 1
            tags = {"hpc:node": machine["node"], "hpc:token": values["token"]}
            vms.append(Vm(str(uuid.UUID(int=self._serial)), machine["name"], now, tags=tags))
        hosts, fault = self.room(group, len(vms))
        self._start(vms, hosts, fault)
        group.vms += vms
        for vm in vms:
            self.on_made(group, vm)
        self.deployments[name] = Operation(group, tuple(vms))
        return self.deployments[name]

    def show_deployment(self, name: str) -> dict[str, Any]:
        """GET of a deployment."""
        if name not in self.deployments:
            raise AzureError("DeploymentNotFound", f"Deployment '{name}' could not be found.", 404)
        return shown_deployment(name, self.deployments[name], self.clock())

    def delete_machine(self, instance: str) -> Operation:
        """DELETE of a machine of an availability set."""
        self.settle()
        for group, vm in self.vms():
            if group.named and vm.instance == instance and self._is_known(vm):
                if vm.ended is None:
                    vm.ended = self.clock()
                    self.on_ended(group, vm)
                return Operation(group)
        raise AzureError("ResourceNotFound", f"The Resource virtualMachines/{instance} was not found.", 404)

    def list_machines(self, name: str) -> list[Callable[[], dict[str, Any]]]:
        """Each of a scale set as what shows it."""
        self.settle()
        scale_set, at = self.set(name), self.clock() - self.lag_seconds
        self.spend("machines", name)
        return [partial(shown_vm, scale_set, vm, at) for vm in self._listed(scale_set, at)]

    def list_virtual_machines(self) -> list[Callable[[], dict[str, Any]]]:
        """Each of the group that is no instance of a uniform scale set, as what shows it without its power state."""
        self.settle()
        at = self.clock() - self.lag_seconds
        sets = (each for each in self.sets.values() if each.named or each.flexible)
        return [partial(shown_vm, each, vm, at, view=False) for each in sets for vm in self._listed(each, at)]

    def _listed(self, scale_set: ScaleSet, at: float) -> list[Vm]:
        seen = (vm for vm in scale_set.vms if vm.made <= at and vm.vm_id not in self.forgotten | self.unknown)
        return [vm for vm in seen if self._is_there(vm)]

    def show_machine(self, instance: str, name: str = "") -> dict[str, Any]:
        """An instance of a scale set; without its name, a virtual machine."""
        self.settle()
        now = self.clock()
        for scale_set, vm in self.vms():
            ours = scale_set.name == name if name else scale_set.named or scale_set.flexible
            if ours and vm.instance == instance and self._is_known(vm) and vm.made + self.lag_seconds <= now:
                return shown_vm(scale_set, vm, now)
        raise AzureError("NotFound", f"The entity was not found: {instance}", 404)

    # What becomes of it.

    def set(self, name: str) -> ScaleSet:
        if name not in self.sets:
            raise AzureError("ResourceNotFound", f"The Resource virtualMachineScaleSets/{name} was not found.", 404)
        return self.sets[name]

    def is_updating(self, scale_set: ScaleSet) -> bool:
        now = self.clock()
        return any(vm.ended is None and not vm.evicted and now < min(vm.booted, vm.fails) for vm in scale_set.vms)

    def settle(self) -> None:
        """What was to happen until now has happened."""
        now = self.clock()
        for scale_set, vm in self.vms():
            if vm.settled:
                continue
            if vm.ended is not None and vm.ended + self.stop_seconds <= now:
                vm.settled = True
                self._change(scale_set, -1 if self.counts_late else 0)
            elif vm.evicted:
                vm.settled = True
            elif vm.fails <= now and not self.keeps_failed and vm.ended is None:
                vm.settled = vm.evicted = True
                self._change(scale_set, -1)

    def spend(self, kind: str, resource: str) -> None:
        """Take a token of a bucket; AzureError if there is none."""
        if not self.throttled:
            return
        most, more = BUCKETS[kind]
        minute = self.clock() // 60
        left, since = self._buckets.get((kind, resource), (most, minute))
        left = min(most, left + int(minute - since) * more)
        self._buckets[kind, resource] = max(left - 1, 0), minute
        if left < 1:
            raise AzureError("TooManyRequests", f"{kind} of {resource}: too many requests.", 429, seconds=10)

    def _is_there(self, vm: Vm) -> bool:
        return not vm.evicted and not (vm.ended is not None and vm.ended + self.stop_seconds <= self.clock())

    def _is_known(self, vm: Vm) -> bool:
        return self._is_there(vm) and vm.vm_id not in self.unknown

    def _change(self, scale_set: ScaleSet, more: int) -> None:
        if scale_set.named:
            return  # it has no capacity
        scale_set.capacity += more
        scale_set.changes += 1
        scale_set.history.append((self.clock(), scale_set.capacity, scale_set.changes))

    def _shown(self, scale_set: ScaleSet, capacity: int, changes: int) -> dict[str, Any]:
        scale_set.shown += 1
        if self.forgets_capacity and scale_set.shown % self.forgets_capacity == 0:
            capacity = 0
        return shown_set(scale_set, capacity, changes, updating=self.is_updating(scale_set))

    def _new_vms(self, scale_set: ScaleSet, wanted: int) -> list[Vm]:
        """Of a uniform scale set with the lowest ids that are free: the last machine's may have been the same."""
        used = {vm.instance for vm in scale_set.vms if self._is_there(vm)}
        first, self._serial = self._serial + 1, self._serial + max(0, wanted)
        if scale_set.flexible:
            ids = [f"{scale_set.name}_{number:08x}" for number in range(first, self._serial + 1)]
        else:
            ids = list(islice((str(number) for number in count() if str(number) not in used), max(0, wanted)))
        now = self.clock()
        return [Vm(str(uuid.UUID(int=number)), id, now) for number, id in enumerate(ids, start=first)]
