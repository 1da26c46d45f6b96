"""Ends machines and changes the states of nodes in Slurm; every change becomes an event of the cycle's report."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.contract import Driver, LaunchError, RefusedError, ThrottledError
from hpc_components.elastic.report.events import Event, EventKind
from hpc_components.elastic.slurm.contract import Slurm
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.reasons import OURS

__all__ = ["Executor"]


RETRY_FIRST, RETRY_LONGEST = 60.0, 3600.0
"""Seconds until the daemon asks again for the end of a machine that the cloud keeps: the first time, and at most.
After a refusal that is not about the machine it is always the first."""
READY = "ready for jobs again"
"""The reason of nodes whose downs are lifted."""
_ENDS_JOBS = frozenset({"down", "power_down_force"})
"""Setting a node to one of these ends its jobs."""


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """A machine that the cloud will not end, such as one protected from termination."""

    until: float
    """When it is asked again, seconds of the epoch."""
    pause: float
    """Seconds between the last two attempts."""


class Executor:
    """Ends machines and updates Slurm. It remembers what it has ended, since the list may still show it."""

    def __init__(self, driver: Driver, slurm: Slurm, clock: Callable[[], float]) -> None:
        self._driver = driver
        self._slurm = slurm
        self._clock = clock
        self._ended: dict[str, float] = {}
        self._kept: dict[str, _Kept] = {}
        self._warned: frozenset[str] = frozenset()
        self._not_ended_before: set[str] = set()
        self._not_ended_now: set[str] = set()
        """What was said in the last cycle, and in this one, of machines that could not be ended yet."""
        self._set_down: dict[str, str] = {}
        """Node -> the reason with which it was set down last."""
        self._unanswered: dict[str, float] = {}
        self.events: list[Event] = []
        """Events of this cycle."""
        self.calls = 0
        """Calls of the cloud in this cycle."""

    def begin(self) -> None:
        """A new cycle."""
        self.events = []
        self.calls = 0
        self._not_ended_before, self._not_ended_now = self._not_ended_now, set()
        now = self._clock()
        lag = self._driver.limits.list_lag_seconds
        self._ended = {id: at for id, at in self._ended.items() if now < at + lag}
        self._unanswered = {id: at for id, at in self._unanswered.items() if now < at + lag}

    def shift(self, step: float) -> None:
        """The clock was set by `step` seconds: move all times."""
        self._ended = {id: at + step for id, at in self._ended.items()}
        self._unanswered = {id: at + step for id, at in self._unanswered.items()}
        self._kept = {id: replace(kept, until=kept.until + step) for id, kept in self._kept.items()}

    @property
    def ended(self) -> Collection[str]:
        """Ids of machines that were ended within the list lag."""
        return self._ended.keys()

    @property
    def unanswered(self) -> Collection[str]:
        """Ids of machines whose end was requested within the list lag and not answered: they may end at any time."""
        return self._unanswered.keys()

    def end(self, machines: Mapping[str, str], why: str) -> bool:
        """End machines (id -> node). Whether the cloud ends them all; if not, the next cycle tries again."""
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
            longest = RETRY_LONGEST if error.kept else RETRY_FIRST  # a right that is missing may be given at any time
            self._keep({id: ends.pop(id) for id in refused}, str(error), longest)
            if unclear:
                kept += len(unclear)
                self._unanswered.update(dict.fromkeys(unclear, self._clock()))
                self._not_ended(EventKind.LOST, unclear, "the cloud did not say whether it ends them")
        except (OSError, LaunchError) as error:
            kind = EventKind.THROTTLED if isinstance(error, ThrottledError) else EventKind.LOST
            if isinstance(error, OSError):
                self._unanswered.update(dict.fromkeys(ends, self._clock()))  # a call may last as long as the lag
            self._not_ended(kind, ends, str(error))
            return False
        self._ended.update(dict.fromkeys(ends, self._clock()))
        for id in ends:
            self._kept.pop(id, None)
            self._unanswered.pop(id, None)
        if ends:
            self.tell(EventKind.TERMINATE, ends.values(), f"{fold(ends.values())}: machine ended: {why}")
        return not kept

    def _keep(self, machines: Mapping[str, str], words: str, longest: float) -> None:
        """The cloud will not end these (id -> node): tell it once, and ask less and less often."""
        news = {id: node for id, node in machines.items() if id not in self._kept}
        for id in machines:
            self._unanswered.pop(id, None)
            pause = min(2 * self._kept[id].pause, longest) if id in self._kept else RETRY_FIRST
            self._kept[id] = _Kept(until=self._clock() + pause, pause=pause)
        if news:
            self._not_ended(EventKind.REFUSED, news, words)

    def _not_ended(self, kind: EventKind, machines: Mapping[str, str], words: str) -> None:
        nodes = machines.values()
        told = f"{fold(nodes)}: machines could not be ended yet: {words}"
        self._not_ended_now.add(told)
        if told not in self._not_ended_before:  # once, not with every repetition
            self.tell(kind, nodes, told)

    def update(self, kind: EventKind | None, nodes: Collection[str], state: str, reason: str, words: str) -> bool:
        """Have Slurm change the state of nodes. Whether it did; if not, the next cycle tries again.

        Without a `kind`, only a failure becomes an event. Where the new state ends jobs, a batch job that has not
        begun is requeued, even if it was submitted with `--no-requeue`.
        """
        if not nodes:
            return True
        if state not in _ENDS_JOBS:
            return self._update(kind, nodes, state, reason, words)
        try:
            bound = self._bound(nodes)
            self._slurm.set_requeue(bound, True)
        except OSError as error:
            self.tell(EventKind.SLURM_AWAY, nodes, f"{fold(nodes)}: Slurm does not list the jobs that wait: {error}")
            return False
        done = self._update(kind, nodes, state, reason, words)
        try:
            self._slurm.set_requeue(bound, False)
        except OSError as error:
            self.tell(EventKind.SLURM_AWAY, nodes, f"jobs {sorted(bound)} keep requeue=1: {error}")
        return done

    def _update(self, kind: EventKind | None, nodes: Collection[str], state: str, reason: str, words: str) -> bool:
        try:
            self._slurm.update(nodes, state, reason)
        except OSError as error:
            self.tell(EventKind.SLURM_AWAY, nodes, f"{fold(nodes)}: Slurm did not set the state {state}: {error}")
            return False
        if kind:
            self.tell(kind, nodes, f"{fold(nodes)}: {words}")
        return True

    def _bound(self, nodes: Collection[str]) -> Collection[int]:
        """Batch jobs that wait for these nodes, read anew: Slurm may have changed them since the cycle began."""
        bound = set(self._slurm.bound())
        if not bound:
            return ()
        waiting = (job for job in self._slurm.jobs() if job.state == "CONFIGURING" and job.id in bound)
        return [job.id for job in waiting if not set(nodes).isdisjoint(job.nodes)]

    def down(self, nodes: Collection[str], reason: str) -> bool:
        """Set down. One event for each node and reason, although a node that was powered down is set down again."""
        known = [name for name in nodes if self._set_down.get(name) == reason]
        fresh = [name for name in nodes if self._set_down.get(name) != reason]
        if told := self.update(EventKind.DOWN, fresh, "down", reason, f"set down: {reason}"):
            self._set_down |= dict.fromkeys(fresh, reason)
        return self.update(None, known, "down", reason, "set down again") and told

    def resume(self, nodes: Collection[str]) -> bool:
        """Lift our downs, with a new reason: Slurm would keep the old one, and takes no empty one (24.11)."""
        for name in nodes:
            self._set_down.pop(name, None)
        return self.update(EventKind.RESUME, nodes, "resume", f"{OURS}{READY}", READY)

    def postpone(self, jobs: Collection[int], until: float, reason: str) -> None:
        """Have Slurm start these jobs no sooner than `until`: they can't have their nodes before."""
        names = ", ".join(map(str, sorted(jobs)))
        try:
            self._slurm.postpone(jobs, until - self._clock(), reason)
        except OSError as error:  # it is tried again with the job
            self.tell(EventKind.SLURM_AWAY, (), f"job {names} can't be told to wait: {error}")
        else:
            self.tell(EventKind.POSTPONE, (), f"job {names} waits: {reason}")

    def give_back(self, nodes: Collection[str], reason: str) -> bool:
        """Set nodes down, so that their jobs start elsewhere, then power them down, so that they are free again."""
        return self.down(nodes, reason) and self.update(EventKind.POWER_DOWN, nodes, "power_down", "", "powered down")

    def warn(self, nodes: Collection[str], words: str) -> None:
        """One event for each node of which `words` is true; `nodes` are all such nodes now."""
        fresh = [name for name in nodes if name not in self._warned]
        self._warned = frozenset(nodes)
        if fresh:
            self.tell(EventKind.UNLISTED, fresh, f"{fold(fresh)}: {words}")

    def tell(self, kind: EventKind, nodes: Iterable[str], words: str) -> None:
        """Add an event to the cycle's report."""
        self.events.append(Event(time=self._clock(), kind=kind, nodes=tuple(nodes), words=words))
