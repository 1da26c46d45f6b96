"""Carries out a cycle's launches, trying one pool after another until every unit is complete or no pool is left."""

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from hpc_components.elastic.act.answers import Answers
from hpc_components.elastic.act.calls import Call, LaunchCalls
from hpc_components.elastic.act.executor import Executor
from hpc_components.elastic.act.order_parts import OrderParts
from hpc_components.elastic.act.pool_blocks import PoolBlocks
from hpc_components.elastic.config import Config
from hpc_components.elastic.drivers.contract import Driver
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Instance, Launch, Pool
from hpc_components.elastic.plan.planner import Order, Unit, plan_launches
from hpc_components.elastic.report.events import EventKind
from hpc_components.elastic.slurm.hostlists import fold

ANSWER_WAIT_SECONDS = 3.0
"""Maximum wait for an answer, in seconds. A later cycle collects answers that arrive afterwards."""
MAX_CALLS_PER_ORDER = 10
"""Maximum number of calls per cycle for an order that exceeds the quota."""

CallSequence = Generator[Call, bool, None]
"""Successive calls for one pool. Each `send` passes in whether the previous call was within the quota."""


class Launcher:
    """Sends launches, after writing each one to the journal."""

    def __init__(
        self,
        config: Config,
        driver: Driver,
        journal: Journal,
        executor: Executor,
        clock: Callable[[], float],
        calls: LaunchCalls,
    ) -> None:
        self._config = config
        self._driver = driver
        self._journal = journal
        self._executor = executor
        self._clock = clock
        self._calls = calls
        self._pools = {queue.name: queue.pools for queue in config.queues}
        self._in_one_pool = {queue.name for queue in config.queues if queue.placement == "cluster"}
        self._blocks = PoolBlocks(config, journal, clock)
        self._answers = Answers(journal, executor, self._blocks, clock)
        self._over_quota: dict[Pool, int] = {}
        """Maps each pool to the size of a launch that exceeded the quota according to a late answer."""
        self.begin()

    def begin(self) -> None:
        """Start a new cycle. Call `collect_late_answers` next, before listing the cloud's machines."""
        self._blocks.begin()
        self._answers.begin()
        self._undecided: set[str] = set()
        """Nodes whose launches are left to a later cycle."""
        self.stuck: list[Unit] = []
        """Units for which no pool is left."""

    @property
    def machines(self) -> dict[str, Instance]:
        return self._answers.machines

    @property
    def failed_first(self) -> bool:
        return self._answers.failed_first

    def collect_late_answers(self) -> None:
        while answer := self._calls.next_answer(0.0):
            launch = answer.call.entry.launch
            if not self._answers.note(answer):
                self._over_quota[launch.pool] = len(launch.nodes)

    def set_ending(self, pools: Collection[Pool]) -> None:
        """Set the pools in which this cluster is terminating machines. These pools will soon have free capacity."""
        self._blocks.ending = pools

    def settle(self, failed: Iterable[Entry], found: Iterable[Instance]) -> None:
        """Close launches that failed with a cloud error and were refused when they were sent again.

        `found` contains the machines that were looked up by the launches' tokens. If a launch had succeeded, sending
        it again would have returned its machines (see `Machines.launch`).
        """
        for entry in failed:
            made = {machine.node: machine.id for machine in found if machine.token == entry.launch.token}
            if made:
                self._journal.put(replace(entry, refused=False, machines=made))
            else:
                self._journal.drop(entry.launch.token)

    def is_under_way(self, entry: Entry) -> bool:
        """Return whether a call for the entry is still pending, in which case the entry must not be sent again."""
        call = self._calls.under_way.get(entry.launch.pool)
        return call is not None and call.entry.launch.token == entry.launch.token

    def repeat(self, entries: Iterable[Entry]) -> None:
        """Resend launches whose outcome is unknown. Their tokens prevent duplicate machines."""
        by_pool: dict[Pool, list[Entry]] = {}
        for entry in entries:
            by_pool.setdefault(entry.launch.pool, []).append(entry)
        self._run({pool: self._repeats(pool, own) for pool, own in by_pool.items()})

    def place(self, units: Sequence[Unit]) -> None:
        self.stuck += [unit for unit in units if not self._is_configured(unit)]
        units = [unit for unit in units if self._is_configured(unit)]
        while units and not self._answers.paused:
            planned = plan_launches(
                units, self._pools, *self._blocks.closed(), limits=self._driver.limits, in_one_pool=self._in_one_pool
            )
            self.stuck += planned.stuck
            ended = self._launch(planned.orders)
            units = self._left_over(units, planned.stuck, ended)

    def _is_configured(self, unit: Unit) -> bool:
        """If a queue has shrunk, Slurm may still list the removed nodes, which the configuration no longer
        contains.
        """
        queue = self._config.by_name.get(unit.queue)
        return queue is not None and queue.nodes.issuperset(unit.missing)

    def _launch(self, orders: Iterable[Order]) -> set[str]:
        """Make the calls for these orders. Return the ids of machines that were terminated to make way for the new
        ones.
        """
        ended: set[str] = set()
        by_pool: dict[Pool, list[Order]] = {}
        for order in orders:
            by_pool.setdefault(order.pool, []).append(order)
        self._run({pool: self._launches(pool, own, ended) for pool, own in by_pool.items()})
        return ended

    def _left_over(self, units: Iterable[Unit], stuck: Iterable[Unit], ended: Collection[str]) -> list[Unit]:
        hopeless = {id(unit) for unit in stuck}
        undecided = self._undecided | self._answers.undecided
        left = [
            unit.without_machines(ended).with_machines(self.machines) for unit in units if id(unit) not in hopeless
        ]
        return [unit for unit in left if unit.missing and undecided.isdisjoint(unit.missing)]

    def _run(self, sequences: Mapping[Pool, CallSequence]) -> None:
        """Make all calls, in parallel for different pools.

        Wait at most `ANSWER_WAIT_SECONDS` for each answer.
        """
        for sequence in sequences.values():
            self._next_call(sequence)
        while any(pool in self._calls.under_way for pool in sequences):
            answer = self._calls.next_answer(ANSWER_WAIT_SECONDS)
            if answer is None:
                break
            within_quota = self._answers.note(answer)
            if sequence := sequences.get(answer.call.entry.launch.pool):
                self._next_call(sequence, within_quota)
        for pool in sequences:
            if call := self._calls.under_way.get(pool):
                self._undecided.update(call.entry.launch.nodes)

    def _next_call(self, sequence: CallSequence, within_quota: bool | None = None) -> None:
        try:
            call = next(sequence) if within_quota is None else sequence.send(within_quota)
        except StopIteration:
            return
        self._journal.put(call.entry)
        self._executor.calls += 1
        self._calls.start(call, partial(self._driver.launch, call.entry.launch))

    def _repeats(self, pool: Pool, entries: Iterable[Entry]) -> CallSequence:
        for entry in entries:
            if self._answers.paused or pool in self._calls.under_way:
                return
            if pool not in self._answers.silent:
                words = f"{fold(entry.nodes)}: resending the launch, because its outcome is unknown"
                self._executor.tell(EventKind.REPEAT, entry.nodes, words)
                yield Call(entry=replace(entry, sent=self._clock(), heard=False), former=entry)
            elif self._answers.is_overdue(entry.launch):
                self._journal.put(replace(entry, refused=True))

    def _launches(self, pool: Pool, orders: Iterable[Order], ended: set[str]) -> CallSequence:
        """Yield the calls for all orders of a pool.

        If machines must be terminated to make way for the orders, add their ids to `ended`.
        """
        for order in orders:
            if self._answers.paused or pool in self._answers.silent or pool in self._calls.under_way:
                self._undecided.update(order.nodes)
            elif self._blocks.may_have(order) and self._give_up_others(order, ended):
                yield from self._parts(order)

    def _give_up_others(self, order: Order, ended: set[str]) -> bool:
        """Terminate the machines in other pools that currently use the order's node names.

        Return whether this succeeded.
        """
        ends = {machine.id: machine.node for machine in order.ends}
        if not self._executor.end(ends, f"the job will get all its nodes from {order.pool}"):
            self._undecided.update(order.together(ends.values()))
            return False
        ended.update(ends)
        for name in ends.values():
            self.machines.pop(name, None)
        return True

    def _parts(self, order: Order) -> CallSequence:
        """Yield the calls for an order: one call, or several smaller ones if the order exceeds the quota."""
        parts = OrderParts(order, over_quota=self._over_quota.pop(order.pool, None))
        for _ in range(MAX_CALLS_PER_ORDER):
            within_quota = yield self._new_call(order.pool, parts)
            parts.answered(within_quota=within_quota)
            if parts.done or self._answers.paused or order.pool in self._blocks.failed | self._answers.silent:
                return
        self._undecided.update(parts.left)

    def _new_call(self, pool: Pool, parts: OrderParts) -> Call:
        now, token = self._clock(), self._calls.new_token()
        launch = Launch(
            token=token, pool=pool, nodes=parts.nodes, minimum=parts.minimum, asked=now, sizes=parts.sizes
        )
        return Call(entry=Entry(launch=launch, sent=now), former=None, needs=parts.needs)
