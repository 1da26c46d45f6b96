"""What goes wrong in a rehearsal, on purpose, and what must come of it."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hpc_components.elastic.hostlists import expand
from hpc_components.rehearse.cluster.local_cloud import Moment
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.result import Check, Event, Fault, Kind, NodeState
from hpc_components.rehearse.run.observer import Observer, SeenJob

__all__ = ["Trouble", "trouble"]

NOTICED = 10.0
"""Seconds within which a node that is dead is known to be."""

FAILED_OVER = 5.0
"""Seconds from a capacity error to the launch elsewhere."""

NOTICE = 30.0
"""Seconds from a spot notice to the end of the machine; a real cloud gives 120."""

WARMED_UP = 3.0
"""Seconds that a job has worked before its node goes, so that there is something to lose."""


@dataclass(kw_only=True)
class Trouble:
    """No trouble at all; what goes wrong is in the classes below."""

    cluster: LocalCluster
    observer: Observer
    queue: str
    """The partition in which it happens."""
    expects_errors = True
    """Whether daemons have something to complain of."""

    def before(self) -> None:
        """Called before the job is submitted."""

    def during(self, job: int) -> None:
        """Called as soon as the job runs."""

    def after(self, job: SeenJob) -> Iterator[Check]:
        """What must have come of it."""
        yield from ()

    def check_machines(self, job: SeenJob, what: str) -> Check:
        """One machine was launched for each node of the job, beside those that are always up."""
        launched = sorted(machine.node for machine in self.cluster.cloud.made())
        needed = sorted({*expand(job.nodes), *self.cluster.setup.kept})
        return Check(what=what, passed=launched == needed, detail=f"{len(launched)} for {len(needed)} nodes")

    def tell(self, words: str, node: str = "") -> Event:
        """The fault is put in."""
        return self.cluster.teller.tell(Kind.FAULT, words, node=node)

    def events(self, since: Event, test: Callable[[Event], bool]) -> Iterator[Event]:
        """What happened since, as far as it passes `test`."""
        return (event for event in self.cluster.teller.events if event.t >= since.t and test(event))


class NoTrouble(Trouble):
    """All goes well."""

    expects_errors = False

    def after(self, job: SeenJob) -> Iterator[Check]:
        """Not a machine more than was needed."""
        yield self.check_machines(job, "a machine for each node, and no more")


class NoCapacity(Trouble):
    """The queue's first pool has no machines; where there is no other, it has some again later."""

    def before(self) -> None:
        """Empty the first pool."""
        self._pools = self.cluster.pools(self.queue)
        only = len(self._pools) == 1
        self.cluster.cloud.limit(self._pools[0], 0, refusals=1 if only else None)
        later = "; the next request finds some" if only else ""
        self._put_in = self.tell(f"there are no machines in {self._pools[0]}{later}")

    def after(self, job: SeenJob) -> Iterator[Check]:
        """Another pool was asked at once, or the same one again after the cool-down."""
        refused = next(self.events(self._put_in, lambda e: e.words.startswith("no capacity")), None)
        launched = refused and next(self.events(refused, lambda e: "is launched for" in e.words), None)
        took = launched.t - refused.t if refused and launched else float("inf")
        limit = FAILED_OVER if len(self._pools) > 1 else 3 * self.cluster.setup.times.cooldown
        where = (
            "machines of the next choice are launched" if len(self._pools) > 1 else "the machines are asked for again"
        )
        yield Check(what=f"{where} within {limit:.0f} s of the error", passed=took <= limit, detail=f"{took:.1f} s")


class _LostNode(Trouble):
    """Something happens to the first node under the job."""

    def during(self, job: int) -> None:
        """Let it work for a while, then take its first node away."""
        time.sleep(WARMED_UP)
        if self.observer.jobs[job].ended:
            raise RuntimeError("the job ended before its node went; it must work for ten seconds or more")
        self.victim = expand(self.observer.jobs[job].nodes)[0]
        (self.machine,) = self.cluster.cloud.alive(self.victim)
        self.take_away()

    def take_away(self) -> None:
        """Take `victim`'s `machine` away."""
        raise NotImplementedError

    def after(self, job: SeenJob) -> Iterator[Check]:
        """The job went back into the queue and ran again, on a machine that lives."""
        yield Check(
            what="the job is put back into the queue", passed=job.restarts == 1, detail=f"{job.restarts} times"
        )
        output = self.cluster.login.read(job.output)
        if "checkpoint" in output or "Begins after step" in output:
            begins = [line for line in output.splitlines() if line.startswith("Begins after step")]
            goes_on = len(begins) == 2 and not begins[1].startswith("Begins after step 0 ")
            yield Check(what="it goes on where it was", passed=goes_on, detail="; ".join(begins))


