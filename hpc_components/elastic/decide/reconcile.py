"""Finds each node's row in the decision table. All functions are pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from hpc_components.elastic.config import Config
from hpc_components.elastic.decide.table import ALIVE, Action, Age, CloudState, Decision, decide
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Instance, InstanceState, Node
from hpc_components.elastic.names import queue_of
from hpc_components.elastic.slurm.node_states import NOT_RESPONDING, SlurmState, is_busy, slurm_state

REGISTERED = frozenset({*NOT_RESPONDING, *NOT_RESPONDING.values(), SlurmState.DRAINED})
"""States of a node that has registered, whether or not jobs may use it."""
COMING = frozenset({SlurmState.POWERING_UP, SlurmState.UNWANTED})
"""States of a node whose registration Slurm is waiting for."""

_UNDER_WAY = ALIVE | {CloudState.ASKED, CloudState.MISSING}
_BOOT_SLACK = 60.0
"""Maximum clock error of a machine that has just started, in seconds."""


class NodeView(NamedTuple):
    """A node as shown by Slurm and by the cloud, for as long as both of its states stay the same.

    This is a tuple because one is created for every node in every cycle, and that takes a third of the time needed
    for a frozen dataclass.
    """

    name: str
    node: Node | None
    """The node in Slurm, or None if Slurm has no such node."""
    slurm: SlurmState
    cloud: CloudState
    machine: Instance | None
    """The node's machine or, without one, its last machine if the cloud still lists it, else None."""
    since: float
    """Time since which both states have been unchanged, in seconds since the epoch."""
    known_since: float = 0.0
    """Time at which the daemon requested the machine. If the daemon did not request it, its launch time according to
    the cloud, but no later than when it was first seen. In seconds since the epoch; 0 if there is no machine."""

    def shifted(self, step: float) -> "NodeView":
        """Return the same view with its times shifted, after the clock was set by `step` seconds."""
        return self._replace(since=self.since + step, known_since=self.known_since + step)


@dataclass(frozen=True, kw_only=True)
class ClusterView:
    """All nodes, grouped by what to do with them."""

    now: float
    """Time at which Slurm and the cloud were read, in seconds since the epoch."""
    seen: Mapping[str, NodeView]
    """Views, keyed by node name. Passed as `before` in the next call."""
    rows: Mapping[str, Decision]
    """Table rows, keyed by node name."""
    todo: Mapping[Action, list[NodeView]]
    """Maps actions to nodes, leaving out nodes that need no action."""
    spares: tuple[Instance, ...]
    """Surplus machines of nodes that have more than one."""
    arrived: tuple[NodeView, ...]
    """Nodes that have registered since `before`."""


def reconcile(
    config: Config,
    *,
    nodes: Iterable[Node],
    instances: Iterable[Instance],
    entries: Collection[Entry],
    ended: Collection[str],
    before: Mapping[str, NodeView],
    now: float,
    list_lag: float,
    at_work: Collection[str] = (),
    missing: Mapping[str, Instance] | None = None,
    doubtful: Collection[str] = (),
) -> ClusterView:
    """Find the decision-table row for every node known to Slurm or the cloud.

    `ended` contains the ids of machines that the daemon terminated within the list lag (in seconds); they count as
    terminated whatever the list shows. `before` is the `seen` of the previous call's result. `at_work` contains the
    nodes on which jobs run. `missing` maps nodes to machines that were launched or seen alive but that the cloud does
    not show now. `doubtful` contains the ids of machines with an unanswered termination request. Nodes of queues that
    `config` lacks are left out unless they have machines.
    """
    fleet = _Fleet(instances, entries, ended, missing or {}, doubtful)
    kept = {name for queue in config.queues for name in queue.kept}
    spares: list[Instance] = []
    seen: dict[str, NodeView] = {}
    rows: dict[str, Decision] = {}
    todo: dict[Action, list[NodeView]] = {}
    arrived: list[NodeView] = []
    known = {node.name: node for node in nodes if fleet.knows(node.name) or queue_of(node.name) in config.by_name}
    for name in (*known, *(name for name in fleet.names() if name not in known)):
        node = known.get(name)
        machine, cloud, others = fleet.look(name, node)
        spares += others
        slurm = slurm_state(node, works=name in at_work) if node else SlurmState.ABSENT
        old = before.get(name)
        if slurm is SlurmState.POWERING_UP and name not in kept and node and _is_for_nobody(node, cloud, old):
            slurm = SlurmState.UNWANTED
        if cloud is CloudState.ENDED and slurm in REGISTERED and not _is_its_own(machine, old):
            cloud = CloudState.NONE
        since = old.since if old and old.slurm is slurm and old.cloud is cloud else now
        known_since = fleet.known_since(machine, old, now)
        this = NodeView(
            name=name, node=node, slurm=slurm, cloud=cloud, machine=machine, since=since, known_since=known_since
        )
        seen[name] = this
        row = rows[name] = decide(slurm, cloud, _age(this, config, now, list_lag))
        if row.action is not Action.NOTHING:
            todo.setdefault(row.action, []).append(this)
        if old and old.slurm in COMING and slurm in REGISTERED:
            arrived.append(this)
    return ClusterView(now=now, seen=seen, rows=rows, todo=todo, spares=tuple(spares), arrived=tuple(arrived))


def _is_its_own(machine: Instance | None, old: NodeView | None) -> bool:
    """Return whether the machine that ended was the node's own, rather than an earlier one for the same node.

    A newer machine that the list omits may be running the node, so the one that ended must have been seen alive.
    """
    if machine is None:  # known only from the answer to its launch, and terminated by us
        return True
    if old is None or old.machine is None or old.machine.id != machine.id:
        return False
    if old.cloud in ALIVE or old.cloud is CloudState.MISSING:
        return True
    return old.cloud is CloudState.ENDED and old.slurm in REGISTERED


