"""One cycle: read Slurm, read the cloud, decide, act."""

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from hpc_components.elastic.act.actions import end_machines, give_up, lift_and_hold, tell_slurm
from hpc_components.elastic.act.availability import Closed
from hpc_components.elastic.act.calls import Calls
from hpc_components.elastic.act.executor import Hands
from hpc_components.elastic.act.launcher import Launcher
from hpc_components.elastic.clock import Clock
from hpc_components.elastic.config import Config
from hpc_components.elastic.decide.boot_failures import Strikes
from hpc_components.elastic.decide.reconcile import Seen, View, reconcile
from hpc_components.elastic.decide.table import LISTING_DELAY, Action
from hpc_components.elastic.decide.unlisted import Sight
from hpc_components.elastic.journal.file import LONGEST, Entry, Journal
from hpc_components.elastic.model import Driver, Instance, InstanceState, Job, LaunchError, Node, Slurm
from hpc_components.elastic.plan.demand import unanswered, units_waiting
from hpc_components.elastic.report.events import CycleReport, EventKind, clock_time
from hpc_components.elastic.report.waiting import BUSY_PAUSE, pause_of, waits_of
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.node_states import is_refused

__all__ = ["Cycle"]

SETTLING = 8.0
"""Seconds after a failure of the cloud until a machine of that launch is known by its token, if there is one."""


