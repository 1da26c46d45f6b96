"""A cloud on a virtual clock: capacity that changes, throttling, answers that are lost, late or failures, slow calls,
a list that lags and forgets.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, InstanceState, Launch, Pool

MAX_LAG = 110.0
"""Seconds by which the list and a request under way are late at most: less than what is promised of clouds."""
FAILURE = FailedError("InternalError")
"""HTTP 500."""
REMEMBERED = 3600.0
"""Seconds for which a machine that has ended is listed."""


@dataclass
class Machine:
    id: str
    node: str
    token: str
    pool: Pool
    launched: float
    boots: float | None
    """When its slurmd starts; None: never."""
    dies: float | None = None
    """When it ends by itself."""
    ended: float | None = None
    failing: str = ""
    mute: bool = False
    """Its slurmd hangs."""
    small: bool = False
    """It has less than Slurm was told of."""
    hidden: bool = False
    """Somebody changed its tags: it is not listed, and nobody can know of it."""
    shown: dict[str, Instance] = field(default_factory=dict)

    def as_listed(self, at: float) -> Instance:
        state = (
            "gone"
            if self.ended is not None and self.ended <= at
            else "running"
            if at - self.launched > 5
            else "pending"
        )
        key = state + self.failing
        if key not in self.shown:
            self.shown[key] = Instance(
                id=self.id,
                node=self.node,
                token=self.token,
                pool=self.pool,
                state=InstanceState(state),
                launched=self.launched,
                failing=self.failing,
            )
        return self.shown[key]


@dataclass
class CloudFaults:
    """Probabilities of a call's going wrong."""

    throttled: float = 0.0
    refused: float = 0.0
    failed: float = 0.0
    """Answered with HTTP 500, whether it is carried out or not."""
    lost_before: float = 0.0
    lost_after: float = 0.0
    late: float = 0.0
    slow: float = 0.0
    stale: float = 0.0
    forgets: float = 0.0
    """A machine is missing from one list, however old it is."""
    away: float = 0.0
    never_boots: float = 0.0
    slow_boots: float = 0.0
    dies: float = 0.0
    small: float = 0.0


