"""The launches of one cycle: pool after pool until every unit is whole or no pool is left."""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from hpc_components.elastic.config import Config
from hpc_components.elastic.hands import Hands
from hpc_components.elastic.hostlists import fold
from hpc_components.elastic.journal import Entry, Journal
from hpc_components.elastic.model import (
    Driver,
    Instance,
    Launch,
    LaunchError,
    Pool,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.planner import Order, Unit, plan
from hpc_components.elastic.report import BlockedPool, EventKind, Why

__all__ = ["UNANSWERED", "Launcher"]

UNANSWERED = 60.0
"""Seconds after which a launch that was asked for again and again without an answer is given up."""
SILENT_LIMIT = 4
"""Pools without an answer in one cycle: each takes half a minute, and nothing else is done meanwhile."""
PARTS = 10
"""Calls in one cycle for one order that is over the quota."""
LEAVING_PAUSE = 60.0
"""Seconds for which a pool without capacity is left alone while machines of our own leave it: theirs comes free."""


class Launcher:
    """Sends launches; each is in the journal before the cloud hears of it."""

    def __init__(
        self,
        config: Config,
        driver: Driver,
        journal: Journal,
        hands: Hands,
        clock: Callable[[], float],
        leaving: Collection[Pool] = (),
    ) -> None:
        self._leaving = leaving
        """Pools with machines of ours that are being ended."""
        self._config = config
        self._driver = driver
        self._journal = journal
        self._hands = hands
        self._clock = clock
        self._pools = {queue.name: queue.pools for queue in config.queues}
        self._bound = {queue.name for queue in config.queues if queue.placement == "cluster"}
        self._failed: set[Pool] = set()
        self._silent: set[Pool] = set()
        self._waiting: set[str] = set()
        """Nodes of which the next cycle knows more."""
        self._stopped = False
        self.machines: dict[str, Instance] = {}
        """By node: what the launches brought."""
        self.stuck: list[Unit] = []
        """Those for which no pool is left."""

    def repeat(self, entries: Iterable[Entry]) -> None:
        """Send launches again whose answer is not known; by their tokens they make no second set of machines."""
        for entry in entries:
            if self._stopped:
                return
            if entry.launch.pool not in self._silent:
                words = f"{fold(entry.nodes)}: asked again for machines, the answer is not known"
                self._hands.tell(EventKind.REPEAT, entry.nodes, words)
                self._send(entry.launch, first=False)
            elif self._is_old(entry.launch):
                self._journal.put(replace(entry, refused=True))

    def place(self, units: Sequence[Unit]) -> None:
        """Launch machines for all units."""
        self.stuck += [unit for unit in units if self._is_beyond(unit)]
        units = [unit for unit in units if not self._is_beyond(unit)]
        while units and not self._stopped:
            planned = plan(units, self._pools, *self._shut(), self._bound)
            self.stuck += planned.stuck
            ended: set[str] = set()
            for order in planned.orders:
                if order.pool in self._silent or self._stopped:
                    self._waiting.update(order.nodes)
                elif self._may_have(order):
                    ended.update(self._make(order))
            hopeless = {id(unit) for unit in planned.stuck}
            units = [unit.without_machines(ended) for unit in units if id(unit) not in hopeless]
            units = [unit.with_machines(self.machines) for unit in units]
            units = [unit for unit in units if unit.missing and self._waiting.isdisjoint(unit.missing)]

    def _is_beyond(self, unit: Unit) -> bool:
        """Whether Slurm knows nodes of a queue that the configuration does not: it may have shrunk."""
        queue = self._config.by_name.get(unit.queue)
        return queue is None or any(name not in queue.nodes for name in unit.missing)

    def _shut(self) -> tuple[Mapping[Pool, int], set[Pool]]:
        """Pools as `plan` wants them: left alone for orders of so many machines, and of no use at all."""
        blocked = self._journal.blocked
        useless = {pool for pool, block in blocked.items() if block.why is not Why.CAPACITY and block.at_least == 1}
        return {pool: block.at_least for pool, block in blocked.items()}, self._failed | useless

    def _may_have(self, order: Order) -> bool:
        """Whether its pool has not turned out since it was planned to have nothing for it."""
        block = self._journal.blocked.get(order.pool)
        return order.pool not in self._failed and not (block and 1 < block.at_least <= order.minimum)

    def _make(self, order: Order) -> Sequence[str]:
        """Launch an order. Returns the ids of machines that were ended for it."""
        ends = {machine.id: machine.node for machine in order.ends}
        if not self._hands.end(ends, f"the job gets all its nodes from {order.pool}"):
            self._waiting.update(order.together(ends.values()))
            return ()
        for name in ends.values():
            self.machines.pop(name, None)
        nodes, sizes, step = order.nodes, order.sizes, len(order.sizes)
        for _ in range(PARTS):
            part = sizes[:step]
            fits = self._launch(order.pool, nodes[: sum(part)], part[0])
            if fits:
                nodes, sizes = nodes[sum(part) :], sizes[step:]
            elif step == 1:  # all that are left are as large, or larger
                break
            if not sizes or self._stopped or order.pool in self._failed | self._silent:
                break
            step = max(1, min(step, len(part)) // 2)
        else:
            self._waiting.update(nodes)
        return tuple(ends)

    def _launch(self, pool: Pool, nodes: tuple[str, ...], minimum: int) -> bool:
        """A new launch. False if it is over the quota; then the pool is left alone for a unit that is alone in it."""
        launch = Launch(token=uuid.uuid4().hex, pool=pool, nodes=nodes, minimum=minimum, asked=self._clock())
        try:
            self._send(launch, first=True)
        except QuotaError as error:
            if len(nodes) == minimum:
                self._rest(pool, str(error), Why.REFUSED, at_least=minimum)
            return False
        return True

    def _send(self, launch: Launch, *, first: bool) -> None:
        """Raises QuotaError for a launch that is sent for the first time; all else is noted."""
        entry = Entry(launch=launch, sent=self._clock())
        self._journal.put(entry)
        self._hands.calls += 1
        try:
            machines = self._driver.launch(launch)
        except ThrottledError as error:
            self._stopped = True
            if first:
                self._journal.drop(launch.token)
            words = f"{fold(launch.nodes)}: the cloud asks for a pause: {error}"
            self._hands.tell(EventKind.THROTTLED, launch.nodes, words)
        except LaunchError as error:
            self._refused(entry, error, first=first)
        except OSError as error:
            self._unanswered(entry, error, first=first)
        else:
            self._answered(entry, machines, first=first)

    def _refused(self, entry: Entry, error: LaunchError, *, first: bool) -> None:
        launch = entry.launch
        if first:
            self._journal.drop(launch.token)
        else:  # what was sent before may still be on its way
            self._journal.put(replace(entry, refused=True))
        refused = isinstance(error, RefusedError)
        kind, why = (EventKind.REFUSED, Why.REFUSED) if refused else (EventKind.CAPACITY, Why.CAPACITY)
        self._hands.tell(kind, launch.nodes, f"{fold(launch.nodes)}: nothing from {launch.pool}: {error}")
        if not isinstance(error, QuotaError):
            self._rest(launch.pool, str(error), why)
        elif first:
            raise error

    def _unanswered(self, entry: Entry, error: OSError, *, first: bool) -> None:
        launch = entry.launch
        self._hands.tell(EventKind.LOST, launch.nodes, f"{fold(launch.nodes)}: no answer from the cloud: {error}")
        self._silent.add(launch.pool)
        self._waiting.update(launch.nodes)
        if not first and self._is_old(launch):  # what comes of it after all is seen in the list
            self._journal.put(replace(entry, refused=True))
            self._rest(launch.pool, str(error), Why.SILENCE)
        self._stopped = len(self._silent) >= SILENT_LIMIT

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
            self._rest(launch.pool, f"only {len(got)}{few} machines")
        elif first and len(got) < len(launch.nodes):
            self._failed.add(launch.pool)  # they died at once: not again in this cycle

    def _rest(self, pool: Pool, words: str, why: Why = Why.CAPACITY, *, at_least: int = 1) -> None:
        """Leave a pool alone for the cool-down; `at_least`: only for orders of so many machines."""
        former = self._journal.blocked.get(pool)
        if former is None or at_least <= former.at_least:
            soon = why is Why.CAPACITY and pool in self._leaving
            pause = min(LEAVING_PAUSE, self._config.cooldown) if soon else self._config.cooldown
            until = self._clock() + pause
            self._journal.block(BlockedPool(pool=pool, until=until, words=words, why=why, at_least=at_least))
        if at_least == 1:
            self._failed.add(pool)
