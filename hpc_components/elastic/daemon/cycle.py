from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache

from hpc_components.elastic.act.actions import end_machines, give_up, resume_and_close, update_slurm
from hpc_components.elastic.act.availability import Availability
from hpc_components.elastic.act.calls import LaunchCalls
from hpc_components.elastic.act.executor import Executor
from hpc_components.elastic.act.launcher import Launcher
from hpc_components.elastic.budget.budget import Budget
from hpc_components.elastic.clock import Clock
from hpc_components.elastic.config import Config
from hpc_components.elastic.daemon.money import Money
from hpc_components.elastic.decide.boot_failures import BootFailures
from hpc_components.elastic.decide.health_failures import HealthFailures, Unhealthy
from hpc_components.elastic.decide.reconcile import ClusterView, NodeView, reconcile
from hpc_components.elastic.decide.table import Action, CloudState
from hpc_components.elastic.decide.unlisted import UnlistedMachines
from hpc_components.elastic.drivers.contract import Driver, LaunchError
from hpc_components.elastic.journal.entries import Entry, longest_block
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.ledger.ledger import Ledger
from hpc_components.elastic.model import Instance, InstanceState, Job, Node
from hpc_components.elastic.plan.demand import unanswered, units_waiting
from hpc_components.elastic.report.events import CycleReport, EventKind, FailedCheck, clock_time, slurm_away
from hpc_components.elastic.report.waiting import BUSY_PAUSE_SECONDS, next_pause, pending_waits
from hpc_components.elastic.slurm.contract import Slurm
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.node_states import SlurmState, is_refused

LOOKUP_AFTER_ERROR_SECONDS = 5.0
"""Seconds to wait after a cloud error, such as HTTP 500, before looking up the launch by its token."""

RETRY_PAUSE_SECONDS = 1.0
"""Seconds between a launch's first cloud error and its retry. If the launch succeeded despite the error, the retry
returns its machines, because both use the same token."""


@dataclass(frozen=True, kw_only=True)
class _Reading:
    time: float
    """Seconds since the epoch."""
    nodes: Sequence[Node] = ()
    jobs: Sequence[Job] = ()
    instances: Sequence[Instance] = ()


