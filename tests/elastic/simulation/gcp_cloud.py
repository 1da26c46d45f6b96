"""Google Cloud on the simulation's virtual clock: the emulated Compute Engine, with bad luck for each request."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

from elastic.drivers.fake_gce import FakeGce
from elastic.drivers.gce_shapes import FaultError, Template, Vm
from elastic.drivers.gcp_cluster import add_fleets
from elastic.simulation.fake_cloud import CloudFaults, Machine, new_machine
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Pool

MAX_LAG = 50.0
"""Seconds by which lists and requests under way are late at most: less than the driver promises."""
QUOTA_WORDS = "Quota 'CPUS' exceeded.  Limit: 4.0 in region us-z."
CHANGES = ("launch", "terminate")


class Gce(FakeGce):
    """Has as many machines as the cloud's pools."""

    def __init__(self, cloud: "GcpCloud") -> None:
        super().__init__(cloud.clock)
        self.cloud = cloud

    def room(self, template: Template, zone: str, wanted: int) -> tuple[int, tuple[str, str]]:
        cloud, pool = self.cloud, self.cloud.pool_of(template)
        there = sum(vm.template is template and vm.there(self.clock()) for vm in self.vms)
        room, fault = super().room(template, zone, wanted)
        if there + wanted > cloud.quota.get(pool, 1000):
            return max(0, cloud.quota[pool] - there), ("QUOTA_EXCEEDED", QUOTA_WORDS)
        return max(0, min(room, cloud.capacity[pool] - there)), fault


class GcpCloud:
    """What `FakeCloud` is to the simulation, but for the calls of a driver: requests come in by `send`."""

    def __init__(self, random: Random, blinks: Random, clock: Callable[[], float], capacity: dict[Pool, int]) -> None:
        self.random, self.clock, self.capacity = random, clock, capacity
        self.blinks = blinks
        """Draws which machines are unknown for a moment, without a say in what else happens."""
        self.faults = CloudFaults()
        self.silent: set[Pool] = set()
        self.failing: set[Pool] = set()
        self.quota: dict[Pool, int] = {}
        self.broken: set[Pool] = set()
        self.machines: dict[str, Machine] = {}
        self.alive: dict[str, Machine] = {}
        self.launched = 0
        self.deaths = 0
        self.on_launch: Callable[[Machine], None] = lambda machine: None
        self.on_end: Callable[[Machine], None] = lambda machine: None
        self.late: list[tuple[float, tuple[Any, ...]]] = []
        self.failed: set[bytes] = set()
        self.gce = Gce(self)
        add_fleets(self.gce, *capacity, cluster="sim", machines=random.choice((0, 2, 4)))
        self.gce.on_made, self.gce.on_ended = self._made, self._ended

    def pool_of(self, template: Template) -> Pool:
        return next(pool for pool in self.capacity if (pool.queue, pool.machine) == _names(template))

    def arrange(self) -> None:
        """How Google Cloud behaves in this schedule, where it does not say how it behaves."""
        gce, random = self.gce, self.random
        gce.random = random if random.random() < 0.7 else None
        gce.rolls_back = random.random() < 0.5
        gce.page = random.choice((2, 500))
        gce.operation_seconds, gce.boot_seconds = random.uniform(0, 20), random.uniform(0, 60)
        gce.stop_seconds = random.choice((0.0, 20.0, 80.0))
        gce.policy_seconds = random.choice((0.0, 3.0))

    # What a driver asks.

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """A request, and what may come between."""
        request = method, url, headers, body
        action = self.gce.purpose(method, url.removeprefix(self.gce.base), body)
        if action == "launch":
            pool = next(pool for pool in self.capacity if f"-{pool.queue}-{pool.machine}-".encode() in body)
            self._spoil(pool, request)
        if action in CHANGES:
            return self._change(action, request)
        faults = self.faults
        if self.random.random() < faults.away / 5:
            raise OSError("no route to host")
        lists = action in ("list", "list launch")
        self.gce.lag_seconds = self.random.uniform(0, MAX_LAG) if lists and self._by_chance(faults.stale) else 0.0
        if lists:
            self.gce.unknown = set()
        if lists and self.gce.live() and self._by_chance(faults.forgets):
            self.gce.forgotten = {self.random.choice(self.gce.live()).number}
            if self.blinks.random() < 0.5:  # nor is it known by its id until the next list
                self.gce.unknown = self.gce.forgotten
        answer = self._perform(request)
        self.gce.lag_seconds, self.gce.forgotten = 0.0, set()
        if "policy" in action and self._by_chance(faults.lost_after / 2):
            raise OSError("connection reset")
        return answer

    def _spoil(self, pool: Pool, request: tuple[Any, ...]) -> None:
        """What is the matter with a pool for long."""
        if pool in self.silent:
            if self.random.random() < 0.1:
                self.late.append((self.clock() + self.random.uniform(1, MAX_LAG), request))
            raise OSError("timed out")
        if pool in self.failing and request[3] not in self.failed:
            self.failed.add(request[3])
            raise OSError("HTTP 500 of a proxy")

    def _change(self, action: str, request: tuple[Any, ...]) -> Answer:
        faults, chance = self.faults, self.random.random()
        if (chance := chance - faults.throttled / 3) < 0:
            return _error(FaultError("rateLimitExceeded", "Slow down.", 403))
        if action == "launch" and (chance := chance - faults.refused) < 0:
            return _error(FaultError("forbidden", "No.", 403))
        if (chance := chance - faults.failed) < 0:
            if self.random.random() < 0.5:
                self._perform(request)
            return _error(FaultError("backendError", "Sorry.", 503))
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
        method, url, headers, body = request
        status, found, text = self.gce.send(method, url.removeprefix(self.gce.base), headers, body)
        return Answer(status=status, headers=found, body=text)

    def _by_chance(self, chance: float) -> bool:
        return bool(chance) and self.random.random() < chance

    # What happens.

    def step(self) -> None:
        """What was on its way arrives, and machines die."""
        now = self.clock()
        due = [request for at, request in self.late if at <= now]
        self.late = [(at, request) for at, request in self.late if at > now]
        for request in due:
            with suppress(FaultError):
                self._perform(request)
        for machine in list(self.alive.values()):
            if machine.dies is not None and machine.dies <= now:
                self.deaths += 1
                self.end(machine)

    def end(self, machine: Machine) -> None:
        """Google takes it back."""
        self.gce.preempt(self._vm(machine.id))

    def stop(self, machine: Machine) -> None:
        """It shuts itself down."""
        self._vm(machine.id).power = "TERMINATED"

    def _vm(self, number: str) -> Vm:
        return next(vm for vm in self.gce.vms if vm.number == number)

    def _made(self, vm: Vm) -> None:
        self.launched += 1
        pool = self.pool_of(vm.template)
        machine = new_machine(
            self.random, self.faults, id=vm.number, node=vm.name.removeprefix("sim-"), token=vm.labels["hpc_launch"],
            pool=pool, launched=self.clock(), dud=pool in self.broken,
        )  # fmt: skip
        self.machines[vm.number] = self.alive[vm.number] = machine
        self.on_launch(machine)

    def _ended(self, vm: Vm) -> None:
        machine = self.alive.get(vm.number)
        if machine is None:
            return
        if not vm.preempted:
            self.on_end(machine)
        machine.ended = self.clock()
        del self.alive[machine.id]


def _names(template: Template) -> tuple[str, str]:
    return template.labels["name"].removeprefix("sim-"), template.machine


def _error(error: FaultError) -> Answer:
    import json

    return Answer(status=error.status, headers={}, body=json.dumps(error.document()).encode())