class DeadNode(_LostNode):
    """A machine dies without a word."""

    def take_away(self) -> None:
        """Pull the plug."""
        self._put_in = self.tell(f"{self.victim} dies", self.victim)
        self.cluster.cloud.lose(self.machine.id)

    def after(self, job: SeenJob) -> Iterator[Check]:
        """It was noticed soon."""
        down = next(self.events(self._put_in, lambda e: (e.node, e.state) == (self.victim, NodeState.DOWN)), None)
        took = down.t - self._put_in.t if down else float("inf")
        yield Check(what=f"its end is noticed within {NOTICED:.0f} s", passed=took <= NOTICED, detail=f"{took:.1f} s")
        yield from super().after(job)


class SpotNotice(_LostNode):
    """A machine is announced to be taken away, and is, whatever becomes of it until then."""

    def take_away(self) -> None:
        """Announce it now, do it later."""
        self._put_in = self.tell(f"{self.victim} will be taken away in {NOTICE:.0f} s", self.victim)
        self.cluster.metadata.notice(str(self.cluster.machine(self.victim).address), NOTICE)
        end = threading.Timer(NOTICE, self.cluster.cloud.lose, [self.machine.id])
        end.daemon = True
        end.start()

    def after(self, job: SeenJob) -> Iterator[Check]:
        """The node was drained and the job requeued before the machine went."""
        end = self._put_in.t + NOTICE
        drained = next(
            self.events(self._put_in, lambda e: (e.node, e.state) == (self.victim, NodeState.DRAINING)), None
        )
        back = next(self.events(self._put_in, lambda e: e.kind is Kind.JOB and e.state == "PENDING"), None)
        for what, event in (("the node is drained", drained), ("the job is put back", back)):
            detail = f"{end - event.t:.1f} s before" if event else "never"
            yield Check(what=f"{what} before the machine goes", passed=bool(event and event.t < end), detail=detail)
        yield from super().after(job)


class DeadDaemon(Trouble):
    """The elastic daemon is killed before a launch, after it, and after the answer to its second request."""

    def before(self) -> None:
        """Lie in wait."""
        self._left: list[Moment] = ["asked", "acted", "answered"]
        # it can't see what it launched, nor does that come up by itself: it has to ask again
        self.cluster.cloud.lag = float("inf")
        self.cluster.cloud.boots.clear()
        self.cluster.watch = self._kill

    def _kill(self, moment: Moment) -> bool:
        if not self._left or self._left[0] != moment:
            return True
        when = {
            "asked": "before a launch",
            "acted": "after a launch, before its answer",
            "answered": "after the answer",
        }
        self.tell(f"the elastic daemon is killed {when[self._left.pop(0)]}")
        self.cluster.elastic.service.kill()
        if not self._left:
            self.cluster.cloud.lag = 0.0
            self.cluster.cloud.boots.set()
        return False

    def after(self, job: SeenJob) -> Iterator[Check]:
        """No machine was lost, none doubled."""
        yield Check(
            what="the daemon was killed three times", passed=not self._left, detail=f"{3 - len(self._left)} times"
        )
        yield self.check_machines(job, "no machine is lost or doubled")


class NoBoot(Trouble):
    """One machine never boots."""

    def before(self) -> None:
        """Spoil the first machine that will be launched."""
        self.tell("the first machine that is launched will never boot")
        self.cluster.cloud.spoil(1)

    def after(self, job: SeenJob) -> Iterator[Check]:
        """It was ended, and another one took its place."""
        (dud,) = self.cluster.cloud.spoiled
        machines = {machine.id: machine for machine in self.cluster.cloud.made()}
        others = [id for id, each in machines.items() if each.node == machines[dud].node and id != dud]
        yield Check(what="the machine that does not boot is ended", passed=not machines[dud].alive, detail=dud)
        yield Check(what="another one takes its place", passed=len(others) >= 1, detail=", ".join(others))


_TROUBLES: dict[Fault | None, type[Trouble]] = {
    None: NoTrouble,
    Fault.CAPACITY: NoCapacity,
    Fault.SPOT: SpotNotice,
    Fault.DEAD_NODE: DeadNode,
    Fault.DEAD_DAEMON: DeadDaemon,
    Fault.BOOT: NoBoot,
}


def trouble(fault: Fault | None, cluster: LocalCluster, observer: Observer, queue: str) -> Trouble:
    """What `fault` does in `queue`."""
    return _TROUBLES[fault](cluster=cluster, observer=observer, queue=queue)