class Cycle:
    """Runs the daemon's cycles. The daemon may be killed at any point, during a cycle or between two cycles."""

    def __init__(
        self,
        config: Config,
        driver: Driver,
        slurm: Slurm,
        journal: Journal,
        clock: Clock,
        calls: LaunchCalls | None = None,
        ledger: Ledger | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._config = config
        self._driver = driver
        self._list_lag = driver.limits.list_lag_seconds
        self._slurm = slurm
        self._journal = journal
        self._clock = clock
        self._executor = Executor(driver, slurm, clock)
        self._launcher = Launcher(config, driver, journal, self._executor, clock, calls or LaunchCalls())
        self._boot_failures = BootFailures(journal, config.cooldown)
        self._health_failures = HealthFailures(config.cooldown)
        self._unhealthy: Sequence[Unhealthy] = ()
        """Machines that became unhealthy in this cycle."""
        self._money = Money(self._executor, ledger, budget)
        self._before: Mapping[str, NodeView] = {}
        self._journal_error: OSError | None = None
        """First journal error of this cycle, or None if the journal could be written."""
        # If the journal was lost, launch nothing until the cloud's list is certain to show all earlier launches.
        if journal.broken:
            with suppress(OSError):  # the next launch reports the error when it writes to the journal
                journal.pause_launches(clock() + self._list_lag)
        self._launch_from = min(journal.launches_paused_until, clock() + self._list_lag)
        self._looks_first = journal.found
        """Whether an earlier daemon may have launched machines. If so, the first list may not show all of them yet,
        so the machines are listed twice before more are launched."""

    def run(self) -> CycleReport:
        """Bring the cloud in line with Slurm's requests, as far as possible.

        OSError and LaunchError are included in the report, never raised.
        """
        step = self._follow_the_clock()
        self._executor.begin()
        self._launcher.begin()
        self._journal_error = None
        if step:
            words = f"the head node's clock jumped by {step:+.0f} s; all stored times were shifted to match"
            self._executor.tell(EventKind.CLOCK, (), words)
        now = self._clock()
        with self._journal_may_fail():
            self._launcher.collect_late_answers()
        # Read Slurm before the cloud, so that a starting node's machine has been launched by the time the machines
        # are listed. Read nodes before jobs, so that a starting node's job is listed unless it has ended in the
        # meantime.
        try:
            nodes, jobs = self._slurm.nodes(), self._slurm.jobs()
        except OSError as error:
            return self._failed(_Reading(time=now), EventKind.SLURM_AWAY, slurm_away(error))
        if not nodes and any(queue.max for queue in self._config.queues):
            words = "Slurm lists no elastic nodes although queues are configured; nothing was changed"
            return self._failed(_Reading(time=now), EventKind.SLURM_AWAY, words)
        try:
            instances, unlisted = self._read_cloud(nodes, now)
        except (OSError, LaunchError) as error:
            reading = _Reading(time=now, nodes=nodes, jobs=jobs)
            return self._failed(reading, EventKind.CLOUD_AWAY, f"can't list the machines in the cloud: {error}")
        return self._act(_Reading(time=now, nodes=nodes, jobs=jobs, instances=instances), unlisted)

    def _follow_the_clock(self) -> float:
        step = self._clock.set_right()
        if step:
            self._executor.shift(step)
            self._journal.shift(step)
            self._launch_from += step
            self._before = {name: this.shifted(step) for name, this in self._before.items()}
        return step

    def _read_cloud(self, nodes: Sequence[Node], now: float) -> tuple[Sequence[Instance], UnlistedMachines]:
        """Return the machines that the cloud lists or finds by id or token, and a tracker for unlisted machines."""
        executor, journal = self._executor, self._journal
        executor.calls += 1
        instances = self._driver.list()
        unlisted = UnlistedMachines(nodes, instances, journal.entries, executor.ended, self._before)
        ids, failed = unlisted.to_find(), [entry for entry in journal.entries if _is_over(entry, now)]
        if ids or failed:
            executor.calls += 1
            found = self._driver.find(ids, [entry.launch.token for entry in failed])
            unlisted.found(found)
            listed = {machine.id for machine in instances}
            instances = [*instances, *(machine for machine in found if machine.id not in listed)]
            with self._journal_may_fail():
                self._launcher.settle(failed, found)
        return instances, unlisted

    def _act(self, reading: _Reading, unlisted: UnlistedMachines) -> CycleReport:
        executor, launcher, journal = self._executor, self._launcher, self._journal
        self._tidy(reading, unlisted)
        spent = self._money.judge(reading.time)
        view = self._decide(reading, unlisted, spent=bool(spent))
        replaced = end_machines(executor, view)
        update_slurm(executor, view, next_try=clock_time(reading.time + self._config.cooldown), budget_spent=spent)
        launcher.set_ending({each.pool for each in reading.instances if _is_ending(each, executor.ended)})
        with self._journal_may_fail():
            self._launch(view, reading.jobs, replaced, spent=bool(spent))
        self._boot_failures.watch(launcher.machines)
        availability = Availability(self._config, journal.blocked, spent)
        give_up(executor, view, reading.jobs, launcher.stuck, availability)
        resume_and_close(executor, view, availability)
        if self._money.look is not None:
            executor.explain(f"hpc: {spent}" if spent else "")
        self._money.record(view, reading.instances, unlisted.answered)
        return self._report(reading, view)

    def _tidy(self, reading: _Reading, unlisted: UnlistedMachines) -> None:
        journal = self._journal
        if journal.entries or journal.blocked:
            wanted = {node.name for node in reading.nodes if "POWERING_UP" in node.states}
            longest = longest_block(self._config.cooldown)
            with self._journal_may_fail():
                journal.tidy(reading.time, wanted, list_lag=self._list_lag, awaited=unlisted.awaited, longest=longest)

    def _decide(self, reading: _Reading, unlisted: UnlistedMachines, *, spent: bool) -> ClusterView:
        view = reconcile(
            self._config,
            nodes=reading.nodes,
            instances=reading.instances,
            entries=self._journal.entries,
            ended=self._executor.ended,
            before=self._before,
            now=reading.time,
            list_lag=self._list_lag,
            at_work={name for job in reading.jobs if job.state == "RUNNING" for name in job.nodes},
            missing=unlisted.missing,
            doubtful=self._executor.unanswered,
            budget_spent=spent,
        )
        self._before = view.seen
        self._unhealthy = self._health_failures.notice(view)
        for one in self._unhealthy:
            words = f"{one.node}: machine {one.machine.id} ({one.machine.pool.machine}) failed its health check"
            self._executor.tell(EventKind.UNHEALTHY, [one.node], f"{words} {one.check}: {one.words}")
        if view.arrived:
            names = [this.name for this in view.arrived]
            self._executor.tell(EventKind.UP, names, f"{fold(names)}: registered")
        return view

    def _launch(self, view: ClusterView, jobs: Sequence[Job], replaced: Sequence[NodeView], *, spent: bool) -> None:
        """Launch the missing machines. If the budget is spent, give up on them instead.

        Raise OSError, and launch nothing more, if the journal can't be written.
        """
        launcher = self._launcher
        repeats, for_nobody = unanswered(view, self._journal.entries)
        if spent:
            for_nobody += [entry for entry in repeats if not launcher.is_under_way(entry)]
        for entry in for_nobody:  # if their machines appear after all, the cloud's list will show them
            self._journal.put(replace(entry, refused=True))
        waiting = view.todo.get(Action.LAUNCH, ())
        refused = (
            this for this in view.todo.get(Action.MARK_DOWN_AND_POWER_OFF, ()) if this.node and is_refused(this.node)
        )
        failures = self._boot_failures.count(view, [*replaced, *refused], self._executor.ended)
        for blocked in (*failures, *self._health_failures.blocks(view)):
            self._journal.block(blocked)
        looks_first, self._looks_first = self._looks_first, False
        if not (repeats or waiting or replaced) or self._clock() < self._launch_from:
            return
        if not spent:
            launcher.repeat([entry for entry in repeats if not launcher.is_under_way(entry)])
        if not looks_first:
            units = units_waiting(view, jobs, self._journal.entries, replaced, launcher.machines)
            if spent:
                launcher.stuck += units
            else:
                launcher.place(units)

    def _report(self, reading: _Reading, view: ClusterView) -> CycleReport:
        problem = ""
        if self._journal_error:
            problem = f"can't write the journal, so no machines can be launched: {self._journal_error}"
            self._executor.tell(EventKind.LOST, (), problem)
        waits = pending_waits(
            self._config, view, self._journal.blocked, self._launch_from, self._list_lag, self._money.look
        )
        return CycleReport(
            time=reading.time,
            pause=min([next_pause(view, waits, self._clock()), *self._early()]),
            problem=problem,
            nodes=tuple(reading.nodes),
            jobs=tuple(reading.jobs),
            instances=tuple(reading.instances),
            cells={name: _cell(this.slurm, this.cloud, view.rows[name].action) for name, this in view.seen.items()},
            events=tuple(self._executor.events),
            waits=waits,
            blocked=tuple(self._journal.blocked.values()),
            failed_checks=tuple(_failed_check(one) for one in self._unhealthy),
            budget=self._money.look,
            costs=self._money.costs(reading.time),
            calls=self._executor.calls,
        )

    def _early(self) -> Iterator[float]:
        """Yield the seconds until the next retry or lookup after a cloud error."""
        if self._launcher.failed_first:
            yield RETRY_PAUSE_SECONDS
        now = self._clock()
        for entry in self._journal.entries:
            if entry.refused and entry.heard:
                yield max(RETRY_PAUSE_SECONDS, entry.sent + LOOKUP_AFTER_ERROR_SECONDS - now)

    def _failed(self, reading: _Reading, kind: EventKind, problem: str) -> CycleReport:
        self._executor.tell(kind, (), problem)
        return CycleReport(
            time=reading.time,
            pause=BUSY_PAUSE_SECONDS,
            problem=problem,
            nodes=tuple(reading.nodes),
            jobs=tuple(reading.jobs),
            events=tuple(self._executor.events),
            blocked=tuple(self._journal.blocked.values()),
            budget=self._money.look,
            costs=self._money.costs(reading.time),
            calls=self._executor.calls,
        )

    @contextmanager
    def _journal_may_fail(self) -> Generator[None]:
        """A full disk must block only the actions that have to be written to the journal first."""
        try:
            yield
        except OSError as error:
            self._journal_error = self._journal_error or error


def _failed_check(one: Unhealthy) -> FailedCheck:
    pool = one.machine.pool
    return FailedCheck(queue=pool.queue, machine=pool.machine, check=one.check)


def _is_over(entry: Entry, now: float) -> bool:
    """Return whether a launch that got a cloud error and was then refused can no longer create machines."""
    return entry.refused and entry.heard and entry.sent + LOOKUP_AFTER_ERROR_SECONDS <= now


def _is_ending(machine: Instance, ended: Collection[str]) -> bool:
    """Return whether the machine's capacity will soon be free.

    The cloud may still list a machine as running just after it was terminated.
    """
    return machine.state is InstanceState.STOPPING or (machine.alive and machine.id in ended)


@cache  # bounded: one entry per cell of the decision table
def _cell(slurm: SlurmState, cloud: CloudState, action: Action) -> tuple[str, str, str]:
    return slurm.value, cloud.value, action.value
