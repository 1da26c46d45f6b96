"""Plans the launches that provide waiting jobs with nodes: as few launches as possible, with each job served
completely and from a single pool.

Has no side effects.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, Job, Pool
from hpc_components.elastic.names import number_of, queue_of


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A group of nodes in one queue that must be launched all or nothing: the nodes of one job, or of several jobs
    that share nodes.
    """

    queue: str
    missing: tuple[str, ...]
    """Nodes without a machine, sorted by number."""
    booting: tuple[Instance, ...] = ()
    """Machines that were launched for the unit but haven't registered yet, so they can still be given up."""
    up: tuple[Instance, ...] = ()
    """Registered machines of the unit. Their pools are tried first for the missing nodes."""

    @property
    def needs(self) -> int:
        """Number of machines that a pool must provide in addition to those already up."""
        return len(self.missing) + len(self.booting)

    def with_machines(self, machines: Mapping[str, Instance]) -> "Unit":
        got = [machines[name] for name in self.missing if name in machines]
        if not got:
            return self
        missing = tuple(name for name in self.missing if name not in machines)
        return replace(self, missing=missing, booting=(*self.booting, *got))

    def without_machines(self, ended: Collection[str]) -> "Unit":
        given_up = [machine.node for machine in self.booting if machine.id in ended]
        if not given_up:
            return self
        missing = tuple(sorted((*self.missing, *given_up), key=number_of))
        return replace(self, missing=missing, booting=tuple(m for m in self.booting if m.id not in ended))


@dataclass(frozen=True, kw_only=True)
class Order:
    """A launch to make, and the machines to terminate first."""

    pool: Pool
    nodes: tuple[str, ...]
    """Node names, grouped by unit."""
    sizes: tuple[int, ...]
    """Unit sizes, smallest first: the first `sizes[0]` nodes form one unit, the next `sizes[1]` another."""
    needs: tuple[int, ...]
    """Total number of machines that each unit needs from the pool. This number exceeds the unit's size if some of the
    unit's machines are already booting in the pool, or if the unit is too large for one launch."""
    ends: tuple[Instance, ...] = ()
    """Machines in other pools that have the same node names and must be terminated first."""

    @property
    def minimum(self) -> int:
        """Minimum number of machines that completes at least one unit."""
        return self.sizes[0]

    def together(self, names: Collection[str]) -> Iterator[str]:
        """Yield all nodes of the units that contain any of these names."""
        start = 0
        for size in self.sizes:
            own = self.nodes[start : start + size]
            if not set(own).isdisjoint(names):
                yield from own
            start += size


@dataclass(frozen=True, kw_only=True)
class Plan:
    orders: tuple[Order, ...]
    """Orders, in the sequence in which they must be placed."""
    stuck: tuple[Unit, ...]
    """Units for which no usable pool is left."""


def units_of(
    missing: Collection[str], jobs: Iterable[Job], booting: Mapping[str, Instance], up: Mapping[str, Instance]
) -> tuple[Unit, ...]:
    """Group the nodes without machines by job. A node without a job forms its own unit."""
    owner: dict[str, int] = {}
    parent: dict[int, int] = {}
    wanting: list[tuple[int, Job]] = []
    for index, job in enumerate(jobs):
        if len(job.nodes) == 1:
            continue  # this node forms its own unit, or belongs to another job's unit
        own = [name for name in job.nodes if name in missing or name in booting]
        if not own:
            continue
        wanting.append((index, job))
        parent[index] = index
        for name in own:
            parent[_root(parent, owner.setdefault(name, index))] = index
    together: dict[int, dict[str, None]] = {}
    for index, job in wanting:
        together.setdefault(_root(parent, index), {}).update(dict.fromkeys(job.nodes))
    units = [unit for names in together.values() for unit in _units(names, missing, booting, up)]
    units += [Unit(queue=queue_of(name), missing=(name,)) for name in missing if name not in owner]
    return tuple(units)


def _root(parent: dict[int, int], index: int) -> int:
    """Return the index of the job that represents all jobs connected to this one through shared nodes."""
    while parent[index] != index:
        parent[index] = parent[parent[index]]
        index = parent[index]
    return index


def _units(
    names: Iterable[str], missing: Collection[str], booting: Mapping[str, Instance], up: Mapping[str, Instance]
) -> Iterable[Unit]:
    """Yield one unit per queue that has nodes to launch, because nodes of different queues never come from the same
    pool.
    """
    queues: dict[str, list[str]] = {}
    for name in names:
        queues.setdefault(queue_of(name), []).append(name)
    for queue, own in queues.items():
        wanted = sorted((name for name in own if name in missing), key=number_of)
        if wanted:
            yield Unit(
                queue=queue,
                missing=tuple(wanted),
                booting=tuple(booting[name] for name in own if name in booting),
                up=tuple(up[name] for name in own if name in up),
            )


