import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hpc_components.cloud import cloud_named
from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.rehearse.cluster.local_cloud import LaunchPhase
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.events import Code, Event, Fault, NodeState
from hpc_components.rehearse.result import Check
from hpc_components.rehearse.run.job import Job, JobKind
from hpc_components.rehearse.run.observer import Observer, SeenJob
from hpc_components.wording import plural

LOSS_NOTICED_WITHIN_SECONDS = 10.0

FAILOVER_WITHIN_SECONDS = 5.0
"""Seconds within which machines must be launched from another pool after a capacity error."""

MAX_NOTICE_SECONDS = 30.0
"""Maximum spot notice in a rehearsal, in seconds. Real clouds may give more."""

WARM_UP_SECONDS = 3.0
"""Seconds that a job runs before its node is taken away, so that there is progress to lose."""


@dataclass(kw_only=True)
class Scenario:
    """A rehearsal of `job`. Subclasses inject a fault and check the outcome."""

    cluster: LocalCluster
    observer: Observer
    job: Job
    expects_errors = True
    """Whether the daemons log errors even in a successful rehearsal."""

    def __post_init__(self) -> None:
        cloud = self.cluster.cloud
        self._earlier = {machine.id for machine in cloud.launched()} - {machine.id for machine in cloud.alive()}
        """Machines that are gone, because they have built the software of the description."""

    def before(self) -> None:
        """Prepare the fault before the job is submitted."""

    def during(self, job: int) -> None:
        """Inject the fault as soon as the job is running."""

    def after(self, job: SeenJob) -> Iterator[Check]:
        """Yield the checks for this fault, after the job has ended."""
        yield from ()

    def check_machines(self, job: SeenJob, what: str) -> Check:
        """Check that exactly one machine was launched for each node that the job used or that is always up."""
        machines = self.cluster.cloud.launched()
        launched = sorted(machine.node for machine in machines if machine.id not in self._earlier)
        needed = sorted({*expand(job.nodes), *self.cluster.setup.always_up})
        return Check(
            code=Code.ONE_MACHINE_EACH,
            what=what,
            passed=launched == needed,
            detail=f"{len(launched)} for {plural(len(needed), 'node')}",
        )

    def inject(self, code: Code, words: str, node: str = "") -> Event:
        return self.cluster.log.record(code, words, node=node)

    def first_since(self, since: Event, test: Callable[[Event], bool]) -> Event | None:
        return next((event for event in self.cluster.log.events if event.t >= since.t and test(event)), None)


class NoFault(Scenario):
    expects_errors = False

    def after(self, job: SeenJob) -> Iterator[Check]:
        yield self.check_machines(job, "one machine is launched for each node, and no more")


class NoCapacity(Scenario):
    """The queue's first pool has no machines available. If it is the only pool, machines become available after one
    refusal.
    """

    def before(self) -> None:
        self._pools = self.cluster.pools(self.job.queue)
        only = len(self._pools) == 1
        self.cluster.cloud.limit(self._pools[0], 0, refusals=1 if only else None)
        later = "; the next request will succeed" if only else ""
        self._injected = self.inject(Code.CAPACITY_REMOVED, f"{self._pools[0]} has no machines available{later}")

    def after(self, job: SeenJob) -> Iterator[Check]:
        """Check that another pool was tried immediately or, with a single pool, that the pool was retried after the
        cool-down.
        """
        refused = self.first_since(self._injected, lambda event: event.code is Code.NO_CAPACITY)
        launched = refused and self.first_since(refused, lambda event: event.code is Code.LAUNCHED)
        took = launched.t - refused.t if refused and launched else float("inf")
        if len(self._pools) > 1:
            what, limit = "machines from the next pool are launched", FAILOVER_WITHIN_SECONDS
        else:
            what, limit = "machines are launched by a retry", 3 * self.cluster.setup.times.cooldown
        yield Check(
            code=Code.LAUNCHED_AFTER_ERROR,
            what=f"{what} within {limit:.0f} s of the error",
            passed=took <= limit,
            detail=f"{took:.1f} s",
        )


class _LostNode(Scenario):
    """The job's first node is lost while the job is running."""

    def during(self, job: int) -> None:
        time.sleep(WARM_UP_SECONDS)
        if self.observer.jobs[job].ended:
            raise RuntimeError(
                "the job ended before its node could be taken away; use a job that runs for at least ten seconds"
            )
        self.victim = expand(self.observer.jobs[job].nodes)[0]
        (self.machine,) = self.cluster.cloud.alive(self.victim)
        self.take_away()

    def take_away(self) -> None:
        """Take away the machine of node `victim`."""
        raise NotImplementedError

    def after(self, job: SeenJob) -> Iterator[Check]:
        yield Check(
            code=Code.REQUEUED,
            what="the job is requeued",
            passed=job.restarts == 1,
            detail=plural(job.restarts, "time"),
        )
        if self.job.kind is JobKind.CHECKPOINT:
            assert self.job.scale
            yield _check_resumed(self.cluster.login.read(job.output), self.job.scale.ranks)


