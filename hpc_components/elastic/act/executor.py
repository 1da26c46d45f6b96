from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.contract import Driver, LaunchError, RefusedError, ThrottledError
from hpc_components.elastic.report.events import Event, EventKind
from hpc_components.elastic.slurm.contract import Slurm
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.reasons import OF_BUDGET, REASON_PREFIX

RETRY_FIRST_SECONDS, RETRY_MAX_SECONDS = 60.0, 3600.0
"""First and maximum interval, in seconds, between attempts to terminate a machine that the cloud refuses to
terminate. If the refusal is not specific to individual machines, the interval does not grow."""
READY = "ready for jobs again"
MAX_EXPLAINED = 500
"""Maximum number of jobs whose comment is set in one cycle, because slurmctld changes one at a time."""
_ENDS_JOBS = frozenset({"down", "power_down_force"})


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """A machine that the cloud refuses to terminate, for example because of termination protection."""

    until: float
    """Time of the next attempt, in seconds since the epoch."""
    pause: float
    """Seconds between the last two attempts."""


class Executor:
    """Terminates machines and updates Slurm.

    Remembers which machines it has terminated, because the cloud may still list them.
    """

    def __init__(self, driver: Driver, slurm: Slurm, clock: Callable[[], float]) -> None:
        self._driver = driver
        self._slurm = slurm
        self._clock = clock
        self._ended: dict[str, float] = {}
        self._kept: dict[str, _Kept] = {}
        self._warned: frozenset[str] = frozenset()
        self._not_ended_before: set[str] = set()
        self._not_ended_now: set[str] = set()
        """Messages about machines that could not be terminated yet, from the previous cycle and from this one."""
        self._set_down: dict[str, str] = {}
        """Maps each node name to the reason given when the node was last set to down."""
        self._unanswered: dict[str, float] = {}
        self._unexplained = ""
        self._all_taken_back = False  # a former process may have said something
        self.events: list[Event] = []
        self.calls = 0

    def begin(self) -> None:
        self.events = []
        self.calls = 0
        self._not_ended_before, self._not_ended_now = self._not_ended_now, set()
        now = self._clock()
        lag = self._driver.limits.list_lag_seconds
        self._ended = {id: at for id, at in self._ended.items() if now < at + lag}
        self._unanswered = {id: at for id, at in self._unanswered.items() if now < at + lag}

    def shift(self, step: float) -> None:
        """Shift all stored times by `step` seconds after the wall clock has been set."""
        self._ended = {id: at + step for id, at in self._ended.items()}
        self._unanswered = {id: at + step for id, at in self._unanswered.items()}
        self._kept = {id: replace(kept, until=kept.until + step) for id, kept in self._kept.items()}

    @property
    def ended(self) -> Mapping[str, float]:
        """Maps the ids of machines that were terminated so recently that the cloud may still list them to the time at
        which the cloud answered."""
        return self._ended

    @property
    def unanswered(self) -> Collection[str]:
        """Ids of machines with a recent, unanswered termination request.

        These machines may shut down at any time.
        """
        return self._unanswered.keys()

    def end(self, machines: Mapping[str, str], why: str) -> bool:
        """Terminate the machines in `machines`, which maps machine ids to node names.

        Return whether all of them are being terminated. If not, the next cycle tries again.
        """
        now = self._clock()
        ends = {id: node for id, node in machines.items() if id not in self._kept or self._kept[id].until <= now}
        kept = len(machines) - len(ends)
        if not ends:
            return not kept
        self.calls += 1
        try:
            self._driver.terminate(list(ends))
        except RefusedError as error:
            unclear = {id: ends.pop(id) for id in error.unclear if id in ends}
            kept += len(refused := [id for id in ends if not error.kept or id in error.kept])
            longest = (
                RETRY_MAX_SECONDS if error.kept else RETRY_FIRST_SECONDS
            )  # retry often, because a missing permission may be granted at any time
            self._keep({id: ends.pop(id) for id in refused}, str(error), longest)
            if unclear:
                kept += len(unclear)
                self._unanswered.update(dict.fromkeys(unclear, self._clock()))
                self._not_ended(EventKind.LOST, unclear, "the cloud did not confirm the termination")
        except (OSError, LaunchError) as error:
            kind = EventKind.THROTTLED if isinstance(error, ThrottledError) else EventKind.LOST
            if isinstance(error, OSError):
                # read the clock again, because a call may take as long as the list lag
                self._unanswered.update(dict.fromkeys(ends, self._clock()))
            self._not_ended(kind, ends, str(error))
            return False
        self._ended.update(dict.fromkeys(ends, self._clock()))
        for id in ends:
            self._kept.pop(id, None)
            self._unanswered.pop(id, None)
        if ends:
            self.tell(EventKind.TERMINATE, ends.values(), f"{fold(ends.values())}: machine terminated: {why}")
        return not kept

    def _keep(self, machines: Mapping[str, str], words: str, longest: float) -> None:
        """Record machines that the cloud refuses to terminate, and schedule the next attempt.

        Each machine is reported only once. `machines` maps machine ids to node names.
        """
        news = {id: node for id, node in machines.items() if id not in self._kept}
        for id in machines:
            self._unanswered.pop(id, None)
            pause = min(2 * self._kept[id].pause, longest) if id in self._kept else RETRY_FIRST_SECONDS
            self._kept[id] = _Kept(until=self._clock() + pause, pause=pause)
        if news:
            self._not_ended(EventKind.REFUSED, news, words)

    def _not_ended(self, kind: EventKind, machines: Mapping[str, str], words: str) -> None:
        nodes = machines.values()
        told = f"{fold(nodes)}: can't terminate machines yet: {words}"
        self._not_ended_now.add(told)
        if told not in self._not_ended_before:  # report the problem only once
            self.tell(kind, nodes, told)

    def update(self, kind: EventKind | None, nodes: Collection[str], state: str, reason: str, words: str) -> bool:
        """Change the state of nodes in Slurm. Return whether this succeeded; if not, the next cycle tries again.

        If `kind` is None, only failures are reported. If the new state ends jobs, batch jobs that have not started
        are requeued, even if they were submitted with `--no-requeue`.
        """
        if not nodes:
            return True
        if state not in _ENDS_JOBS:
            return self._update(kind, nodes, state, reason, words)
        try:
            bound = self._bound(nodes)
            self._slurm.set_requeue(bound, True)
        except OSError as error:
            self.tell(EventKind.SLURM_AWAY, nodes, f"{fold(nodes)}: can't get the waiting jobs from Slurm: {error}")
            return False
        done = self._update(kind, nodes, state, reason, words)
        try:
            self._slurm.set_requeue(bound, False)
        except OSError as error:
            self.tell(EventKind.SLURM_AWAY, nodes, f"jobs {sorted(bound)} still have requeue=1: {error}")
        return done

    def _update(self, kind: EventKind | None, nodes: Collection[str], state: str, reason: str, words: str) -> bool:
        try:
            self._slurm.update(nodes, state, reason)
        except OSError as error:
            self.tell(EventKind.SLURM_AWAY, nodes, f"{fold(nodes)}: can't set the state {state} in Slurm: {error}")
            return False
        if kind:
            self.tell(kind, nodes, f"{fold(nodes)}: {words}")
        return True

    def _bound(self, nodes: Collection[str]) -> Collection[int]:
        """Return the batch jobs that are waiting for these nodes.

        Read the jobs from Slurm again, because they may have changed since the cycle began.
        """
        bound = set(self._slurm.bound())
        if not bound:
            return ()
        waiting = (job for job in self._slurm.jobs() if job.state == "CONFIGURING" and job.id in bound)
        return [job.id for job in waiting if not set(nodes).isdisjoint(job.nodes)]

    def down(self, nodes: Collection[str], reason: str) -> bool:
        """Set nodes to down.

        Report each combination of node and reason only once, even if the node is powered down in between and has to
        be set to down again.
        """
        known = [name for name in nodes if self._set_down.get(name) == reason]
        fresh = [name for name in nodes if self._set_down.get(name) != reason]
        if told := self.update(EventKind.DOWN, fresh, "down", reason, f"set down: {reason}"):
            self._set_down |= dict.fromkeys(fresh, reason)
        return self.update(None, known, "down", reason, "set down again") and told

    def resume(self, nodes: Collection[str]) -> bool:
        """Resume nodes that we set to down, and give them a new reason.

        Without a new reason, Slurm would keep the old one. The reason can't be empty, because Slurm 24.11 rejects
        that.
        """
        for name in nodes:
            self._set_down.pop(name, None)
        return self.update(EventKind.RESUME, nodes, "resume", f"{REASON_PREFIX}{READY}", READY)

    def postpone(self, jobs: Collection[int], until: float, reason: str) -> None:
        names = ", ".join(map(str, sorted(jobs)))
        try:
            self._slurm.postpone(jobs, until - self._clock(), reason)
        except OSError as error:  # when the job is next retried, we will try again to defer it
            self.tell(EventKind.SLURM_AWAY, (), f"can't defer job {names}: {error}")
        else:
            self.tell(EventKind.POSTPONE, (), f"job {names} must wait: {reason}")

    def explain(self, why: str) -> None:
        """Say to everyone whose job waits in the queue why it does, a few hundred jobs at a time. If nothing is to be
        said, take back what was said of the budget.

        A comment that others set stays: `hpc-people` recognizes the jobs that it holds by it.
        Jobs may start or end in the meantime, which Slurm reports as an error, so an error is reported only once.
        """
        if not why and self._all_taken_back:
            return
        trouble, self._all_taken_back = "", False
        try:
            waiting = self._slurm.waiting().items()
            unexplained = [job for job, comment in waiting if _is_outdated(comment, why)]
            if unexplained:
                self._slurm.explain(unexplained[:MAX_EXPLAINED], why)
            self._all_taken_back = not why and len(unexplained) <= MAX_EXPLAINED
        except OSError as error:
            trouble = f"can't tell all jobs why they wait: {error}"
        if trouble and trouble != self._unexplained:
            self.tell(EventKind.SLURM_AWAY, (), trouble)
        self._unexplained = trouble

    def give_back(self, nodes: Collection[str], reason: str) -> bool:
        """Set nodes to down so that their jobs start elsewhere, then power the nodes down to make them available
        again."""
        return self.down(nodes, reason) and self.update(EventKind.POWER_DOWN, nodes, "power_down", "", "powered down")

    def warn(self, nodes: Collection[str], words: str) -> None:
        """Report `words` once for each node. `nodes` must contain every node to which the message applies now."""
        fresh = [name for name in nodes if name not in self._warned]
        self._warned = frozenset(nodes)
        if fresh:
            self.tell(EventKind.UNLISTED, fresh, f"{fold(fresh)}: {words}")

    def tell(self, kind: EventKind, nodes: Iterable[str], words: str) -> None:
        self.events.append(Event(time=self._clock(), kind=kind, nodes=tuple(nodes), words=words))


def _is_outdated(comment: str, why: str) -> bool:
    """Return whether a comment on a waiting job should be `why`. Comments may be cut off. Others' comments stay."""
    if not why:
        return comment.startswith(f"{REASON_PREFIX}{OF_BUDGET}")
    return not comment or (comment.startswith(REASON_PREFIX) and not why.startswith(comment))
