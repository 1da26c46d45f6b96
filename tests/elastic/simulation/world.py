"""A cluster with bad luck: jobs and operators come and go, the cloud and Slurm fail, and the daemon is killed."""

from collections.abc import Callable
from random import Random

from elastic.simulation.doors import Crash, Door, MemoryJournal, WrongError
from elastic.simulation.fake_cloud import CloudFaults, FakeCloud, Machine
from elastic.simulation.fake_slurm import FakeSlurm, SimJob, SimNode
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.cycle import Cycle
from hpc_components.elastic.model import Pool

START = 1_000_000.0
TROUBLE = 1500.0
"""Seconds during which things go wrong."""
PATIENCE = 6000.0
"""Seconds after that in which all must be well."""
MOST_DUDS = 36
"""Machines that may be launched from a pool while none of it boots: three fleets of the larger queue, twice."""
POOLS = tuple(
    Pool(queue=queue, machine=machine, zone="z", purchase="spot")
    for queue in ("a", "b-2")
    for machine in ("m1", "m2")
)
CONFIG = Config(
    cluster="sim",
    cloud="local",
    socket="/none",
    boot_timeout=200.0,
    cooldown=150.0,
    queues=(
        QueueConfig(name="a", max=6, placement="cluster", pools=POOLS[:2]),
        QueueConfig(name="b-2", max=3, min=1, pools=POOLS[2:]),
    ),
)