def _is_for_nobody(node: Node, cloud: CloudState, old: NodeView | None) -> bool:
    """Return whether a node is starting although no job waits for it any more.

    A node that an administrator powers up with `power_up` still gets its machine: such a node is idle from the start,
    and no machine was requested for it before.
    """
    if is_busy(node) or "DRAIN" in node.states:
        return False
    if cloud in _UNDER_WAY:
        return True
    if old is None or old.slurm not in COMING or old.node is None:
        return False
    return old.slurm is SlurmState.UNWANTED or old.cloud in _UNDER_WAY or is_busy(old.node)


class _Fleet:
    """Machines by node, from the cloud's list as corrected by the journal and the latest calls."""

    def __init__(
        self,
        instances: Iterable[Instance],
        entries: Collection[Entry],
        ended: Collection[str],
        missing: Mapping[str, Instance],
        doubtful: Collection[str],
    ) -> None:
        self._missing = missing
        self._doubtful = doubtful
        self._alive: dict[str, list[Instance]] = {}
        self._gone: dict[str, Instance | None] = {}
        self._asked: dict[str, str] = {}
        """Maps each node to the token of its last launch, whether or not the machine is listed."""
        self._unlisted: set[str] = set()
        self._launched = {entry.launch.token: entry.launch.asked for entry in entries}
        listed: set[tuple[str, str]] = set()
        for machine in instances:
            if machine.alive and machine.id not in ended:
                self._alive.setdefault(machine.node, []).append(machine)
            else:
                former = self._gone.get(machine.node)
                if former is None or former.launched < machine.launched:
                    self._gone[machine.node] = machine
            if machine.token in self._launched:
                listed.add((machine.token, machine.node))
        for entry in entries:
            for name in entry.nodes:
                self._asked[name] = entry.launch.token
                if entry.machines and entry.machines[name] in ended:
                    self._gone.setdefault(name, None)
                elif (entry.launch.token, name) not in listed:
                    self._unlisted.add(name)

    def knows(self, name: str) -> bool:
        """Return whether the node has or will have a machine."""
        return name in self._alive or name in self._asked or name in self._missing

    def names(self) -> Iterable[str]:
        """Return the names of nodes with machines, in a fixed order."""
        return {**self._alive, **self._asked, **self._missing}

    def look(self, name: str, node: Node | None) -> tuple[Instance | None, CloudState, Sequence[Instance]]:
        """Return a node's machine, the state that the cloud shows for the node, and the node's other machines."""
        machines = self._alive.get(name, [])
        if len(machines) > 1:
            machines = sorted(machines, key=partial(self._rank, node))
        if not machines or self._is_former(machines[0], node):
            if name in self._missing:
                return self._missing[name], CloudState.MISSING, machines
            former = self._gone.get(name)
            ended = CloudState.ENDED if name in self._gone else CloudState.NONE
            return former, CloudState.ASKED if name in self._unlisted else ended, machines
        first = machines[0]
        if first.id in self._doubtful:
            return first, CloudState.DOUBTFUL, machines[1:]
        if first.failing:
            return first, CloudState.FAILING, machines[1:]
        pending = first.state is InstanceState.PENDING
        return first, CloudState.PENDING if pending else CloudState.RUNNING, machines[1:]

    def known_since(self, machine: Instance | None, old: NodeView | None, now: float) -> float:
        """Return the time since which the daemon has known the machine.

        If the daemon did not launch the machine, the time comes from the cloud's clock.
        """
        if machine is None:
            return 0.0
        if old and old.machine and old.machine.id == machine.id:
            return old.known_since
        return min(self._launched.get(machine.token, machine.launched), now)

    def _is_former(self, machine: Instance, node: Node | None) -> bool:
        """Return whether the machine may be ending while the node already has another one that the list omits."""
        if machine.id not in self._doubtful or _has_registered(node, machine):
            return False
        missing = self._missing.get(machine.node)
        return missing.id != machine.id if missing else machine.node in self._unlisted

    def _rank(self, node: Node | None, machine: Instance) -> tuple[bool, bool, float, bool, float]:
        """Return a sort key for the node's machines.

        Machines that registered come first, then those not being terminated, then the one requested last, then the
        oldest.
        """
        registered = _has_registered(node, machine)
        by_age = -machine.launched if registered else 0.0
        doubtful = machine.id in self._doubtful
        return not registered, doubtful, by_age, self._asked.get(machine.node) != machine.token, machine.launched


def _has_registered(node: Node | None, machine: Instance) -> bool:
    """Return whether the node may have booted on this machine."""
    booted = node.booted_at if node and "POWERING_UP" not in node.states else 0.0
    return machine.launched <= booted + _BOOT_SLACK


def _age(seen: NodeView, config: Config, now: float, list_lag: float) -> Age:
    """Return how long the node's states in Slurm and in the cloud have lasted.

    For a booting machine, the time counts from its launch, because Slurm has been waiting since then.
    """
    here = now - seen.since
    if seen.slurm in COMING and seen.machine:
        # Look twice, because a slurmctld that restarts may show a working node as booting.
        patience = min(config.boot_timeout, list_lag)
        if now - seen.known_since >= config.boot_timeout and here >= patience:
            return Age.TIMED_OUT
    elif seen.slurm is SlurmState.FAILED and here >= config.cooldown:
        return Age.TIMED_OUT
    return Age.RECENT if here < list_lag else Age.STABLE
