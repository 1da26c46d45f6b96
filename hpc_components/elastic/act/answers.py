from collections.abc import Callable, Sequence
from dataclasses import replace

from hpc_components.elastic.act.calls import Answer
from hpc_components.elastic.act.executor import Executor
from hpc_components.elastic.act.pool_blocks import PoolBlocks
from hpc_components.elastic.drivers.contract import (
    BudgetError,
    FailedError,
    LaunchError,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Instance, Launch, Pool
from hpc_components.elastic.report.events import EventKind
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.reasons import Why

GIVE_UP_AFTER_SECONDS = 60.0
"""Seconds after which a launch is abandoned if repeated requests remain unanswered."""


class Answers:
    """Processes answers, and tracks which pools and nodes they rule out for the rest of the cycle."""

    def __init__(self, journal: Journal, executor: Executor, blocks: PoolBlocks, clock: Callable[[], float]) -> None:
        self._journal = journal
        self._executor = executor
        self._blocks = blocks
        self._clock = clock
        self._last_words: dict[Pool, str] = {}
        """Maps each pool to the last message about a launch with an unknown outcome."""
        self.begin()

    def begin(self) -> None:
        self.paused = False
        """Whether the cloud throttled a call. If so, nothing more is launched in this cycle."""
        self.silent: set[Pool] = set()
        """Pools with an unanswered launch. They are not tried again in this cycle."""
        self.undecided: set[str] = set()
        """Nodes with an unanswered launch. A later cycle finds out whether they have machines."""
        self.machines: dict[str, Instance] = {}
        """Machines created by this cycle's launches, keyed by node name."""
        self.failed_first = False
        """Whether a launch's first call failed with a cloud error, in which case an early retry is worthwhile."""

    def is_overdue(self, launch: Launch) -> bool:
        return self._clock() - launch.asked >= GIVE_UP_AFTER_SECONDS

    def note(self, answer: Answer) -> bool:
        """Record the outcome of a call. Return False if the call exceeded the quota."""
        entry, former, error = answer.call.entry, answer.call.former, answer.error
        last_words = self._last_words.pop(entry.launch.pool, "")
        if error is None:
            self._made(entry, answer.machines, first=former is None)
        elif isinstance(error, ThrottledError):
            self._throttled(entry, former, error)
        elif isinstance(error, LaunchError):
            self._refused(entry, former, error, answer.call.needs)
            return not isinstance(error, QuotaError)
        elif isinstance(error, OSError):
            self._unanswered(entry, former, error, last_words)
        else:
            raise error
        return True

    def _made(self, entry: Entry, machines: Sequence[Instance], *, first: bool) -> None:
        launch = entry.launch
        wanted = set(launch.nodes)
        got = {machine.node: machine for machine in machines if machine.alive and machine.node in wanted}
        ids = {name: machine.id for name, machine in got.items()}
        self._journal.put(replace(entry, sent=self._clock(), machines=ids))
        self.machines.update(got)
        few = f" of {len(launch.nodes)}" if len(machines) < len(launch.nodes) else ""
        words = f"{fold(got)}: {len(got)}{few} machines from {launch.pool}"
        self._executor.tell(EventKind.LAUNCH, got, words)
        if few:
            self._blocks.add(launch.pool, f"only {len(got)}{few} machines")
        elif first and len(got) < len(launch.nodes):
            # some machines ended immediately, so don't retry the pool in this cycle
            self._blocks.failed.add(launch.pool)

    def _throttled(self, entry: Entry, former: Entry | None, error: ThrottledError) -> None:
        """Restore the journal entry, because the cloud did not carry out the call."""
        self.paused = True
        if former is None:
            self._journal.drop(entry.launch.token)
        else:
            self._journal.put(former)
        nodes = entry.launch.nodes
        self._executor.tell(EventKind.THROTTLED, nodes, f"{fold(nodes)}: the cloud is throttling requests: {error}")

    def _refused(self, entry: Entry, former: Entry | None, error: LaunchError, needs: int) -> None:
        launch = entry.launch
        if former is None:
            self._journal.drop(launch.token)
        elif former.heard:  # no earlier call succeeded, or the cloud would have returned its machines
            self._journal.put(replace(former, refused=True))
        else:  # the cloud may still carry out an earlier call
            self._journal.put(replace(entry, refused=True))
        if isinstance(error, BudgetError):
            kind, why = EventKind.BUDGET, Why.BUDGET
        elif isinstance(error, RefusedError):
            kind, why = EventKind.REFUSED, Why.REFUSED
        else:
            kind, why = EventKind.CAPACITY, Why.CAPACITY
        self._executor.tell(kind, launch.nodes, f"{fold(launch.nodes)}: no machines from {launch.pool}: {error}")
        if not isinstance(error, QuotaError):
            self._blocks.add(launch.pool, str(error), why)
        elif former is None and len(launch.nodes) == launch.minimum:
            self._blocks.add(launch.pool, str(error), Why.QUOTA, at_least=needs)

    def _unanswered(self, entry: Entry, former: Entry | None, error: OSError, last_words: str) -> None:
        launch = entry.launch
        failed = isinstance(error, FailedError)
        what = "the cloud failed" if failed else "no response from the cloud"
        words = self._last_words[launch.pool] = f"{fold(launch.nodes)}: {what}: {error}"
        if words != last_words:  # report the problem only once
            self._executor.tell(EventKind.LOST, launch.nodes, words)
        self.silent.add(launch.pool)
        self.undecided.update(launch.nodes)
        # if machines were created after all, the cloud will list them
        given_up = former is not None and self.is_overdue(launch)
        heard = failed and (former is None or former.heard)
        self.failed_first |= failed and former is None
        if heard or given_up:
            self._journal.put(replace(entry, sent=self._clock(), heard=heard, refused=given_up))
        if given_up:
            self._blocks.add(launch.pool, str(error), Why.SILENCE)
