"""slurmctld on a virtual clock, as far as the power states of nodes and the life of jobs go.

It does what real ones were seen to do (22.05.8 and 24.11.5): POWERING_UP until a machine registers whose boot is
newer than the request; DOWN+POWERED_DOWN at ResumeTimeout; `down` puts the job back into the queue and leaves
POWERING_UP as it is; `power_down` makes a down node IDLE+POWERING_DOWN and lifts every drain on the way
(`idle_on_node_suspend`), at once or, from 24.11, at the next turn; after SuspendTimeout it is POWERED_DOWN. What is
DOWN stays so (`ReturnToService=1`), and the newer one powers down nothing that is held by itself. A job that gets a
node clears its reason. The older one keeps an old reason when a node falls silent, replaces it at ResumeTimeout, and
forgets it when the node is resumed or registers; the newer one appends its own to it (slurmctld, `set_node_reason`).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from elastic.simulation.fake_cloud import FakeCloud, Machine
from hpc_components.elastic.model import Job, Node
from hpc_components.elastic.names import queue_of

RESUME_TIMEOUT, SUSPEND_TIME, SUSPEND_TIMEOUT, SLURMD_TIMEOUT = 600.0, 90.0, 20.0, 60.0
REQUEUE_DELAY = 10.0


@dataclass(eq=False)
class SimJob:
    id: int
    queue: str
    size: int
    seconds: float
    begin: float
    state: str = "PENDING"
    nodes: tuple["SimNode", ...] = ()
    fresh: bool = False
    """All its nodes were off when it got them."""
    started: float = 0.0
    requeued: int = 0
    requeues: bool = True
    comment: str = ""


@dataclass(eq=False)
class SimNode:
    name: str
    kept: bool
    power: str = "off"  # booting, up, leaving
    down: bool = False
    drain: bool = False
    want_down: bool = False
    reason: str = ""
    held: bool = False
    """Drained or set down by a person."""
    since: float = 0.0
    """When it was asked to boot, became idle, or began to leave."""
    machine: Machine | None = None
    """What registered."""
    silent: float | None = None
    refused: bool = False
    job: SimJob | None = None

    def states(self) -> frozenset[str]:
        marks = bool(self.job), self.down, self.drain, self.want_down, bool(self.silent), self.refused
        return _states(self.power, *marks)


@cache  # every node is shown in every cycle
def _states(
    power: str, job: bool, down: bool, drain: bool, want_down: bool, silent: bool, refused: bool
) -> frozenset[str]:
    words = ["CLOUD", "DOWN" if down else "ALLOCATED" if job else "IDLE"]
    words += {"off": ["POWERED_DOWN"], "booting": ["POWERING_UP"], "leaving": ["POWERING_DOWN"]}.get(power, [])
    words += ["DRAIN"] * drain + ["POWER_DOWN"] * want_down + ["NOT_RESPONDING"] * silent
    words += ["INVALID_REG"] * refused
    return frozenset(words)


class FakeSlurm:
    """`check` is called with what an update is about to do, to look for what must never be."""

    def __init__(
        self,
        random: Random,
        clock: Callable[[], float],
        cloud: FakeCloud,
        sizes: dict[str, int],
        kept: dict[str, int],
    ) -> None:
        self.random = random
        self.clock = clock
        self.cloud = cloud
        self.old = random.random() < 0.5
        self.hosts = {
            f"{queue}-{number}": SimNode(f"{queue}-{number}", number <= kept.get(queue, 0))
            for queue, size in sizes.items()
            for number in range(1, size + 1)
        }
        self.queue: list[SimJob] = []
        self.away_until = 0.0
        self.lost = 0.0
        self.requests = 0
        self.check: Callable[[SimNode, str, str], None] = lambda node, state, reason: None
        self.on_start: Callable[[SimJob], None] = lambda job: None
        self._shown: dict[tuple[str, frozenset[str], str, float], Node] = {}

    # What the daemon calls.

    def nodes(self) -> Sequence[Node]:
        self._answer()
        return [self._show(node) for node in self.hosts.values()]

    def jobs(self) -> Sequence[Job]:
        self._answer()
        return [
            Job(id=job.id, state=job.state, nodes=tuple(node.name for node in job.nodes))
            for job in self.queue
            if job.nodes
        ]

    def bound(self) -> Collection[int]:
        self._answer()
        return [job.id for job in self.queue if job.state == "CONFIGURING" and not job.requeues]

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        self._answer()
        for job in self.queue:
            if job.id in jobs:
                job.requeues = allowed

    def waiting(self) -> dict[int, str]:
        self._answer()
        return {job.id: job.comment for job in self.queue if job.state == "PENDING"}

    def explain(self, jobs: Collection[int], why: str) -> None:
        self._answer()
        for job in self.queue:
            if job.id in jobs:
                job.comment = why

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        self._answer()
        for job in self.queue:
            if job.id in jobs:
                if job.state != "PENDING":
                    raise OSError("Job is no longer pending execution")
                job.begin = max(job.begin, self.clock() + seconds)

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        self._answer()
        for name in nodes:
            node = self.hosts[name]
            self.check(node, state, reason)
            self.set(node, state, reason)
            if state == "resume" and not self.old:
                node.reason = reason
        if self.random.random() < self.lost:
            raise OSError("scontrol: no response in 60 s")

    def _answer(self) -> None:
        if self.clock() < self.away_until:
            raise OSError("Unable to contact slurm controller (connect failure)")

    def _show(self, node: SimNode) -> Node:
        booted = node.machine.boots or 0.0 if node.machine and node.power == "up" else 0.0
        key = (node.name, node.states(), node.reason, booted)
        if key not in self._shown:
            self._shown[key] = Node(name=node.name, states=key[1], reason=node.reason, booted_at=booted)
        return self._shown[key]

    # What an update does.

    def set(self, node: SimNode, state: str, reason: str) -> None:
        """`scontrol update nodename=... state=... reason=...`, by the daemon or by a person."""
        if state == "down":
            node.down, node.reason = True, reason
            self._requeue(node)
        elif state == "drain":
            node.drain, node.reason = True, reason
        elif state == "resume":
            node.down = node.drain = node.held = False
            self._forget(node)
        elif state == "power_up":
            if node.power == "off":
                self._boot(node)
        elif state == "power_down_force":
            self._requeue(node)
            self._power_down(node, force=True)
        elif state == "power_down":
            self._power_down(node, force=node.down)
        else:
            raise AssertionError(state)

    def _power_down(self, node: SimNode, *, force: bool) -> None:
        if node.power in ("off", "leaving"):
            return
        if node.power == "booting" and force:
            node.power = "up"  # no longer waited for
        node.want_down = True
        if self.old and node.power == "up" and not node.job:
            self._leave(node)

    def _boot(self, node: SimNode) -> None:
        node.power, node.since, node.machine = "booting", self.clock(), None
        self.requests += 1

    def _leave(self, node: SimNode) -> None:
        node.power, node.since, node.machine, node.silent = "leaving", self.clock(), None, None
        node.down = node.drain = node.want_down = node.held = node.refused = False

    def _requeue(self, node: SimNode) -> None:
        job = node.job
        if job:
            self._free(job)
            job.state, job.begin, job.requeued = "PENDING", self.clock() + REQUEUE_DELAY, job.requeued + 1

    def _free(self, job: SimJob) -> None:
        for node in job.nodes:
            node.job = None
            if node.power == "up":
                node.since = self.clock()
        job.nodes = ()

    def cancel(self, job: SimJob) -> None:
        """`scancel`."""
        self._free(job)
        job.state = "CANCELLED"

    # What happens.

    def step(self) -> None:
        """One turn of slurmctld's loops."""
        now = self.clock()
        if now < self.away_until:
            return
        machines = {machine.node: machine for machine in self.cloud.alive.values()}
        for node in self.hosts.values():
            if node.power != "off":
                self._turn(node, machines.get(node.name), now)
        for job in self.queue:
            if job.state == "CONFIGURING" and all(node.power == "up" for node in job.nodes):
                job.state, job.started = "RUNNING", now
                self.on_start(job)
            elif job.state == "RUNNING" and now >= job.started + job.seconds:
                self._free(job)
                job.state = "DONE"
            elif job.state == "PENDING" and job.begin <= now:
                self._schedule(job)

    def _turn(self, node: SimNode, machine: Machine | None, now: float) -> None:
        if node.power == "booting":
            self._wait_for(node, machine, now)
        elif node.power == "leaving":
            if now >= node.since + SUSPEND_TIMEOUT:
                node.power = "off"
        elif node.power == "up":
            self._watch(node, machine, now)

    def _wait_for(self, node: SimNode, machine: Machine | None, now: float) -> None:
        if machine and machine.boots and node.since <= machine.boots <= now:
            self._register(node, machine)
        elif now >= node.since + RESUME_TIMEOUT:
            self._requeue(node)
            node.power, node.down, node.drain, node.want_down = "off", True, False, False
            self._forget(node)
            node.held = node.held and bool(node.reason)
            self._say(node, "ResumeTimeout reached")

    def _register(self, node: SimNode, machine: Machine) -> None:
        node.power, node.down, node.machine, node.since, node.silent = "up", False, machine, self.clock(), None
        node.held = node.drain and node.held
        if not node.drain:
            self._forget(node)
        if machine.small:
            self._requeue(node)
            node.reason = node.reason if node.held else "Low RealMemory (reported:1 < 90.00% of configured:2)"
            node.drain = node.refused = True

    def _watch(self, node: SimNode, machine: Machine | None, now: float) -> None:
        if machine is None or machine is not node.machine or machine.mute:
            node.silent = node.silent or now
            if now >= node.silent + SLURMD_TIMEOUT and not node.down:
                node.down = True
                self._say(node, "Not responding")
                self._requeue(node)
        spared = node.kept or (not self.old and (node.down or node.drain))  # SuspendExcStates=DOWN,DRAIN
        idle = not node.job and now >= node.since + SUSPEND_TIME and not spared
        if (idle or node.want_down) and not node.job:
            self._leave(node)

    def _say(self, node: SimNode, words: str) -> None:
        if not node.reason:
            node.reason = words
        elif not self.old and f" : {words}" not in node.reason:
            node.reason += f" : {words}"

    def _forget(self, node: SimNode) -> None:
        if self.old:
            node.reason = ""

    def _schedule(self, job: SimJob) -> None:
        usable = [
            node
            for node in self.hosts.values()
            if queue_of(node.name) == job.queue
            and not (node.job or node.down or node.drain or node.want_down or node.silent)
            and node.power in ("up", "off")
        ]
        usable.sort(key=lambda node: node.power == "off")
        if len(usable) < job.size:
            return
        job.nodes, job.state = tuple(usable[: job.size]), "CONFIGURING"
        job.fresh = all(node.power == "off" for node in job.nodes)
        for node in job.nodes:
            node.job, node.reason = job, ""
            if node.power == "off":
                self._boot(node)
