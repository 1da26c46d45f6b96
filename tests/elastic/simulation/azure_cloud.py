"""Azure on the simulation's virtual clock: the emulated Resource Manager, with bad luck for each request."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

from elastic.drivers.arm_shapes import AzureError, ScaleSet, Vm, tags_of
from elastic.drivers.fake_arm import CONFIG, FakeArm
from elastic.simulation.fake_cloud import CloudFaults, Machine, new_machine
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Pool

MAX_LAG = 50.0
"""Seconds by which lists and requests under way are late at most: less than the driver promises."""
QUOTA_WORDS = (
    "Operation could not be completed as it results in exceeding approved Total Regional Cores quota. Additional "
    "details - Deployment Model: Resource Manager, Location: eastus, Current Limit: 4, Current Usage: 4, Additional "
    "Required: 2, (Minimum) New Limit Required: 6."
)
LAUNCHES = ("scale", "deploy")
CHANGES = (*LAUNCHES, "delete", "delete machine")


class Arm(FakeArm):
    """Has as many hosts as the cloud's pools."""

    def __init__(self, cloud: "AzureCloud") -> None:
        super().__init__(cloud.clock)
        self.cloud = cloud

    def room(self, scale_set: ScaleSet, wanted: int) -> tuple[int, AzureError]:
        cloud, pool = self.cloud, self.cloud.pools[scale_set.name]
        there = sum(vm.fails == float("inf") and vm.ended is None and not vm.evicted for vm in scale_set.vms)
        if there + wanted > cloud.quota.get(pool, 1000):
            raise AzureError("OperationNotAllowed", QUOTA_WORDS, 409)
        hosts, fault = super().room(scale_set, wanted)
        return max(0, min(hosts, cloud.capacity[pool] - there)), fault


