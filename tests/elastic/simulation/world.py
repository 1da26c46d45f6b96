"""A cluster with bad luck: jobs and operators come and go, the cloud and Slurm fail, and the daemon is killed."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from elastic.simulation.cost_judge import CostJudge
from elastic.simulation.doors import Crash, Door, MemoryJournal, MemoryLedger, WrongError
from elastic.simulation.fake_cloud import CloudFaults, FakeCloud
from elastic.simulation.fake_slurm import FakeSlurm, SimJob
from elastic.simulation.judge import Judge
from elastic.simulation.meter import Meter
from elastic.simulation.misfortune import Misfortune
from elastic.simulation.slow_calls import SlowCalls
from hpc_components.elastic.act.calls import LaunchCalls
from hpc_components.elastic.clock import Clock
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.daemon.cycle import Cycle
from hpc_components.elastic.drivers.contract import Driver
from hpc_components.elastic.ledger.ledger import Ledger
from hpc_components.elastic.model import Pool

START = 1_000_000.0
TROUBLE = 1500.0
"""Seconds during which things go wrong."""
PATIENCE = 6000.0
"""Seconds after that in which all must be well."""
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

    config, pools = CONFIG, POOLS
    keeps_ledger = True

    def __init__(self, seed: int, tell: Callable[[str], object] | None = None) -> None:
        self.tell = tell
        self.random = random = Random(seed)
        self.tokens, self.blinks, self.seldom = Random(seed), Random(seed), Random(seed)
        """Draw the tokens of launches, what a cloud does not know for a moment, and the budget, without a say in what
        else happens."""
        self.now = START
        self.ahead = 0.0
        """Seconds by which the head node's clock is wrong."""
        self.crash = 0.0
        self.crashes = 0
        self.cloud = self.make_cloud({pool: random.choice((0, 1, 2, 3, 6)) for pool in POOLS})
        sizes = {queue.name: queue.max for queue in CONFIG.queues}
        self.slurm = FakeSlurm(random, self.true_time, self.cloud, sizes, {"b-2": 1})
        self.meter = Meter(self)
        self.judge = Judge(self)
        self.misfortune = Misfortune(self)
        self.disk: dict[str, str] = {}
        self.recorded: list[str] = []
        """Lines of the ledger, on the same disk."""
        self.costs = CostJudge(self) if self.keeps_ledger else None
        self.cycles = 0
        self.duds: dict[Pool, int] = {}
        """Machines from a pool since it broke."""
        self.cycle_began = self.now
        self.slurm_door = Door(self.boundary, self.slurm)
        self.daemon: Cycle | None = None
        self.calls = self.make_calls()
        self.start_at = self.now

    # What another cloud has of its own.

    def make_cloud(self, capacity: dict[Pool, int]) -> FakeCloud:
        """The cloud, with so many machines in each pool."""
        return FakeCloud(self.random, self.true_time, capacity)

    def make_driver(self) -> Driver:
        """The driver of a daemon that starts."""
        return Door(self.boundary, self.cloud)

    def make_calls(self) -> LaunchCalls:
        """The launches of a daemon that starts."""
        return SlowCalls(self)

    def true_time(self) -> float:
        return self.now

    def wall_time(self) -> float:
        """What the head node takes for the time."""
        return self.now + self.ahead

    # The schedule.

    def run(self) -> None:
        """Trouble, then time to heal, then all must be well."""
        self.arrange()
        self.meter.limit = self.seldom.choice((None, None, self.seldom.uniform(50, 2000)))
        end = self.now + TROUBLE
        while self.now < end:
            self.misfortune.come()
            self.turn()
        self.heal()
        end = self.now + PATIENCE
        while self.now < end and not self.judge.is_well():
            self.turn()
            self.misfortune.undrain()
        self.judge.judge()
        if self.costs:
            self.costs.judge()

    def run_beside(self, how: str) -> None:
        """The first pool of each queue is of no use, for good, and that is all: every job runs on the second."""
        self.add_jobs()
        for pool in POOLS[::2]:
            self.misfortune.spoil(pool, how)
        self.run_on()

    def run_with(self, how: str) -> None:
        """Nothing is wrong but one thing."""
        self.add_jobs()
        faults = self.cloud.faults
        if how == "clock steps":
            self.misfortune.steps = True
            faults.stale = 1.0
        elif how == "forgetful lists":
            faults.forgets = 0.3
            faults.slow_boots = 1.0
        elif how == "slow calls":
            faults.slow = 0.5
        self.run_on(self.misfortune.step_the_clock if how == "clock steps" else None)

    def run_over_quota(self) -> None:
        """For half an hour no pool may have more than two machines; jobs that are too large are tried rarely."""
        self.add_jobs()
        self.cloud.quota = dict.fromkeys(POOLS, 2)
        end = self.now + TROUBLE
        while self.now < end:
            self.turn()
        for job in self.slurm.queue:
            if job.requeued > 2 * TROUBLE / CONFIG.cooldown + 3:  # each of two pools is tried at its time
                raise WrongError(f"job {job.id} of {job.size} was tried {job.requeued} times")
            if job.size <= 2 and job.state == "PENDING" and job.begin < end - TROUBLE / 2:
                raise WrongError(f"job {job.id} of {job.size} waits although it may have its machines")
        self.misfortune.mend()
        self.run_on()

    def run_on_budget(self) -> None:
        """Nothing is wrong, but the money does not suffice, until the budget is raised."""
        self.add_jobs()
        for job in self.slurm.queue:
            job.begin = self.now  # all at once, more than there are nodes
        self.slurm.queue += [SimJob(90 + number, "a", 1, 100.0, self.now) for number in range(40)]
        self.meter.limit = self.random.uniform(200, 1500)
        while not self.judge.is_stopped():
            if self.random.random() < 0.02:
                self.crashed()
                self.start_at = self.now + 1
            self.turn(longest=5)  # for that long the daemon waits while machines are up
        self.judge.look_at_overspending()
        self.raise_budget()
        self.run_on()

    def run_on(self, sometimes: Callable[[], object] | None = None) -> None:
        """Until all is well."""
        end = self.now + PATIENCE
        while self.now < end and not self.judge.is_well():
            if sometimes and self.random.random() < 0.05:
                sometimes()
            self.turn()
        self.judge.judge()
        if self.costs:
            self.costs.judge()

    def add_jobs(self) -> None:
        """Some, and machines for all of them."""
        for number in range(self.random.randint(2, 6)):
            queue = self.random.choice(CONFIG.queues)
            size = self.random.randint(1, queue.max)
            begin = self.now + self.random.uniform(0, 600)
            self.slurm.queue.append(SimJob(number, queue.name, size, self.random.uniform(10, 300), begin))
        self.cloud.capacity = dict.fromkeys(POOLS, 9)

    def arrange(self) -> None:
        """Which troubles there are in this schedule, and when jobs come."""
        random = self.random
        level = random.choice((0.0, 0.05, 0.2))

        def chance(most: float) -> float:
            return random.choice((0.0, 1.0, 1.0)) * most * level * 5

        self.cloud.faults = CloudFaults(
            throttled=chance(0.2),
            refused=chance(0.03),
            failed=chance(0.1),
            lost_before=chance(0.1),
            lost_after=chance(0.15),
            late=chance(0.1),
            slow=chance(0.1),
            stale=random.choice((0.0, 0.5, 1.0)),
            forgets=random.choice((0.0, 0.0, 0.05, 0.2)),
            away=chance(0.1),
            never_boots=chance(0.3),
            slow_boots=random.choice((0.0, 0.0, 0.5)),
            dies=chance(0.3),
            small=chance(0.2),
        )
        self.crash = random.choice((0.0, 0.01, 0.03))
        self.slurm.lost = chance(0.1)
        self.misfortune.steps = random.random() < 0.5
        for number in range(random.randint(2, 8)):
            queue = random.choice(CONFIG.queues)
            begin = self.now + random.uniform(0, TROUBLE * 0.8)
            size = random.randint(1, min(queue.max, random.choice((1, 2, 6))))
            self.slurm.queue.append(SimJob(number, queue.name, size, random.uniform(10, 300), begin))

    def heal(self) -> None:
        """No more faults; machines for everybody; the operator goes home. The clock stays as wrong as it is."""
        self.say("no more faults")
        self.cloud.faults = CloudFaults()
        self.misfortune.mend()
        self.crash = self.slurm.lost = self.slurm.away_until = 0.0
        self.raise_budget()
        self.cloud.capacity = dict.fromkeys(POOLS, 9)
        for machine in self.cloud.machines.values():
            if machine.hidden and self.slurm.hosts[machine.node].machine is not machine and machine.ended is None:
                self.cloud.end(machine)  # nobody but who hid it could know of it
            machine.hidden = False
        self.misfortune.undrain()

    def raise_budget(self) -> None:
        """A new elastic.json, so that the daemon starts again."""
        if self.meter.limit is not None:
            self.meter.limit += 1e6
            self.crashed()

    # What passes.

    def turn(self, longest: int = 30) -> None:
        """One cycle of the daemon, and the time until the next, in seconds at most."""
        self.cycle_began = self.now
        self.judge.spent_when_it_began = self.meter.usd
        if self.now >= self.start_at:
            try:
                self.cycle()
            except Crash:
                self.crashed()
        self.pass_time(min(longest, self.random.choice((1, 5, 5, 10, 20, 30))))

    def cycle(self) -> None:
        """What the daemon does; Crash."""
        if self.daemon is None:
            self.daemon = self.start()
        report = self.daemon.run()
        self.cycles += 1
        self.judge.look_at_report(report)
        for event in report.events if self.tell else ():
            self.say(f"    {event.kind.value}: {event.words}")

    def crashed(self) -> None:
        """The daemon is dead, and starts again."""
        self.crashes += 1
        self.calls.abandon()
        self.daemon = None
        self.start_at = self.now + self.random.choice((1, 1, 1, 100, 300))
        self.say(f"kill -9; it starts again at {self.start_at - START:.0f}")

    def start(self) -> Cycle:
        """A daemon that knows what is on disk."""
        clock = Clock(wall=self.wall_time, running=self.true_time, boot="sim")
        journal = MemoryJournal(self.disk, clock, self.boundary)
        self.calls = self.make_calls()
        ledger = None
        if self.costs:
            files = MemoryLedger(self.recorded, clock, self.boundary)
            ledger = self.costs.watch(Ledger(files, Path("/none"), clock, self.cloud.limits))
        driver, budget = self.make_driver(), self.meter.budget()
        return Cycle(CONFIG, driver, self.slurm_door, journal, clock, self.calls, ledger, budget)

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
        self.meter.pass_time(seconds)
        self.now += seconds
        self.cloud.step()
        self.slurm.step()
