"""What must never be, looked for at every change; and what must be in the end."""

from typing import TYPE_CHECKING

from elastic.simulation.doors import WrongError
from elastic.simulation.fake_cloud import Machine
from elastic.simulation.fake_slurm import SimJob, SimNode
from hpc_components.elastic.act.calls import Call
from hpc_components.elastic.report.events import CycleReport

if TYPE_CHECKING:
    from elastic.simulation.world import World

LONGEST_BOOT = 60.0
MOST_IDLE = 60.0
"""Seconds for which a machine costs more than its job needs, until the daemon has powered it down and ended it."""
MOST_DUDS = 36
"""Machines that may be launched from a pool while none of it boots: three fleets of the larger queue, twice."""


class Judge:
    """Looks at everything that happens in a world."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.cloud, self.slurm = world.cloud, world.slurm
        self.cloud.on_launch = self.look_at_launch
        self.cloud.on_end = self.look_at_end
        self.slurm.check = self.look_at_update
        self.slurm.on_start = self.look_at_start
        self.spent_when_it_began = 0.0
        """USD at the beginning of the cycle."""
        self.most_usd: float | None = None
        """What may be spent at most, as of the first cycle that launched nothing for want of money."""

    # What must never be.

    def look_at_launch(self, machine: Machine) -> None:
        world = self.world
        world.say(f"    {machine.id} starts for {machine.node} from {machine.pool}")
        if machine.pool in self.cloud.broken:
            world.duds[machine.pool] += 1
            if world.duds[machine.pool] > MOST_DUDS:
                raise WrongError(f"{world.duds[machine.pool]} machines from {machine.pool}, and none boots")
        queue = next(queue for queue in world.config.queues if queue.name == machine.pool.queue)
        listed = (other for other in self.cloud.alive.values() if not other.hidden)
        alive = [other for other in listed if other.pool.queue == queue.name]
        if len(alive) > queue.max:
            raise WrongError(f"{len(alive)} machines in {queue.name}, at most {queue.max}")
        twins = [other.id for other in alive if other.node == machine.node]
        if len(twins) > 1:
            raise WrongError(f"{machine.node} has two machines: {twins}")

    def look_at_call(self, call: Call) -> None:
        limit, spent = self.world.meter.limit, self.spent_when_it_began
        if limit is not None and spent >= limit:
            raise WrongError(
                f"{call.entry.launch.nodes} are launched although {spent:.0f} of {limit:.0f} USD are spent"
            )

    def look_at_report(self, report: CycleReport) -> None:
        if report.budget and report.budget.stopped and self.most_usd is None:
            left = sum(self._seconds_left(self.slurm.hosts[machine.node]) for machine in self.cloud.alive.values())
            self.most_usd = self.world.meter.usd + left

    def _seconds_left(self, node: SimNode) -> float:
        """What a machine may cost once nothing starts any more, in seconds."""
        job = node.job
        if job is None:
            return MOST_IDLE
        running = job.state == "RUNNING"
        return MOST_IDLE + (job.started + job.seconds - self.world.now if running else job.seconds + LONGEST_BOOT)

    def look_at_start(self, job: SimJob) -> None:
        pools = {node.machine.pool for node in job.nodes if node.machine and not node.machine.hidden}
        if job.fresh and job.queue == "a" and len(pools) > 1:
            raise WrongError(f"job {job.id} starts on machines of {len(pools)} pools")

    def look_at_end(self, machine: Machine) -> None:
        node = self.slurm.hosts[machine.node]
        if node.machine is machine and not node.down and not machine.failing and not machine.mute:
            self._look_at_job(node, f"{machine.id} is ended")

    def look_at_update(self, node: SimNode, state: str, reason: str) -> None:
        stays = reason == node.reason or node.reason.startswith(f"{reason} : ")  # Slurm has added to it meanwhile
        if node.held and not (state == "down" and stays):
            raise WrongError(f"{node.name} is held by tom, and set {state} ({reason})")
        alive = node.machine and node.machine.ended is None and not node.machine.mute
        if alive and state in ("down", "power_down_force"):
            self._look_at_job(node, f"{node.name} is set {state} ({reason})")

    def _look_at_job(self, node: SimNode, what: str) -> None:
        job = node.job
        if job and job.state == "RUNNING" and job.started < self.world.cycle_began and node.power == "up":
            raise WrongError(f"{what} under job {job.id}, which runs on it")

    # What must be in the end.

    def is_stopped(self) -> bool:
        """Whether nothing costs anything any more, although a node is always kept up."""
        return self.most_usd is not None and not self.cloud.alive

    def look_at_overspending(self) -> None:
        if self.world.meter.usd > (self.most_usd or 0.0):
            raise WrongError(f"{self.world.meter.usd:.0f} USD are spent, and {self.most_usd:.0f} could be explained")

    def is_well(self) -> bool:
        """Whether every job is done and only what is always kept up is up."""
        return (
            all(job.state in ("DONE", "CANCELLED") for job in self.slurm.queue)
            and all(
                (node.power, node.down, node.drain) == ("up" if node.kept else "off", False, False)
                for node in self.slurm.hosts.values()
            )
            and {machine.node for machine in self.cloud.alive.values()}
            == {node.name for node in self.slurm.hosts.values() if node.kept}
        )

    def judge(self) -> None:
        """Say what is not well."""
        most = 3 * self.slurm.requests + self.cloud.deaths
        if self.cloud.launched > most:
            raise WrongError(f"{self.cloud.launched} machines for {self.slurm.requests} requests of Slurm")
        if not self.is_well():
            jobs = [f"{job.id} {job.state}" for job in self.slurm.queue if job.state not in ("DONE", "CANCELLED")]
            nodes = [f"{node.name} {sorted(node.states())} {node.reason}" for node in self.slurm.hosts.values()]
            machines = [f"{machine.id} {machine.node}" for machine in self.cloud.alive.values()]
            raise WrongError(f"not well in the end: jobs {jobs}, nodes {nodes}, machines {machines}")
