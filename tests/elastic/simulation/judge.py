"""What must never be, looked for at every change; and what must be in the end."""

from typing import TYPE_CHECKING

from elastic.simulation.doors import WrongError
from elastic.simulation.fake_cloud import Machine
from elastic.simulation.fake_slurm import SimJob, SimNode

if TYPE_CHECKING:
    from elastic.simulation.world import World

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