def plan_launches(
    units: Iterable[Unit],
    pools: Mapping[str, Sequence[Pool]],
    closed: Mapping[Pool, int],
    failed: Collection[Pool],
    *,
    limits: Limits,
    in_one_pool: Collection[str] = (),
) -> Plan:
    """Choose a pool for each unit, and combine units into as few launches as `limits` allow.

    - `pools` lists each queue's pools in the order in which they are tried.
    - `closed` maps each blocked pool to the smallest order size that is blocked; 1 blocks all orders. Even a fully
      blocked pool is tried for a unit whose machines are already booting there, so that the unit doesn't have to
      restart elsewhere.
    - `failed` contains the pools that must not be used at all.
    - `in_one_pool` contains queues whose units must not be spread over several pools: if some of a unit's nodes are
      already up, its other nodes must come from the same pool.
    """
    chosen: dict[Pool, list[Unit]] = {}
    stuck: list[Unit] = []
    for unit in units:
        pool = _choose(unit, pools.get(unit.queue, ()), closed, failed, in_one_pool=unit.queue in in_one_pool)
        if pool is None:
            stuck.append(unit)
        else:
            chosen.setdefault(pool, []).append(unit)
    orders = [order for pool, wanting in chosen.items() for order in _orders(pool, wanting, limits)]
    return Plan(orders=tuple(orders), stuck=tuple(stuck))


def _choose(
    unit: Unit, pools: Sequence[Pool], closed: Mapping[Pool, int], failed: Collection[Pool], *, in_one_pool: bool
) -> Pool | None:
    here = [machine.pool for machine in unit.up or unit.booting if machine.pool in pools]
    usable = [pool for pool in (*here, *pools) if pool not in failed and not _is_closed(unit, pool, closed)]
    if unit.up and here and in_one_pool:
        return next((pool for pool in usable if pool in here), None)
    return usable[0] if usable else None


def _is_closed(unit: Unit, pool: Pool, closed: Mapping[Pool, int]) -> bool:
    least = closed.get(pool)
    if least is None or (least == 1 and any(machine.pool == pool for machine in unit.booting)):
        return False
    return least <= unit.needs


def _orders(pool: Pool, units: Iterable[Unit], limits: Limits) -> Iterator[Order]:
    """Yield a pool's orders, smallest units first, so that `minimum` machines always complete a unit."""
    wanted = [(_names(unit, pool), tuple(m for m in unit.booting if m.pool != pool), unit.needs) for unit in units]
    wanted.sort(key=lambda each: (len(each[0]), number_of(each[0][0])))
    batch = _Batch(pool, limits)
    for names, ends, needs in wanted:
        if batch.take(names, ends, needs):
            continue
        if batch.nodes:
            yield batch.order()
        batch = _Batch(pool, limits)
        while not batch.take(names, ends, needs):  # the unit is too large for one launch
            fitting = _fitting(names, limits)
            yield Order(pool=pool, nodes=names[:fitting], sizes=(fitting,), needs=(needs,), ends=ends)
            names, ends = names[fitting:], ()
    yield batch.order()


def _names(unit: Unit, pool: Pool) -> tuple[str, ...]:
    """Return the nodes to launch if the unit is assigned to `pool`."""
    elsewhere = [machine.node for machine in unit.booting if machine.pool != pool]
    return tuple(sorted((*unit.missing, *elsewhere), key=number_of)) if elsewhere else unit.missing


class _Batch:
    def __init__(self, pool: Pool, limits: Limits) -> None:
        self.nodes: list[str] = []
        self._pool = pool
        self._limits = limits
        self._ends: list[Instance] = []
        self._sizes: list[int] = []
        self._needs: list[int] = []
        self._tag = _EMPTY

    def take(self, names: Sequence[str], ends: Iterable[Instance], needs: int) -> bool:
        """Add all of the nodes if they fit, and otherwise none. Return whether they were added."""
        if len(self.nodes) + len(names) > self._limits.launch_size:
            return False
        tag = self._tag
        for name in names:
            tag = _longer(tag, number_of(name))
        if _length(tag) > self._limits.tag_length:
            return False
        self._tag = tag
        self._sizes.append(len(names))
        self._needs.append(needs)
        self.nodes += names
        self._ends += ends
        return True

    def order(self) -> Order:
        return Order(
            pool=self._pool,
            nodes=tuple(self.nodes),
            sizes=tuple(self._sizes),
            needs=tuple(self._needs),
            ends=tuple(self._ends),
        )


def _fitting(names: Sequence[str], limits: Limits) -> int:
    tag = _EMPTY
    for count, name in enumerate(names[: limits.launch_size]):
        tag = _longer(tag, number_of(name))
        if _length(tag) > limits.tag_length:
            return count
    return min(len(names), limits.launch_size)


_Tag = tuple[int, int, int]
"""Running state for computing `len(tag_of(...))` one number at a time: (characters used by finished runs, first
number of the current run, last number of the current run)."""
_EMPTY: _Tag = (0, 0, -1)


def _longer(tag: _Tag, number: int) -> _Tag:
    complete, first, last = tag
    if number == last + 1:
        return complete, first, number
    return (_length(tag) + 1 if first else 0), number, number


def _length(tag: _Tag) -> int:
    complete, first, last = tag
    return complete + len(str(first)) + (1 + len(str(last)) if last > first else 0)