class FakeCloud:
    """The driver's other end. `on_change` is called after every change, to look for what must never be."""

    limits = Limits(list_lag_seconds=120, launch_size=1000, tag_length=256, spot_notice_seconds=120)

    def __init__(self, random: Random, clock: Callable[[], float], capacity: dict[Pool, int]) -> None:
        self.random = random
        self.clock = clock
        self.capacity = capacity
        self.faults = CloudFaults()
        self.silent: set[Pool] = set()
        """No call about these is answered."""
        self.failing: set[Pool] = set()
        """The first call of each launch from these is answered with HTTP 500."""
        self.quota: dict[Pool, int] = {}
        self.broken: set[Pool] = set()
        """Machines of these never boot."""
        self.machines: dict[str, Machine] = {}
        self.alive: dict[str, Machine] = {}
        self.late: list[tuple[float, Launch]] = []
        self.failed: set[str] = set()
        """Tokens of launches that were answered with HTTP 500 for `failing`."""
        self.once_hidden: set[str] = set()
        """Ids of machines whose tags somebody changed once."""
        self.launched = 0
        self.deaths = 0
        self.on_launch: Callable[[Machine], None] = lambda machine: None
        self.on_end: Callable[[Machine], None] = lambda machine: None
        self._by_token: dict[str, list[Machine]] = {}

    # What the daemon calls.

    def launch(self, launch: Launch) -> Sequence[Instance]:
        if launch.pool in self.failing and launch.token not in self.failed:
            self.failed.add(launch.token)
            raise FAILURE
        if launch.pool in self.silent:
            if self.random.random() < 0.1:
                self.late.append((self.clock() + self.random.uniform(1, MAX_LAG), launch))
            raise OSError("InternalError")
        chance = self.random.random()
        faults = self.faults
        if (chance := chance - faults.throttled) < 0:
            raise ThrottledError("RequestLimitExceeded")
        if (chance := chance - faults.refused) < 0:
            raise RefusedError("VcpuLimitExceeded")
        if (chance := chance - faults.failed) < 0:
            if self.random.random() < 0.5:
                with suppress(CapacityError, QuotaError):
                    self._perform(launch)
            raise FAILURE
        if (chance := chance - faults.lost_before) < 0:
            raise OSError("timed out")
        if (chance := chance - faults.late) < 0:
            self.late.append((self.clock() + self.random.uniform(1, MAX_LAG), launch))
            raise OSError("timed out")
        machines = self._perform(launch)
        if chance - faults.lost_after < 0:
            raise OSError("connection reset")
        now = self.clock()
        return [machine.as_listed(now) for machine in machines]

    def terminate(self, ids: Collection[str]) -> None:
        chance = self.random.random()
        if (chance := chance - self.faults.throttled) < 0:
            raise ThrottledError("RequestLimitExceeded")
        if (chance := chance - self.faults.lost_before) < 0:
            raise OSError("timed out")
        for id in ids:
            machine = self.alive.get(id)
            if machine:
                self.on_end(machine)
                self.end(machine)
        if chance - self.faults.lost_after < 0:
            raise OSError("connection reset")

    def list(self) -> Sequence[Instance]:
        chance = self.random.random()
        if (chance := chance - self.faults.away) < 0:
            raise OSError("no route to host")
        now = self.clock()
        at = now - self.random.uniform(0, MAX_LAG) if chance - self.faults.stale < 0 else now
        for id in [id for id, machine in self.machines.items() if machine.ended is not None]:
            if self.machines[id].ended + REMEMBERED + MAX_LAG < now:
                del self.machines[id]
        listed = [machine for machine in self.machines.values() if machine.launched <= at and not machine.hidden]
        if listed and self.faults.forgets and self.random.random() < self.faults.forgets:
            listed.remove(self.random.choice(listed))
        return [machine.as_listed(at) for machine in listed]

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        now = self.clock()
        if self.random.random() < self.faults.away:
            raise OSError("no route to host")
        at = now - self.random.uniform(0, MAX_LAG) if self.random.random() < self.faults.stale else now
        known = [self.machines[id] for id in ids if id in self.machines]
        known += [machine for token in tokens for machine in self._by_token.get(token, ())]
        return [machine.as_listed(at) for machine in known if machine.launched <= at and not machine.hidden]

    # What happens.

    def step(self) -> None:
        """What was on its way arrives, and machines die."""
        now = self.clock()
        if self.late:
            due = [launch for at, launch in self.late if at <= now]
            self.late = [(at, launch) for at, launch in self.late if at > now]
            for launch in due:
                with suppress(CapacityError, QuotaError):
                    self._perform(launch)
        for machine in list(self.alive.values()):
            if machine.dies is not None and machine.dies <= now:
                self.deaths += 1
                self.end(machine)

    def end(self, machine: Machine) -> None:
        machine.ended = self.clock()
        del self.alive[machine.id]

    def _perform(self, launch: Launch) -> Sequence[Machine]:
        if launch.token in self._by_token:
            return self._by_token[launch.token]
        used = sum(machine.pool == launch.pool for machine in self.alive.values())
        if used + len(launch.nodes) > self.quota.get(launch.pool, 1000):
            raise QuotaError("VcpuLimitExceeded")
        count = min(self.capacity[launch.pool] - used, len(launch.nodes))
        if count < launch.minimum:
            raise CapacityError("InsufficientInstanceCapacity")
        machines = [self._start(node, launch) for node in launch.nodes[:count]]
        self._by_token[launch.token] = machines
        return machines

    def _start(self, node: str, launch: Launch) -> Machine:
        self.launched += 1
        machine = new_machine(
            self.random, self.faults, id=f"i-{self.launched}", node=node, token=launch.token, pool=launch.pool,
            launched=self.clock(), dud=launch.pool in self.broken,
        )  # fmt: skip
        self.machines[machine.id] = self.alive[machine.id] = machine
        self.on_launch(machine)
        return machine


def new_machine(random: Random, faults: CloudFaults, *, launched: float, dud: bool, **what: Any) -> Machine:
    """A machine, and what is to become of it. A dud never boots."""
    dud = random.random() < faults.never_boots or dud
    slow = faults.slow_boots and random.random() < faults.slow_boots
    boots = None if dud else launched + (random.uniform(125, 180) if slow else random.uniform(15, 60))
    dies = launched + random.expovariate(1 / 300) if random.random() < faults.dies else None
    small = bool(faults.small) and random.random() < faults.small
    return Machine(launched=launched, boots=boots, dies=dies, small=small, **what)
