"""Bad luck: what comes between two cycles, by chance."""

from typing import TYPE_CHECKING

from elastic.simulation.fake_cloud import Machine
from elastic.simulation.fake_slurm import SimNode

if TYPE_CHECKING:
    from elastic.simulation.world import World

STEP = 22 * 60.0
"""Seconds by which the head node's clock is set forward, as by NTP on a fresh machine; and at most backward."""


class Misfortune:
    """What happens to a world."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.random, self.cloud, self.slurm = world.random, world.cloud, world.slurm
        self.steps = False
        """Whether the clock is set."""

    def come(self) -> None:
        """Perhaps one of them."""
        random = self.random
        if self.steps and random.random() < 0.02:
            self.step_the_clock()
        if random.random() > 0.2:
            return
        kind = random.randrange(11)
        if kind > 8:
            self.change_a_pool(spoil=kind == 9)
        elif kind == 0:
            pool, free = random.choice(self.world.pools), random.choice((0, 1, 2, 4, 9))
            self.cloud.capacity[pool] = free
            self.world.say(f"the cloud has {free} of {pool}")
        elif kind == 1 and random.random() < 0.3:
            job = random.choice(self.slurm.queue)
            self.slurm.cancel(job)
            self.world.say(f"job {job.id} is cancelled")
        elif kind == 2 and random.random() < 0.3:
            self.slurm.away_until = self.world.now + random.uniform(10, 300)
            self.world.say(f"slurmctld is away for {self.slurm.away_until - self.world.now:.0f} s")
        elif kind in (4, 5) and self.cloud.alive and self.cloud.faults.dies:
            self.harm(random.choice(list(self.cloud.alive.values())), mute=kind == 5)
        elif kind == 6:
            self.undrain()
        else:
            self.befall(random.choice(list(self.slurm.hosts.values())), kind)

    def befall(self, node: SimNode, kind: int) -> None:
        """Something happens to one node."""
        if kind == 3 and self.random.random() < 0.5:
            state = self.random.choice(("drain", "drain", "down"))
            self.slurm.set(node, state, "tom: looks at it")
            node.held = True
            self.world.say(f"tom sets {node.name} {state}")
        elif kind in (7, 8) and self.random.random() < 0.4:
            self.hide(node) if kind == 7 else self.drain_by_slurm(node)

    def step_the_clock(self) -> None:
        """It was wrong, and is set: so far, for as long as the machine runs."""
        step = self.random.choice((STEP, STEP, -self.random.uniform(5, STEP)))
        self.world.ahead += step
        self.world.say(f"the clock is set by {step:+.0f} s")

    def drain_by_slurm(self, node: SimNode) -> None:
        """A job's processes would not end."""
        if node.power == "up" and not node.drain and not node.down:
            self.slurm.set(node, "drain", "Kill task failed")
            self.world.say(f"Slurm drains {node.name}: Kill task failed")

    def hide(self, node: SimNode) -> None:
        """A tool changes the tags of the machine under a node that works."""
        stale = self.cloud.faults.stale  # the list may show a former machine instead: nobody could know
        if not stale and node.power == "up" and node.machine and node.machine.ended is None:
            node.machine.hidden = True
            self.cloud.once_hidden.add(node.machine.id)
            self.world.say(f"{node.machine.id} ({node.name}) is listed no more")

    def harm(self, machine: Machine, *, mute: bool) -> None:
        """It hangs, or the cloud is going to take it away."""
        if mute:
            machine.mute = True
        else:
            machine.failing = "instance-retirement"
            machine.dies = self.world.now + self.random.uniform(0, 300)
        self.world.say(f"{machine.id} ({machine.node}) {'hangs' if mute else 'will be taken away'}")

    def undrain(self) -> None:
        """The operator is done, also with what was drained and then silent, and what is off and bears his words."""
        for node in self.slurm.hosts.values():
            bears_his = node.power == "off" and node.reason.startswith("tom: ")
            if node.held or (node.down and (node.drain or bears_his)):
                self.slurm.set(node, "resume", "")

    def change_a_pool(self, *, spoil: bool) -> None:
        """One that is of no use for long; or all are as they should be."""
        if spoil:
            self.spoil(self.random.choice(self.world.pools), self.random.choice(("silent", "broken", "quota")))
        elif self.random.random() < 0.3:
            self.mend()

    def spoil(self, pool, how: str) -> None:
        """Something is the matter with a pool for a long time."""
        if how == "silent":
            self.cloud.silent.add(pool)
        elif how == "quota":
            self.cloud.quota[pool] = self.random.choice((0, 1, 2, 4))
        elif how == "failing":
            self.cloud.capacity[pool] = 0
            self.cloud.failing.add(pool)
        elif pool not in self.cloud.broken:
            self.cloud.broken.add(pool)
            self.world.duds[pool] = 0
        self.world.say(f"{how}: {pool}")

    def mend(self) -> None:
        """No pool has more than passing trouble."""
        self.cloud.silent.clear()
        self.cloud.quota.clear()
        self.cloud.broken.clear()
        self.cloud.failing.clear()
        self.world.say("all pools are as they should be")
