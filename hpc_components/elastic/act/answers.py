"""What the cloud's answers to launches mean: for the journal, for people, and for the pools."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from hpc_components.elastic.act.calls import Answer
from hpc_components.elastic.act.executor import Executor
from hpc_components.elastic.act.pool_blocks import PoolBlocks
from hpc_components.elastic.drivers.contract import (
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

__all__ = ["UNANSWERED", "Answers"]

UNANSWERED = 60.0
"""Seconds after which a launch that was sent again and again without an answer is given up."""


class Answers:
    """Notes answers, and remembers for the rest of the cycle what they forbid."""

    def __init__(self, journal: Journal, executor: Executor, blocks: PoolBlocks, clock: Callable[[], float]) -> None:
        self._journal = journal
        self._executor = executor
        self._blocks = blocks
        self._clock = clock
        self._last_words: dict[Pool, str] = {}
        """What was reported of the last launch from a pool, if nobody knows what came of it."""
        self.begin()

    def begin(self) -> None:
        """A new cycle."""
        self.paused = False
        """The cloud has asked for a pause: nothing more is launched in this cycle."""
        self.silent: set[Pool] = set()
        """Pools whose launches are not answered: they are not asked again in this cycle."""
        self.undecided: set[str] = set()
        """Nodes of these launches: whether they have machines is for a later cycle to find out."""
        self.machines: dict[str, Instance] = {}
        """What the launches brought, by node."""
        self.failed_first = False
        """Whether the cloud failed at the first call of a launch, which is worth another try very soon."""

    def is_overdue(self, launch: Launch) -> bool:
        """Whether a launch without an answer is to be given up."""
        return self._clock() - launch.asked >= UNANSWERED

    def note(self, answer: Answer) -> bool:
        """Remember what came of a call. False if it was over the quota."""
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
            self._blocks.failed.add(launch.pool)  # some ended at once: not again in this cycle

    def _throttled(self, entry: Entry, former: Entry | None, error: ThrottledError) -> None:
        """The cloud has done nothing: the journal is as it was before the call."""
        self.paused = True
        if former is None:
            self._journal.drop(entry.launch.token)
        else:
            self._journal.put(former)
        nodes = entry.launch.nodes
        self._executor.tell(EventKind.THROTTLED, nodes, f"{fold(nodes)}: the cloud asks for a pause: {error}")

    def _refused(self, entry: Entry, former: Entry | None, error: LaunchError, needs: int) -> None:
        launch = entry.launch
        if former is None:
            self._journal.drop(launch.token)
        elif former.heard:  # had an earlier call been carried out, this one had been answered with its machines
            self._journal.put(replace(former, refused=True))
        else:  # an earlier call may still be carried out
            self._journal.put(replace(entry, refused=True))
        refused = isinstance(error, RefusedError)
        kind, why = (EventKind.REFUSED, Why.REFUSED) if refused else (EventKind.CAPACITY, Why.CAPACITY)
        self._executor.tell(kind, launch.nodes, f"{fold(launch.nodes)}: no machines from {launch.pool}: {error}")
        if not isinstance(error, QuotaError):
            self._blocks.add(launch.pool, str(error), why)
        elif former is None and len(launch.nodes) == launch.minimum:
            self._blocks.add(launch.pool, str(error), Why.QUOTA, at_least=needs)

    def _unanswered(self, entry: Entry, former: Entry | None, error: OSError, last_words: str) -> None:
        launch = entry.launch
        failed = isinstance(error, FailedError)
        what = "the cloud failed" if failed else "no answer from the cloud"
        words = self._last_words[launch.pool] = f"{fold(launch.nodes)}: {what}: {error}"
        if words != last_words:  # once, not with every repetition
            self._executor.tell(EventKind.LOST, launch.nodes, words)
        self.silent.add(launch.pool)
        self.undecided.update(launch.nodes)
        given_up = former is not None and self.is_overdue(
            launch
        )  # if it makes machines after all, the list shows them
        heard = failed and (former is None or former.heard)
        self.failed_first |= failed and former is None
        if heard or given_up:
            self._journal.put(replace(entry, sent=self._clock(), heard=heard, refused=given_up))
        if given_up:
            self._blocks.add(launch.pool, str(error), Why.SILENCE)
