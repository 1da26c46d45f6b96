"""The machines and policies of the stand-in for Compute Engine. `fake_gce` is how they are asked.

They do what Google documents and what programs stumble over: operations that last, bulk inserts that make some of the
machines, in any order, or all of them to delete them again, names that are used again while a machine is being
deleted, policies that can't be deleted while a machine has them, lists that are behind. Tests turn the knobs.
"""

import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from .gce_shapes import NEVER, FaultError, Operation, Policy, Template, Vm

NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL = re.compile(r"[a-z0-9_-]{0,63}")
SHORT = "ZONE_RESOURCE_POOL_EXHAUSTED", "The zone does not have enough resources available to fulfill the request."
TOO_FEW = "VM_MIN_COUNT_NOT_REACHED", "Requested minimum count of VMs could not be created."


class FakeComputeEngine:
    """One project. All times are in seconds of `clock`."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.templates: dict[str, Template] = {}
        self.vms: list[Vm] = []
        self._by_name: dict[tuple[str, str], Vm] = {}
        self.policies: dict[tuple[str, str], Policy] = {}
        self.operations: dict[str, Operation] = {}
        self.mistakes: list[str] = []
        """What must never be asked for."""
        self.left: dict[tuple[str, str], int] = {}
        """Machines left by machine type and zone; what is not named here is endless."""
        self.operation_seconds = self.boot_seconds = self.stop_seconds = self.policy_seconds = 0.0
        self.lag_seconds = 0.0
        """By which lists are behind."""
        self.forgotten: set[str] = set()
        """Numbers of machines that lists lack."""
        self.unknown: set[str] = set()
        """Numbers of machines that nobody knows for a while, whether they are listed or asked for."""
        self.rolls_back = False
        """Whether too few machines are made, and deleted again when the operation ends; else none is."""
        self.replaces_labels = False
        """Whether the labels of a bulk insert replace the template's; else they are merged."""
        self.random: Random | None = None
        """Which of the machines are made if there are too few; without it, the first ones."""
        self.most_of_a_policy = 1500
        self.on_made: Callable[[Vm], None] = lambda vm: None
        self.on_ended: Callable[[Vm], None] = lambda vm: None
        self._requests: dict[str, str] = {}
        """Operations by the ids of requests."""
        self._serial = 7_000_000_000_000

    def live(self) -> list[Vm]:
        """Machines that cost money."""
        now = self.clock()
        return [vm for vm in self.vms if vm.alive(now)]

    def preempt(self, vm: Vm) -> None:
        """Google takes a machine back."""
        vm.preempted = True
        self._end(vm, self.clock())

    def policies_there(self) -> list[str]:
        """Names of the policies."""
        now = self.clock()
        return sorted(name for (_, name), policy in self.policies.items() if policy.gone > now)

    # What is asked.

    def insert(self, zone: str, request: str, body: Mapping[str, Any]) -> Operation:
        """A bulk insert. What becomes of it is decided at once, and told when the operation has ended."""
        if known := self._requests.get(request):
            return self.operations[known]
        now, count, least = self.clock(), int(body["count"]), int(body.get("minCount", body["count"]))
        template = self.templates.get(body["sourceInstanceTemplate"])
        names, more = list(body["perInstanceProperties"]), body["instanceProperties"]
        if template is None:
            raise FaultError("notFound", f"The resource '{body['sourceInstanceTemplate']}' was not found", 404)
        policies = self._check(zone, now, names, count, least, more)
        operation = self._operation("bulkInsert", zone, request=request, group=f"g-{self._serial}")
        free = [name for name in names if not self._taken(zone, name)]
        room, fault = self.room(template, zone, len(free))
        made = set(self._choose(free, room))
        if len(made) < least:
            operation.errors = [TOO_FEW]
        elif len(made) < count:
            operation.errors = [fault if set(free) - made else ("RESOURCE_ALREADY_EXISTS", "It is there.")]
        for name in names:
            child = self._operation("insert", zone, group=operation.group, target=name)
            if name not in made:
                taken = ("RESOURCE_ALREADY_EXISTS", f"The resource '{name}' already exists")
                child.errors = [fault if name in free else taken]
            elif len(made) >= least or self.rolls_back:
                labels = {**({} if self.replaces_labels else template.labels), **more["labels"]}
                vm = self._make(name, zone, template, labels, policies, now)
                child.number = vm.number
                if len(made) < least:
                    self._end(vm, now + self.operation_seconds)
                else:
                    self.on_made(vm)
        return operation

    def _choose(self, names: list[str], room: int) -> list[str]:
        return self.random.sample(names, min(room, len(names))) if self.random else names[:room]

    def room(self, template: Template, zone: str, wanted: int) -> tuple[int, tuple[str, str]]:
        """For how many machines there is room, and why not for more."""
        key = template.machine, zone
        room = min(wanted, self.left.get(key, wanted))
        if key in self.left:
            self.left[key] -= room
        return room, SHORT

    def delete(self, zone: str, name: str, request: str) -> Operation:
        if known := self._requests.get(request):
            return self.operations[known]
        vm = self._known(zone, name)
        if vm is None:
            raise FaultError("notFound", f"The resource 'zones/{zone}/instances/{name}' was not found", 404)
        if vm.labels.get("keep"):
            words = f"Resource cannot be deleted if it's protected against deletion: {name}"
            raise FaultError("invalidResourceUsage", f"Invalid resource usage: '{words}'.", 412)
        self._end(vm, self.clock())
        return self._operation("delete", zone, target=name, number=vm.number, request=request)

    def show(self, zone: str, name: str) -> dict[str, Any]:
        vm = self._known(zone, name)
        if vm is None:
            raise FaultError("notFound", f"The resource 'zones/{zone}/instances/{name}' was not found", 404)
        return vm.document(self.clock())

    def listed(self, zone: str, labels: Mapping[str, str]) -> list[Callable[[], dict[str, Any]]]:
        """Each as what shows it."""
        at = self.clock() - self.lag_seconds
        return [
            partial(vm.document, at)
            for vm in self.vms
            if zone in ("", vm.zone)
            and vm.there(at)
            and labels.items() <= vm.labels.items()
            and vm.number not in self.forgotten | self.unknown
        ]

    def make_policy(self, region: str, body: Mapping[str, Any]) -> None:
        name, now = body["name"], self.clock()
        if not NAME.fullmatch(name):
            raise FaultError("invalid", f"Invalid value for field 'resource.name': '{name}'")
        if (old := self.policies.get((region, name))) and old.gone > now:
            raise FaultError("alreadyExists", f"The resource '{name}' already exists", 409)
        group = body["groupPlacementPolicy"]
        self.policies[region, name] = Policy(name, body["description"], group, now + self.policy_seconds)

    def delete_policy(self, region: str, name: str) -> None:
        now = self.clock()
        policy = self.policies.get((region, name))
        if policy is None or policy.gone <= now:
            raise FaultError("notFound", f"The resource '{name}' was not found", 404)
        if any(each.endswith(f"/{name}") for vm in self.vms if vm.gone > now for each in vm.policies):
            words = f"The resource_policy resource '{name}' is already being used by 'instances'"
            raise FaultError("resourceInUseByAnotherResource", words)
        policy.gone = now + self.policy_seconds

    def list_policies(self, region: str, prefix: str) -> list[dict[str, Any]]:
        now = self.clock()
        return [
            policy.document(now)
            for (where, name), policy in self.policies.items()
            if where == region and name.startswith(prefix) and policy.gone > now
        ]

    # How it is.

    def _check(self, zone: str, now: float, names: list[str], count: int, least: int, more: Any) -> list[str]:
        if count != len(names) or not 1 <= least <= count:
            raise FaultError("invalid", f"{count} machines, {least} at least, {len(names)} names")
        if bad := [name for name in names if not NAME.fullmatch(name)]:
            raise FaultError("invalid", f"Invalid value for field 'name': '{bad[0]}'")
        if bad := [value for value in more["labels"].values() if not LABEL.fullmatch(value)]:
            raise FaultError("invalid", f"Invalid value for field 'labels': '{bad[0]}'")
        policies = more.get("resourcePolicies", [])
        for each in policies:
            region, name = each.split("/")[-3], each.split("/")[-1]
            policy = self.policies.get((region, name))
            if policy is None or policy.gone != NEVER or policy.ready > now:
                raise FaultError("notFound", f"The resource '{each}' of resourcePolicies was not found", 404)
            there = sum(vm.there(now) and each in vm.policies for vm in self.vms)
            new = sum(not self._taken(zone, each) for each in names)
            if there + new > self.most_of_a_policy:
                self.mistakes.append(f"{there} + {new} machines in policy {name}")
        return policies

    def _make(
        self, name: str, zone: str, template: Template, labels: dict[str, str], policies: list[str], now: float
    ) -> Vm:
        self._serial += 1
        booted = now + self.boot_seconds
        vm = Vm(name, str(self._serial), zone, template, labels, policies, now, booted)
        self.vms.append(vm)
        self._by_name[zone, name] = vm
        return vm

    def _end(self, vm: Vm, at: float) -> None:
        if vm.ended > at:
            vm.ended, vm.gone = at, at + self.stop_seconds
            self.on_ended(vm)

    def _named(self, zone: str, name: str) -> Vm | None:
        vm = self._by_name.get((zone, name))
        return vm if vm and vm.there(self.clock()) else None

    def _known(self, zone: str, name: str) -> Vm | None:
        """As `_named`, unless nobody knows it yet, or for a while."""
        vm = self._named(zone, name)
        late = vm is None or vm.made + self.lag_seconds > self.clock() or vm.number in self.unknown
        return None if late else vm

    def _taken(self, zone: str, name: str) -> bool:
        return self._named(zone, name) is not None

    def _operation(self, kind: str, zone: str, **more: Any) -> Operation:
        self._serial += 1
        done = self.clock() + (0.0 if kind == "delete" else self.operation_seconds)
        operation = Operation(f"operation-{self._serial}", kind, zone, done, **more)
        self.operations[operation.name] = operation
        if operation.request:
            self._requests[operation.request] = operation.name
        return operation