class World:
    """One schedule of bad luck, by seed."""

    def __init__(self, seed: int, tell: Callable[[str], object] | None = None) -> None:
        self.tell = tell
        self.random = random = Random(seed)
        self.now = START
        self.crash = 0.0
        self.crashes = 0
        self.cloud = FakeCloud(random, self.clock, {pool: random.choice((0, 1, 2, 3, 6)) for pool in POOLS})
        sizes = {queue.name: queue.max for queue in CONFIG.queues}
        self.slurm = FakeSlurm(random, self.clock, self.cloud, sizes, {"b-2": 1})
        self.cloud.on_launch = self.look_at_launch
        self.cloud.on_end = self.look_at_end
        self.slurm.check = self.look_at_update
        self.slurm.on_start = self.look_at_start
        self.disk: dict[str, str] = {}
        self.cycles = 0
        self.duds: dict[Pool, int] = {}
        """Machines from a pool since it broke."""
        self.cycle_began = self.now
        self.doors = Door(self.boundary, self.cloud), Door(self.boundary, self.slurm)
        self.daemon: Cycle | None = None
        self.start_at = self.now

    def clock(self) -> float:
        return self.now

    # The schedule.

    def run(self) -> None:
        """Trouble, then time to heal, then all must be well."""
        self.arrange()
        end = self.now + TROUBLE
        while self.now < end:
            self.misfortune()
            self.turn()
        self.heal()
        end = self.now + PATIENCE
        while self.now < end and not self.is_well():
            self.turn()
            self.undrain()
        self.judge()

    def run_beside(self, how: str) -> None:
        """The first pool of each queue is of no use, for good, and that is all: every job runs on the second."""
        for number in range(self.random.randint(2, 6)):
            queue = self.random.choice(CONFIG.queues)
            size = self.random.randint(1, queue.max)
            begin = self.now + self.random.uniform(0, 600)
            self.slurm.queue.append(SimJob(number, queue.name, size, self.random.uniform(10, 300), begin))
        self.cloud.capacity = dict.fromkeys(POOLS, 9)
        for pool in POOLS[::2]:
            self.spoil(pool, how)
        end = self.now + PATIENCE
        while self.now < end and not self.is_well():
            self.turn()
        self.judge()

    def arrange(self) -> None:
        """Which troubles there are in this schedule, and when jobs come."""
        random = self.random
        level = random.choice((0.0, 0.05, 0.2))

        def chance(most: float) -> float:
            return random.choice((0.0, 1.0, 1.0)) * most * level * 5

        self.cloud.faults = CloudFaults(
            throttled=chance(0.2),
            refused=chance(0.03),
            lost_before=chance(0.1),
            lost_after=chance(0.15),
            late=chance(0.1),
            stale=random.choice((0.0, 0.5, 1.0)),
            away=chance(0.1),
            never_boots=chance(0.3),
            dies=chance(0.3),
            small=chance(0.2),
        )
        self.crash = random.choice((0.0, 0.01, 0.03))
        self.slurm.lost = chance(0.1)
        for number in range(random.randint(2, 8)):
            queue = random.choice(CONFIG.queues)
            begin = self.now + random.uniform(0, TROUBLE * 0.8)
            size = random.randint(1, min(queue.max, random.choice((1, 2, 6))))
            self.slurm.queue.append(SimJob(number, queue.name, size, random.uniform(10, 300), begin))

    def misfortune(self) -> None:
        """What comes between two cycles."""
        random = self.random
        if random.random() > 0.2:
            return
        kind = random.randrange(11)
        if kind > 8:
            self.change_a_pool(spoil=kind == 9)
            return
        if kind == 0:
            pool, free = random.choice(POOLS), random.choice((0, 1, 2, 4, 9))
            self.cloud.capacity[pool] = free
            self.say(f"the cloud has {free} of {pool}")
        elif kind == 1 and random.random() < 0.3:
            job = random.choice(self.slurm.queue)
            self.slurm.cancel(job)
            self.say(f"job {job.id} is cancelled")
        elif kind == 2 and random.random() < 0.3:
            self.slurm.away_until = self.now + random.uniform(10, 300)
            self.say(f"slurmctld is away until {self.slurm.away_until - START:.0f}")
        elif kind == 3 and random.random() < 0.5:
            node = random.choice(list(self.slurm.hosts.values()))
            state = random.choice(("drain", "drain", "down"))
            self.slurm.set(node, state, "tom: looks at it")
            node.held = True
            self.say(f"tom sets {node.name} {state}")
        elif kind in (4, 5) and self.cloud.alive and self.cloud.faults.dies:
            self.harm(random.choice(list(self.cloud.alive.values())), mute=kind == 5)
        elif kind == 6:
            self.undrain()
        elif kind in (7, 8) and random.random() < 0.4:
            node = random.choice(list(self.slurm.hosts.values()))
            self.hide(node) if kind == 7 else self.drain_by_slurm(node)

    def drain_by_slurm(self, node: SimNode) -> None:
        """A job's processes would not end."""
        if node.power == "up" and not node.drain and not node.down:
            self.slurm.set(node, "drain", "Kill task failed")
            self.say(f"Slurm drains {node.name}: Kill task failed")

    def hide(self, node: SimNode) -> None:
        """A tool changes the tags of the machine under a node that works."""
        stale = self.cloud.faults.stale  # the list may show a former machine instead: nobody could know
        if not stale and node.power == "up" and node.machine and node.machine.ended is None:
            node.machine.hidden = True
            self.say(f"{node.machine.id} ({node.name}) is listed no more")

    def harm(self, machine: Machine, *, mute: bool) -> None:
        """It hangs, or the cloud is going to take it away."""
        if mute:
            machine.mute = True
        else:
            machine.failing = "instance-retirement"
            machine.dies = self.now + self.random.uniform(0, 300)
        self.say(f"{machine.id} ({machine.node}) {'hangs' if mute else 'will be taken away'}")

    def undrain(self) -> None:
        """The operator is done, also with what was drained and then silent, and what is off and bears his words."""
        for node in self.slurm.hosts.values():
            bears_his = node.power == "off" and node.reason.startswith("tom: ")
            if node.held or (node.down and (node.drain or bears_his)):
                self.slurm.set(node, "resume", "")

    def change_a_pool(self, *, spoil: bool) -> None:
        """One that is of no use for long; or all are as they should be."""
        if spoil:
            self.spoil(self.random.choice(POOLS), self.random.choice(("silent", "broken", "quota")))
        elif self.random.random() < 0.3:
            self.mend()

    def spoil(self, pool: Pool, how: str) -> None:
        """Something is the matter with a pool for a long time."""
        if how == "silent":
            self.cloud.silent.add(pool)
        elif how == "quota":
            self.cloud.quota[pool] = self.random.choice((0, 1, 2, 4))
        elif pool not in self.cloud.broken:
            self.cloud.broken.add(pool)
            self.duds[pool] = 0
        self.say(f"{how}: {pool}")

    def mend(self) -> None:
        """No pool has more than passing trouble."""
        self.cloud.silent.clear()
        self.cloud.quota.clear()
        self.cloud.broken.clear()
        self.say("all pools are as they should be")

    def heal(self) -> None:
        """No more faults; machines for everybody; the operator goes home."""
        self.say("no more faults")
        self.cloud.faults = CloudFaults()
        self.mend()
        self.crash = self.slurm.lost = self.slurm.away_until = 0.0
        self.cloud.capacity = dict.fromkeys(POOLS, 9)
        for machine in self.cloud.machines.values():
            if machine.hidden and self.slurm.hosts[machine.node].machine is not machine and machine.ended is None:
                self.cloud.end(machine)  # nobody but who hid it could know of it
            machine.hidden = False
        self.undrain()

    def turn(self) -> None:
        """One cycle of the daemon, and the time until the next."""
        self.cycle_began = self.now
        if self.now >= self.start_at:
            try:
                if self.daemon is None:
                    journal = MemoryJournal(self.disk, self.boundary)
                    self.daemon = Cycle(CONFIG, *self.doors, journal, self.clock)
                report = self.daemon.run()
                self.cycles += 1
                for event in report.events if self.tell else ():
                    self.say(f"    {event.kind.value}: {event.words}")
            except Crash:
                self.crashes += 1
                self.daemon = None
                self.start_at = self.now + self.random.choice((1, 1, 1, 100, 300))
                self.say(f"kill -9; it starts again at {self.start_at - START:.0f}")
        self.pass_time(self.random.choice((1, 5, 5, 10, 20, 30)))

    def boundary(self) -> None:
        """Between two steps of the daemon."""
        if self.crash:
            chance = self.random.random()
            if chance < self.crash:
                raise Crash
            if chance > 0.98:
                self.pass_time(self.random.uniform(1, 15))

    def say(self, words: str) -> None:
        if self.tell:
            self.tell(f"{self.now - START:6.0f} {words}")

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.cloud.step()
        self.slurm.step()

    # What must never be.

    def look_at_launch(self, machine: Machine) -> None:
        self.say(f"    {machine.id} starts for {machine.node} from {machine.pool}")
        if machine.pool in self.cloud.broken:
            self.duds[machine.pool] += 1
            if self.duds[machine.pool] > MOST_DUDS:
                raise WrongError(f"{self.duds[machine.pool]} machines from {machine.pool}, and none boots")
        queue = next(queue for queue in CONFIG.queues if queue.name == machine.pool.queue)
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
        if node.held and not (state == "down" and reason == node.reason):
            raise WrongError(f"{node.name} is held by tom, and set {state} ({reason})")
        alive = node.machine and node.machine.ended is None and not node.machine.mute
        if alive and state in ("down", "power_down_force"):
            self._look_at_job(node, f"{node.name} is set {state} ({reason})")

    def _look_at_job(self, node: SimNode, what: str) -> None:
        job = node.job
        if job and job.state == "RUNNING" and job.started < self.cycle_began and node.power == "up":
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
