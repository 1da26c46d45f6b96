"""The launches of one cycle: pool after pool until every unit is whole or no pool is left."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from hpc_components.elastic.config import Config
from hpc_components.elastic.hands import Hands
from hpc_components.elastic.hostlists import fold
from hpc_components.elastic.journal import Entry, Journal
from hpc_components.elastic.model import Driver, Instance, Launch, LaunchError, Pool, RefusedError, ThrottledError
from hpc_components.elastic.planner import Order, Unit, plan
from hpc_components.elastic.report import BlockedPool, EventKind, Why

__all__ = ["Launcher"]


class Launcher:
    """Sends launches; each is in the journal before the cloud hears of it."""

    def __init__(
        self, config: Config, driver: Driver, journal: Journal, hands: Hands, clock: Callable[[], float]
    ) -> None:
        self._config = config
        self._driver = driver
        self._journal = journal
        self._hands = hands
        self._clock = clock
        self._pools = {queue.name: queue.pools for queue in config.queues}
        self._failed: set[Pool] = set()
        self._stopped = False
        self.machines: dict[str, Instance] = {}
        """By node: what the launches brought."""

    def repeat(self, entries: Iterable[Entry]) -> None:
        """Send launches again whose answer is not known; by their tokens they make no second set of machines."""
        for entry in entries:
            if self._stopped:
                return
            words = f"{fold(entry.nodes)}: asked again for machines, the answer is not known"
            self._hands.tell(EventKind.REPEAT, entry.nodes, words)
            self._send(entry.launch, first=False)

    def place(self, units: Sequence[Unit]) -> list[Unit]:
        """Launch machines for all units. Returns those for which no pool is left."""
        stuck = [unit for unit in units if self._is_beyond(unit)]
        units = [unit for unit in units if not self._is_beyond(unit)]
        while units and not self._stopped:
            planned = plan(units, self._pools, self._journal.blocked, self._failed)
            stuck += planned.stuck
            ended: set[str] = set()
            for order in planned.orders:
                if self._stopped:
                    break
                if order.pool not in self._failed:
                    ended.update(self._make(order))
            hopeless = {id(unit) for unit in planned.stuck}
            units = [unit.without_machines(ended) for unit in units if id(unit) not in hopeless]
            units = [unit for unit in (unit.with_machines(self.machines) for unit in units) if unit.missing]
        return stuck

    def _is_beyond(self, unit: Unit) -> bool:
        """Whether Slurm knows nodes of a queue that the configuration does not: it may have shrunk."""
        queue = self._config.by_name.get(unit.queue)
        return queue is None or any(name not in queue.nodes for name in unit.missing)

    def block(self, blocked: BlockedPool) -> None:
        """Leave a pool alone."""
        self._failed.add(blocked.pool)
        self._journal.block(blocked)

    def _rest(self, pool: Pool, words: str, why: Why = Why.CAPACITY) -> None:
        """Leave a pool alone for the cool-down."""
        until = self._clock() + self._config.cooldown
        self.block(BlockedPool(pool=pool, until=until, words=words, why=why))

    def _make(self, order: Order) -> Sequence[str]:
        """Launch an order. Returns the ids of machines that were ended for it."""
        ends = {machine.id: machine.node for machine in order.ends}
        if not self._hands.end(ends, f"the job gets all its nodes from {order.pool}"):
            self._stopped = True
            return ()
        for name in ends.values():
            self.machines.pop(name, None)
        launch = Launch(
            token=uuid.uuid4().hex, pool=order.pool, nodes=order.nodes, minimum=order.minimum, asked=self._clock()
        )
        self._send(launch, first=True)
        return tuple(ends)

    def _send(self, launch: Launch, *, first: bool) -> None:
        entry = Entry(launch=launch, sent=self._clock())
        self._journal.put(entry)
        self._hands.calls += 1
        nodes, pool = fold(launch.nodes), launch.pool
        try:
            machines = self._driver.launch(launch)
        except ThrottledError as error:
            self._stopped = True
            if first:
                self._journal.drop(launch.token)
            self._hands.tell(EventKind.THROTTLED, launch.nodes, f"{nodes}: the cloud asks for a pause: {error}")
        except LaunchError as error:
            if first:
                self._journal.drop(launch.token)
            else:  # what was sent before may still be on its way
                self._journal.put(replace(entry, refused=True))
            refused = isinstance(error, RefusedError)
            kind, why = (EventKind.REFUSED, Why.REFUSED) if refused else (EventKind.CAPACITY, Why.CAPACITY)
            self._rest(pool, str(error), why)
            self._hands.tell(kind, launch.nodes, f"{nodes}: nothing from {pool}: {error}")
        except OSError as error:
            self._stopped = True
            self._hands.tell(EventKind.LOST, launch.nodes, f"{nodes}: no answer from the cloud: {error}")
        else:
            self._answered(entry, machines, first=first)

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