class AzureCloud:
    """What `FakeCloud` is to the simulation, but for the calls of a driver: requests come in by `send`."""

    def __init__(
        self,
        random: Random,
        blinks: Random,
        clock: Callable[[], float],
        capacity: dict[Pool, int],
        *,
        named: bool = False,
    ) -> None:
        self.random, self.clock, self.capacity = random, clock, capacity
        self.blinks = blinks
        """Draws which machines are unknown for a moment, without a say in what else happens."""
        self.named = named
        """Whether machines are in availability sets."""
        self.faults = CloudFaults()
        self.silent: set[Pool] = set()
        self.failing: set[Pool] = set()
        self.quota: dict[Pool, int] = {}
        self.broken: set[Pool] = set()
        self.machines: dict[str, Machine] = {}
        self.alive: dict[str, Machine] = {}
        """Those that have names; a machine without one starts no slurmd."""
        self.launched = 0
        self.deaths = 0
        self.on_launch: Callable[[Machine], None] = lambda machine: None
        self.on_end: Callable[[Machine], None] = lambda machine: None
        self.late: list[tuple[float, tuple[Any, ...]]] = []
        self.failed: set[tuple[str, bytes]] = set()
        self.arm = Arm(self)
        self.pools = {f"sim-{pool.queue}-{pool.machine}": pool for pool in capacity}
        for name, pool in self.pools.items():
            tags = tags_of("sim", pool.queue, pool.machine, pool.zone, pool.purchase, CONFIG)
            if named:
                self.arm.add_set(name, pool.machine, "", {**tags, "hpc:template": "t"}, named=True)
            else:
                self.arm.add_set(name, pool.machine, pool.zone, tags, spot=True, flexible=random.random() < 0.5)
        self.arm.on_names = self._named
        self.arm.on_ended = self._ended

    def arrange(self) -> None:
        """How Azure behaves in this schedule, where it does not say how it behaves."""
        arm, random = self.arm, self.random
        arm.throttled = True
        arm.one_at_a_time = random.random() < 0.5
        arm.keeps_failed = random.random() < 0.7
        arm.counts_late = random.random() < 0.3
        arm.forgets_capacity = random.choice((0, 0, 7))
        arm.says_where = random.choice(("azure-asyncoperation", "azure-asyncoperation", "location", "nowhere"))
        arm.page = random.choice((2, 1000))
        arm.host_seconds, arm.boot_seconds = random.uniform(0, 20), random.uniform(0, 60)
        arm.stop_seconds = random.choice((0.0, 20.0))

    # What a driver asks.

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """A request, and what may come between."""
        action, names = self.arm.action(method, url.removeprefix(self.arm.base).partition("?")[0])
        request = method, url, headers, body
        if action in LAUNCHES:
            self._spoil(self.pools[self._set_of(names[0], body)], request)
        if action in CHANGES:
            return self._change(action, request)
        faults = self.faults
        if self.random.random() < (faults.lost_before / 5 if action == "write blob" else faults.away / 5):
            raise OSError("no route to host")
        lists = action.startswith("list ")
        self.arm.lag_seconds = self.random.uniform(0, MAX_LAG) if lists and self._by_chance(faults.stale) else 0.0
        if lists:
            self.arm.unknown = set()
        if lists and self.arm.live() and self._by_chance(faults.forgets):
            self.arm.forgotten = {self.random.choice(self.arm.live()).vm_id}
            if self.blinks.random() < 0.5:  # nor is it known by its id until the next list
                self.arm.unknown = self.arm.forgotten
        answer = self._perform(request)
        self.arm.lag_seconds, self.arm.forgotten = 0.0, set()
        if action == "write blob" and self._by_chance(faults.lost_after / 5):
            raise OSError("connection reset")
        return answer

    def _set_of(self, name: str, body: bytes) -> str:
        """The scale set that a launch is for; of a deployment, the availability set."""
        if not self.named:
            return name
        return json.loads(body)["properties"]["parameters"]["availabilitySet"]["value"].rpartition("/")[2]

    def _spoil(self, pool: Pool, request: tuple[Any, ...]) -> None:
        """What is the matter with a pool for long."""
        if pool in self.silent:
            if self.random.random() < 0.1:
                self.late.append((self.clock() + self.random.uniform(1, MAX_LAG), request))
            raise OSError("timed out")
        if pool in self.failing and (key := (request[1], request[3])) not in self.failed:
            self.failed.add(key)
            raise OSError("HTTP 500 of a proxy")

    def _change(self, action: str, request: tuple[Any, ...]) -> Answer:
        faults, chance = self.faults, self.random.random()
        if (chance := chance - faults.throttled / 3) < 0:
            return _error(AzureError("TooManyRequests", "Slow down.", 429, seconds=self.random.choice((0, 10))))
        if action in LAUNCHES and (chance := chance - faults.refused) < 0:
            return _error(AzureError("AuthorizationFailed", "No.", 403))
        if (chance := chance - faults.failed) < 0:
            if self.random.random() < 0.5:
                self._perform(request)
            return _error(AzureError("InternalServerError", "Sorry.", 500))
        if (chance := chance - faults.lost_before) < 0:
            raise OSError("timed out")
        if (chance := chance - faults.late) < 0:
            self.late.append((self.clock() + self.random.uniform(1, MAX_LAG), request))
            raise OSError("timed out")
        answer = self._perform(request)
        if chance - faults.lost_after < 0:
            raise OSError("connection reset")
        return answer

    def _perform(self, request: tuple[Any, ...]) -> Answer:
        status, headers, body = self.arm.send(*request)
        return Answer(status=status, headers=headers, body=body)

    def _by_chance(self, chance: float) -> bool:
        return bool(chance) and self.random.random() < chance

    # What happens.

    def step(self) -> None:
        """What was on its way arrives, and machines die."""
        now = self.clock()
        due = [request for at, request in self.late if at <= now]
        self.late = [(at, request) for at, request in self.late if at > now]
        for request in due:
            with suppress(AzureError):
                self._perform(request)
        if self.named:
            for name, group in self.arm.sets.items():
                self._named(name, {vm.vm_id: vm.tags["hpc:node"] for vm in group.vms})
        for machine in list(self.alive.values()):
            if machine.dies is not None and machine.dies <= now:
                self.deaths += 1
                self.end(machine)

    def end(self, machine: Machine) -> None:
        """Azure takes it back."""
        scale_set, vm = self._vm(machine.id)
        self.arm.evict(scale_set, vm)

    def stop(self, machine: Machine) -> None:
        """It shuts itself down."""
        self._vm(machine.id)[1].power = "stopped"

    def _vm(self, vm_id: str) -> tuple[ScaleSet, Vm]:
        return next((scale_set, vm) for scale_set, vm in self.arm.vms() if vm.vm_id == vm_id)

    def _named(self, name: str, names: Mapping[str, str]) -> None:
        """Machines learn their names, and start slurmd soon."""
        now = self.clock()
        for vm in self.arm.sets[name].vms:
            if vm.vm_id in names and vm.vm_id not in self.machines and vm.alive(now):
                self.launched += 1
                machine = new_machine(
                    self.random, self.faults, id=vm.vm_id, node=names[vm.vm_id], token="", pool=self.pools[name],
                    launched=now, dud=self.pools[name] in self.broken,
                )  # fmt: skip
                self.machines[vm.vm_id] = self.alive[vm.vm_id] = machine
                self.on_launch(machine)

    def _ended(self, scale_set: ScaleSet, vm: Vm) -> None:
        machine = self.alive.get(vm.vm_id)
        if machine is None:
            return
        if not vm.evicted:
            self.on_end(machine)
        machine.ended = self.clock()
        del self.alive[machine.id]


def _error(error: AzureError) -> Answer:
    retry = {"retry-after": str(error.seconds)} if error.seconds else {}
    return Answer(status=error.status, headers=retry, body=json.dumps(error.document()).encode())