class Cycle:
    """What the daemon runs again and again; between two runs, and within one, it may be killed at any point."""

    def __init__(
        self, config: Config, driver: Driver, slurm: Slurm, journal: Journal, clock: Clock, calls: Calls | None = None
    ) -> None:
        self._config = config
        self._driver = driver
        self._slurm = slurm
        self._journal = journal
        self._clock = clock
        self._hands = Hands(driver, slurm, clock)
        self._launcher = Launcher(config, driver, journal, self._hands, clock, calls or Calls())
        self._strikes = Strikes(journal, config.cooldown)
        self._seen: Mapping[str, Seen] = {}
        # Without what the journal knew, nothing is launched before the list surely shows it.
        if journal.broken:
            with suppress(OSError):  # told as soon as a launch is to be written
                journal.hold(clock() + LISTING_DELAY)
        self._launch_from = min(journal.held_until, clock() + LISTING_DELAY)
        self._is_first = journal.found
        """Whether there was no look before: the list may lack a machine for once that only an earlier daemon knew."""

    def run(self) -> CycleReport:
        """Bring the cloud nearer to what Slurm wants. Never raises OSError or LaunchError: the report says it."""
        step = self._follow_the_clock()
        self._hands.begin()
        if step:
            words = f"the head node's clock was set by {step:+.0f} s; what waits and boots is counted on as before"
            self._hands.tell(EventKind.CLOCK, (), words)
        now = self._clock()
        full: list[OSError] = []
        self._launcher.begin()
        with _noting(full):
            self._launcher.hear_late()
        # Slurm first: the machine of a node that is seen coming up was launched before the list is made. Nodes before
        # jobs: the job of a node that is seen coming up is there, unless it has ended meanwhile.
        try:
            nodes, jobs = self._slurm.nodes(), self._slurm.jobs()
        except OSError as error:
            return self._nothing(now, EventKind.SLURM_AWAY, f"Slurm does not answer: {error}")
        if not nodes and any(queue.max for queue in self._config.queues):
            return self._nothing(now, EventKind.SLURM_AWAY, "Slurm knows no elastic nodes at all; not believed")
        try:
            instances, sight = self._look(nodes, now, full)
        except (OSError, LaunchError) as error:
            return self._nothing(now, EventKind.CLOUD_AWAY, f"the cloud does not answer: {error}", nodes, jobs)
        return self._act(now, nodes, jobs, instances, sight, full)

    def _look(self, nodes: Sequence[Node], now: float, full: list[OSError]) -> tuple[Sequence[Instance], Sight]:
        """All machines that the cloud lists, and those that it knows when it is asked for them."""
        hands = self._hands
        hands.calls += 1
        instances = self._driver.list()
        sight = Sight(nodes, instances, self._journal.entries, hands.ended, self._seen)
        ids, failed = sight.to_find(), [entry for entry in self._journal.entries if _is_over(entry, now)]
        if ids or failed:
            hands.calls += 1
            found = self._driver.find(ids, [entry.launch.token for entry in failed])
            sight.found(found)
            listed = {machine.id for machine in instances}
            instances = [*instances, *(machine for machine in found if machine.id not in listed)]
            with _noting(full):
                self._launcher.settle(failed, found)
        return instances, sight

    def _follow_the_clock(self) -> float:
        """If the head node's clock was set, what was noted stays as old as it is. Returns by how many seconds."""
        step = self._clock.set_right()
        if step:
            self._hands.shift(step)
            self._journal.shift(step)
            self._launch_from += step
            self._seen = {name: this.shifted(step) for name, this in self._seen.items()}
        return step

    def _act(
        self, now: float, nodes: Sequence[Node], jobs: Sequence[Job], instances: Sequence[Instance], sight: Sight,
        full: list[OSError],
    ) -> CycleReport:  # fmt: skip
        hands, journal, launcher = self._hands, self._journal, self._launcher
        if journal.entries or journal.blocked:
            with _noting(full):
                wanted = {node.name for node in nodes if "POWERING_UP" in node.states}
                journal.tidy(now, wanted, sight.awaited, max(LONGEST, self._config.cooldown))
        view = reconcile(
            self._config,
            nodes=nodes,
            instances=instances,
            entries=journal.entries,
            ended=hands.ended,
            before=self._seen,
            now=now,
            at_work={name for job in jobs if job.state == "RUNNING" for name in job.nodes},
            missing=sight.missing,
        )
        self._seen = view.seen
        if view.arrived:
            names = [this.name for this in view.arrived]
            hands.tell(EventKind.UP, names, f"{fold(names)}: registered")
        replaced = end_machines(hands, view)
        tell_slurm(hands, view, next_try=clock_time(now + self._config.cooldown))
        launcher.watch({each.pool for each in instances if _is_leaving(each, hands.ended)})
        with _noting(full):
            self._launch(view, jobs, replaced)
        self._strikes.watch(launcher.machines)
        closed = Closed(self._config, journal.blocked)
        give_up(hands, view, jobs, launcher.stuck, closed)
        lift_and_hold(hands, view, closed)
        problem = f"the journal can't be written: {full[0]}" if full else ""
        if problem:
            hands.tell(EventKind.LOST, (), problem)
        return CycleReport(
            time=now,
            pause=pause_of(view),
            problem=problem,
            nodes=tuple(nodes),
            jobs=tuple(jobs),
            instances=tuple(instances),
            cells={this.name: _cell(view, this) for this in view.seen.values()},
            events=tuple(hands.events),
            waits=waits_of(self._config, view, journal.blocked, self._launch_from),
            blocked=tuple(journal.blocked.values()),
            calls=hands.calls,
        )

    def _launch(self, view: View, jobs: Sequence[Job], replaced: Sequence[Seen]) -> None:
        """Launch what is missing. OSError if the journal can't be written: then nothing more is launched."""
        repeats, for_nobody = unanswered(view, self._journal.entries)
        for entry in for_nobody:  # what comes of it after all is seen in the list
            self._journal.put(replace(entry, refused=True))
        waiting = view.todo.get(Action.LAUNCH, ())
        refused = (this for this in view.todo.get(Action.DISCARD, ()) if this.node and is_refused(this.node))
        for blocked in self._strikes.count(view, [*replaced, *refused], self._hands.ended):
            self._journal.block(blocked)
        is_first, self._is_first = self._is_first, False
        if not (repeats or waiting or replaced) or self._clock() < self._launch_from:
            return
        launcher = self._launcher
        launcher.repeat([entry for entry in repeats if not launcher.is_under_way(entry)])
        if is_first:
            return
        units = units_waiting(view, jobs, self._journal.entries, replaced, launcher.machines)
        launcher.place(units)

    def _nothing(
        self,
        now: float,
        kind: EventKind,
        problem: str,
        nodes: Sequence[Node] = (),
        jobs: Sequence[Job] = (),
        instances: Sequence[Instance] = (),
    ) -> CycleReport:
        """A cycle that could not see enough to do anything."""
        self._hands.tell(kind, (), problem)
        return CycleReport(
            time=now,
            pause=BUSY_PAUSE,
            problem=problem,
            nodes=tuple(nodes),
            jobs=tuple(jobs),
            instances=tuple(instances),
            events=tuple(self._hands.events),
            blocked=tuple(self._journal.blocked.values()),
            calls=self._hands.calls,
        )


def _is_over(entry: Entry, now: float) -> bool:
    """Whether a launch that the cloud failed, and then refused, has surely made what it ever makes."""
    return entry.refused and entry.heard and entry.sent + SETTLING <= now


def _is_leaving(machine: Instance, ended: Collection[str]) -> bool:
    """Whether the machine's place comes free in a while; what we have ended a moment ago may be listed as running."""
    return machine.state is InstanceState.STOPPING or (machine.alive and machine.id in ended)


@contextmanager
def _noting(errors: list[OSError]) -> Generator[None]:
    """A disk that is full stops what needs it, and nothing else."""
    try:
        yield
    except OSError as error:
        errors.append(error)


def _cell(view: View, this: Seen) -> tuple[str, str, str]:
    return this.slurm.value, this.cloud.value, view.rows[this.name].action.value
