"""The launches of one cycle: pool after pool until every unit is whole or no pool is left."""

import uuid
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from hpc_components.elastic.act.calls import Answer, Call, Calls
from hpc_components.elastic.act.executor import Hands
from hpc_components.elastic.act.pool_blocks import Rests
from hpc_components.elastic.config import Config
from hpc_components.elastic.journal.file import Entry, Journal
from hpc_components.elastic.model import (
    Driver,
    FailedError,
    Instance,
    Launch,
    LaunchError,
    Pool,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.plan.planner import Order, Unit, plan
from hpc_components.elastic.report.events import EventKind, Why
from hpc_components.elastic.slurm.hostlists import fold

__all__ = ["PATIENCE", "UNANSWERED", "Launcher"]

UNANSWERED = 60.0
"""Seconds after which a launch that was asked for again and again without an answer is given up."""
PATIENCE = 3.0
"""Seconds for which a cycle waits for an answer; later ones are heard by a later cycle."""
PARTS = 10
"""Calls in one cycle for one order that is over the quota."""

Talk = Generator[Call, bool, None]
"""Calls for one pool, one after the other: each is told whether the launch was within the quota."""


class Launcher:
    """Sends launches; each is in the journal before the cloud hears of it."""

    def __init__(
        self,
        config: Config,
        driver: Driver,
        journal: Journal,
        hands: Hands,
        clock: Callable[[], float],
        calls: Calls,
    ) -> None:
        self._config = config
        self._driver = driver
        self._journal = journal
        self._hands = hands
        self._clock = clock
        self._calls = calls
        self._pools = {queue.name: queue.pools for queue in config.queues}
        self._bound = {queue.name for queue in config.queues if queue.placement == "cluster"}
        self._rests = Rests(config, journal, clock)
        self._too_many: dict[Pool, int] = {}
        """Machines that were over the quota, as was heard late."""
        self.begin()

    def begin(self) -> None:
        """A new cycle. What was answered since the last one is noted before the cloud's list is read."""
        self._rests.begin()
        self._silent: set[Pool] = set()
        self._waiting: set[str] = set()
        """Nodes of which the next cycle knows more."""
        self._stopped = False
        self.machines: dict[str, Instance] = {}
        """By node: what the launches brought."""
        self.stuck: list[Unit] = []
        """Those for which no pool is left."""

    def hear_late(self) -> None:
        """Note the answers for which an earlier cycle did not wait."""
        while answer := self._calls.hear(0.0):
            launch = answer.call.entry.launch
            if not self._note(answer):
                self._too_many[launch.pool] = len(launch.nodes)

    def watch(self, leaving: Collection[Pool]) -> None:
        """These have machines of ours that are being ended."""
        self._rests.leaving = leaving

    def settle(self, failed: Iterable[Entry], found: Iterable[Instance]) -> None:
        """The cloud failed these launches and refused to repeat them. `found` is what it knows of by their tokens.

        Had one been carried out, its repetition would have been answered with its machines. Source: EC2 developer
        guide, "Ensuring idempotency", read 2026-11-22.
        """
        for entry in failed:
            made = {machine.node: machine.id for machine in found if machine.token == entry.launch.token}
            if made:
                self._journal.put(replace(entry, refused=False, machines=made))
            else:
                self._journal.drop(entry.launch.token)

    def is_under_way(self, entry: Entry) -> bool:
        """Whether its answer is still to come, so that it is not to be sent again."""
        call = self._calls.under_way.get(entry.launch.pool)
        return call is not None and call.entry.launch.token == entry.launch.token

    def repeat(self, entries: Iterable[Entry]) -> None:
        """Send launches again whose answer is not known; by their tokens they make no second set of machines."""
        own: dict[Pool, list[Entry]] = {}
        for entry in entries:
            own.setdefault(entry.launch.pool, []).append(entry)
        self._run({pool: self._repeats(pool, each) for pool, each in own.items()})

    def _repeats(self, pool: Pool, entries: Iterable[Entry]) -> Talk:
        for entry in entries:
            if self._stopped or pool in self._calls.under_way:
                return
            if pool not in self._silent:
                words = f"{fold(entry.nodes)}: asked again for machines, the answer is not known"
                self._hands.tell(EventKind.REPEAT, entry.nodes, words)
                yield Call(entry=replace(entry, sent=self._clock(), heard=False), former=entry)
            elif self._is_old(entry.launch):
                self._journal.put(replace(entry, refused=True))

    def place(self, units: Sequence[Unit]) -> None:
        """Launch machines for all units."""
        self.stuck += [unit for unit in units if self._is_beyond(unit)]
        units = [unit for unit in units if not self._is_beyond(unit)]
        while units and not self._stopped:
            planned = plan(units, self._pools, *self._rests.closed(), self._bound)
            self.stuck += planned.stuck
            ended: set[str] = set()
            orders: dict[Pool, list[Order]] = {}
            for order in planned.orders:
                orders.setdefault(order.pool, []).append(order)
            self._run({pool: self._orders(pool, each, ended) for pool, each in orders.items()})
            hopeless = {id(unit) for unit in planned.stuck}
            units = [unit.without_machines(ended) for unit in units if id(unit) not in hopeless]
            units = [unit.with_machines(self.machines) for unit in units]
            units = [unit for unit in units if unit.missing and self._waiting.isdisjoint(unit.missing)]

    def _run(self, talks: Mapping[Pool, Talk]) -> None:
        """Make all calls, those of different pools beside each other. None of them is waited for beyond patience."""
        for talk in talks.values():
            self._go_on(talk)
        while any(pool in self._calls.under_way for pool in talks):
            answer = self._calls.hear(PATIENCE)
            if answer is None:
                break
            pool, is_enough = answer.call.entry.launch.pool, self._note(answer)
            if pool in talks:
                self._go_on(talks[pool], is_enough)
        for pool in talks:
            if call := self._calls.under_way.get(pool):
                self._waiting.update(call.entry.launch.nodes)

    def _go_on(self, talk: Talk, heard: bool | None = None) -> None:
        """Make the next call of a talk, if there is one."""
        try:
            call = next(talk) if heard is None else talk.send(heard)
        except StopIteration:
            return
        self._journal.put(call.entry)
        self._hands.calls += 1
        self._calls.start(call, partial(self._driver.launch, call.entry.launch))

    def _orders(self, pool: Pool, orders: Iterable[Order], ended: set[str]) -> Talk:
        for order in orders:
            if self._stopped or pool in self._silent or pool in self._calls.under_way:
                self._waiting.update(order.nodes)
            elif self._rests.may_have(order):
                yield from self._make(order, ended)

    def _is_beyond(self, unit: Unit) -> bool:
        """Whether Slurm knows nodes of a queue that the configuration does not: it may have shrunk."""
        queue = self._config.by_name.get(unit.queue)
        return queue is None or any(name not in queue.nodes for name in unit.missing)

    def _make(self, order: Order, ended: set[str]) -> Talk:
        """Launch an order. Adds the ids of machines that are ended for it to `ended`."""
        ends = {machine.id: machine.node for machine in order.ends}
        if not self._hands.end(ends, f"the job gets all its nodes from {order.pool}"):
            self._waiting.update(order.together(ends.values()))
            return
        ended.update(ends)
        for name in ends.values():
            self.machines.pop(name, None)
        nodes, sizes = order.nodes, order.sizes
        step = self._first_step(order)
        for _ in range(PARTS):
            part = sizes[:step]
            fits = yield self._new(order.pool, nodes[: sum(part)], part[0])
            if fits:
                nodes, sizes = nodes[sum(part) :], sizes[step:]
            elif step == 1:  # all that are left are as large, or larger
                break
            if not sizes or self._stopped or order.pool in self._rests.failed | self._silent:
                break
            step = max(1, min(step, len(part)) // 2)
        else:
            self._waiting.update(nodes)

    def _first_step(self, order: Order) -> int:
        """How many units to try at once: all, but half of what was over the quota."""
        step, limit = len(order.sizes), self._too_many.pop(order.pool, None)
        while limit is not None and step > 1 and sum(order.sizes[:step]) > limit // 2:
            step //= 2
        return step

    def _new(self, pool: Pool, nodes: tuple[str, ...], minimum: int) -> Call:
        now = self._clock()
        launch = Launch(token=uuid.uuid4().hex, pool=pool, nodes=nodes, minimum=minimum, asked=now)
        return Call(entry=Entry(launch=launch, sent=now), former=None)

    def _note(self, answer: Answer) -> bool:
        """Remember what came of a call. False if it is over the quota."""
        entry, former, error = answer.call.entry, answer.call.former, answer.error
        launch = entry.launch
        if error is None:
            self._answered(entry, answer.machines, first=former is None)
        elif isinstance(error, ThrottledError):
            self._stopped = True
            self._take_back(entry, former)
            words = f"{fold(launch.nodes)}: the cloud asks for a pause: {error}"
            self._hands.tell(EventKind.THROTTLED, launch.nodes, words)
        elif isinstance(error, LaunchError):
            self._refused(entry, former, error)
            return not isinstance(error, QuotaError)
        elif isinstance(error, OSError):
            self._unanswered(entry, former, error)
        else:
            raise error
        return True

    def _take_back(self, entry: Entry, former: Entry | None) -> None:
        """As it was before the call: the cloud has done nothing about it."""
        if former is None:
            self._journal.drop(entry.launch.token)
        else:
            self._journal.put(former)

    def _refused(self, entry: Entry, former: Entry | None, error: LaunchError) -> None:
        launch = entry.launch
        if former is None:
            self._journal.drop(launch.token)
        elif former.heard:  # had it been carried out before, this call had been answered with its machines
            self._journal.put(replace(former, refused=True))
        else:  # what was sent before may still be on its way
            self._journal.put(replace(entry, refused=True))
        refused = isinstance(error, RefusedError)
        kind, why = (EventKind.REFUSED, Why.REFUSED) if refused else (EventKind.CAPACITY, Why.CAPACITY)
        self._hands.tell(kind, launch.nodes, f"{fold(launch.nodes)}: nothing from {launch.pool}: {error}")
        if not isinstance(error, QuotaError):
            self._rests.add(launch.pool, str(error), why)
        elif former is None and len(launch.nodes) == launch.minimum:
            self._rests.add(launch.pool, str(error), Why.REFUSED, at_least=launch.minimum)

    def _unanswered(self, entry: Entry, former: Entry | None, error: OSError) -> None:
        launch = entry.launch
        failed = isinstance(error, FailedError)
        what = "the cloud failed" if failed else "no answer from the cloud"
        self._hands.tell(EventKind.LOST, launch.nodes, f"{fold(launch.nodes)}: {what}: {error}")
        self._silent.add(launch.pool)
        self._waiting.update(launch.nodes)
        given_up = former is not None and self._is_old(launch)  # what comes of it after all is seen in the list
        heard = failed and (former is None or former.heard)
        if heard or given_up:
            self._journal.put(replace(entry, sent=self._clock(), heard=heard, refused=given_up))
        if given_up:
            self._rests.add(launch.pool, str(error), Why.SILENCE)

    def _is_old(self, launch: Launch) -> bool:
        return self._clock() - launch.asked >= UNANSWERED

    def _answered(self, entry: Entry, machines: Sequence[Instance], *, first: bool) -> None:
        launch = entry.launch
        wanted = set(launch.nodes)
        got = {machine.node: machine for machine in machines if machine.alive and machine.node in wanted}
        ids = {name: machine.id for name, machine in got.items()}
        self._journal.put(replace(entry, sent=self._clock(), machines=ids))
        self.machines.update(got)
        few = f" of {len(launch.nodes)}" if len(machines) < len(launch.nodes) else ""
        words = f"{fold(got)}: {len(got)}{few} machines from {launch.pool}"
        self._hands.tell(EventKind.LAUNCH, got, words)
        if few:
            self._rests.add(launch.pool, f"only {len(got)}{few} machines")
        elif first and len(got) < len(launch.nodes):
            self._rests.failed.add(launch.pool)  # they died at once: not again in this cycle