class DeadNode(_LostNode):
    def take_away(self) -> None:
        self._injected = self.inject(Code.MACHINE_KILLED, f"{self.victim} dies", self.victim)
        self.cluster.cloud.kill(self.machine.id)

    def after(self, job: SeenJob) -> Iterator[Check]:
        down = self.first_since(
            self._injected, lambda event: (event.node, event.state) == (self.victim, NodeState.DOWN)
        )
        took = down.t - self._injected.t if down else float("inf")
        yield Check(
            code=Code.LOSS_NOTICED,
            what=f"the node's loss is noticed within {LOSS_NOTICED_WITHIN_SECONDS:.0f} s",
            passed=took <= LOSS_NOTICED_WITHIN_SECONDS,
            detail=f"{took:.1f} s",
        )
        yield from super().after(job)


class SpotNotice(_LostNode):
    """A machine receives a spot notice and is taken away later, whatever state the node is in by then."""

    def take_away(self) -> None:
        cloud = cloud_named(self.cluster.setup.cluster.cloud)
        notice = min(MAX_NOTICE_SECONDS, cloud.spot_notice_seconds)
        self._left = notice + cloud.spot_shutdown_seconds
        words = f"{self.victim} will be taken away in {self._left:.0f} s"
        if cloud.spot_shutdown_seconds:
            words += f"; its power button is pressed in {notice:.0f} s"
        self._injected = self.inject(Code.SPOT_NOTICE, words, self.victim)
        self.cluster.reclaim(self.machine, notice)

    def after(self, job: SeenJob) -> Iterator[Check]:
        end = self._injected.t + self._left
        drained = self.first_since(
            self._injected, lambda event: (event.node, event.state) == (self.victim, NodeState.DRAINING)
        )
        requeued = self.first_since(
            self._injected, lambda event: event.code is Code.JOB_STATE and event.state == "PENDING"
        )
        for code, what, event in (
            (Code.DRAINED_IN_TIME, "the node is drained", drained),
            (Code.REQUEUED_IN_TIME, "the job is requeued", requeued),
        ):
            yield Check(
                code=code,
                what=f"{what} before the machine ends",
                passed=bool(event and event.t < end),
                detail=f"{end - event.t:.1f} s before" if event else "never",
            )
        yield from super().after(job)


class DeadDaemon(Scenario):
    def before(self) -> None:
        """Kill the daemon during the next few launch calls, and hide the machines it launched, so that the restarted
        daemon requests them again.
        """
        self._left: list[LaunchPhase] = ["requested", "launched", "answered"]
        self.cluster.cloud.list_lag = float("inf")
        self.cluster.cloud.may_boot.clear()
        self.cluster.on_launch = self._kill

    def _kill(self, phase: LaunchPhase) -> bool:
        if not self._left or self._left[0] != phase:
            return True
        when = {
            "requested": "before a launch",
            "launched": "after a launch, before the answer is sent",
            "answered": "after the answer",
        }
        self.inject(Code.DAEMON_KILLED, f"the elastic daemon is killed {when[self._left.pop(0)]}")
        self.cluster.elastic.service.kill()
        if not self._left:
            self.cluster.cloud.list_lag = 0.0
            self.cluster.cloud.may_boot.set()
        return False

    def after(self, job: SeenJob) -> Iterator[Check]:
        yield Check(
            code=Code.DAEMON_KILLED_THRICE,
            what="the daemon was killed three times",
            passed=not self._left,
            detail=plural(3 - len(self._left), "time"),
        )
        yield self.check_machines(job, "no machine is lost or launched twice")


class NoBoot(Scenario):
    def before(self) -> None:
        self.inject(Code.BOOT_PREVENTED, "the first machine launched will never boot")
        self.cluster.cloud.fail_boots(1)

    def after(self, job: SeenJob) -> Iterator[Check]:
        (failed,) = self.cluster.cloud.failed_boots
        machines = {machine.id: machine for machine in self.cluster.cloud.launched()}
        others = [id for id, each in machines.items() if each.node == machines[failed].node and id != failed]
        yield Check(
            code=Code.FAILED_BOOT_TERMINATED,
            what="the machine that never boots is terminated",
            passed=not machines[failed].alive,
            detail=failed,
        )
        yield Check(
            code=Code.FAILED_BOOT_REPLACED,
            what="another machine replaces the one that never boots",
            passed=len(others) >= 1,
            detail=", ".join(others),
        )


def _check_resumed(output: str, tasks: int) -> Check:
    """Check that each task of the checkpoint job started twice, the second time after a saved step."""
    found = re.findall(r"^Task (\d+) begins after step (\d+) of", output, re.M)
    starts = {task: [step for each, step in found if int(each) == task] for task in range(tasks)}
    return Check(
        code=Code.RESUMED,
        what="the job resumes from its checkpoint",
        passed=all(len(steps) == 2 and steps[1] != "0" for steps in starts.values()),
        detail="; ".join(
            f"task {task} begins after steps {' and '.join(steps)}" if steps else f"task {task} never begins"
            for task, steps in starts.items()
        ),
    )


_SCENARIOS: dict[Fault | None, type[Scenario]] = {
    None: NoFault,
    Fault.CAPACITY: NoCapacity,
    Fault.SPOT: SpotNotice,
    Fault.DEAD_NODE: DeadNode,
    Fault.DEAD_DAEMON: DeadDaemon,
    Fault.BOOT: NoBoot,
}


def scenario_of(fault: Fault | None, cluster: LocalCluster, observer: Observer, job: Job) -> Scenario:
    return _SCENARIOS[fault](cluster=cluster, observer=observer, job=job)
