"""Which row of the decision table each node is in. Pure: values in, values out."""

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

__all__ = ["COMING", "REGISTERED", "ClusterView", "NodeView", "reconcile"]

REGISTERED = frozenset({*NOT_RESPONDING, *NOT_RESPONDING.values(), SlurmState.DRAINED})
"""The node has registered, whoever may use it."""
COMING = frozenset({SlurmState.BOOTING, SlurmState.UNWANTED})
"""Slurm waits for it to register."""

_UNDER_WAY = ALIVE | {CloudState.ASKED, CloudState.MISSING}
_BOOT_SLACK = 60.0
"""Seconds by which the clock of a machine that has just started may be wrong."""


class NodeView(NamedTuple):
    """A node as Slurm and the cloud show it, for as long as both states stay the same.

    A tuple, which is made in a third of a frozen dataclass's time: there is one for every node in every cycle.
    """

    name: str
    """Node name."""
    node: Node | None
    """What Slurm says; None if Slurm has no such node."""
    slurm: SlurmState
    """Its state in Slurm, in one word."""
    cloud: CloudState
    """What the cloud has."""
    machine: Instance | None
    """Its machine, else the last one that ended, if the cloud still lists it."""
    since: float
    """Since when both states are as they are, seconds of the epoch."""
    met: float = 0.0
    """Since when the daemon knows the machine, by its own clock: when it was asked for, else first seen; 0 without
    one."""

    def shifted(self, step: float) -> "NodeView":
        """The same view after the clock was set by `step` seconds."""
        return self._replace(since=self.since + step, met=self.met + step)


@dataclass(frozen=True, kw_only=True)
class ClusterView:
    """All nodes, grouped by what is to be done with them."""

    now: float
    """When Slurm and the cloud were read, seconds of the epoch."""
    seen: Mapping[str, NodeView]
    """By node name; `before` of the next call."""
    rows: Mapping[str, Decision]
    """By node name."""
    todo: Mapping[Action, list[NodeView]]
    """By action; NOTHING is left out."""
    spares: tuple[Instance, ...]
    """Machines beyond the first of a node: it needs only one."""
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
    """Find the row of the decision table for every node that Slurm or the cloud knows.

    `ended` are ids of machines that the daemon ended within the list lag (seconds), whatever the list shows. `before`
    is what the last call returned, `at_work` are nodes on which jobs run, `missing` are machines by node that were
    launched or seen alive and that the cloud does not show now. `doubtful` are ids of machines whose end was
    requested and not answered. Nodes of queues that `config` does not know are left out, unless they have machines.
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
        if slurm is SlurmState.BOOTING and name not in kept and node and _is_for_nobody(node, cloud, old):
            slurm = SlurmState.UNWANTED
        if cloud is CloudState.ENDED and slurm in REGISTERED and not _is_its_own(machine, old):
            cloud = CloudState.NONE
        since = old.since if old and old.slurm is slurm and old.cloud is cloud else now
        met = fleet.met(machine, old, now)
        this = NodeView(name=name, node=node, slurm=slurm, cloud=cloud, machine=machine, since=since, met=met)
        seen[name] = this
        row = rows[name] = decide(slurm, cloud, _age(this, config, now, list_lag))
        if row.action is not Action.NOTHING:
            todo.setdefault(row.action, []).append(this)
        if old and old.slurm in COMING and slurm in REGISTERED:
            arrived.append(this)
    return ClusterView(now=now, seen=seen, rows=rows, todo=todo, spares=tuple(spares), arrived=tuple(arrived))


def _is_its_own(machine: Instance | None, old: NodeView | None) -> bool:
    """Whether the machine that ended is the one on which the node ran, and not an earlier one of the same name.

    A younger machine may run the node although the list lacks it, so only a machine that was seen alive there counts.
    """
    if machine is None:  # known from the answer to its launch alone, and ended by us
        return True
    if old is None or old.machine is None or old.machine.id != machine.id:
        return False
    if old.cloud in ALIVE or old.cloud is CloudState.MISSING:
        return True
    return old.cloud is CloudState.ENDED and old.slurm in REGISTERED


def _is_for_nobody(node: Node, cloud: CloudState, old: NodeView | None) -> bool:
    """Whether no job waits for a node that comes up any more.

    A person's `power_up` gets one machine: its node is idle from the beginning, and nothing was asked for it before.
    """
    if is_busy(node) or "DRAIN" in node.states:
        return False
    if cloud in _UNDER_WAY:
        return True
    if old is None or old.slurm not in COMING or old.node is None:
        return False
    return old.slurm is SlurmState.UNWANTED or old.cloud in _UNDER_WAY or is_busy(old.node)


class _Fleet:
    """Machines by node: the cloud's list, corrected by what the journal and the last calls know better."""

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
        """Node -> token of the last launch, whether its machine is listed or not."""
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
        """Whether there is or will be a machine for a node."""
        return name in self._alive or name in self._asked or name in self._missing

    def names(self) -> Iterable[str]:
        """Nodes with machines, in a fixed order."""
        return {**self._alive, **self._asked, **self._missing}

    def look(self, name: str, node: Node | None) -> tuple[Instance | None, CloudState, Sequence[Instance]]:
        """A node's machine, the state of the cloud for it, and other machines of the node."""
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

    def met(self, machine: Instance | None, old: NodeView | None, now: float) -> float:
        """Since when the daemon knows the machine. Of one that it did not launch, by the cloud's clock."""
        if machine is None:
            return 0.0
        if old and old.machine and old.machine.id == machine.id:
            return old.met
        return min(self._launched.get(machine.token, machine.launched), now)

    def _is_former(self, machine: Instance, node: Node | None) -> bool:
        """Whether the machine may be ending, and the node has another one by now, which the list lacks."""
        if machine.id not in self._doubtful or _has_registered(node, machine):
            return False
        missing = self._missing.get(machine.node)
        return missing.id != machine.id if missing else machine.node in self._unlisted

    def _rank(self, node: Node | None, machine: Instance) -> tuple[bool, bool, float, bool, float]:
        """Lowest for the machine that registered, then one that will stay, the one asked for last, the oldest."""
        registered = _has_registered(node, machine)
        by_age = -machine.launched if registered else 0.0
        doubtful = machine.id in self._doubtful
        return not registered, doubtful, by_age, self._asked.get(machine.node) != machine.token, machine.launched


def _has_registered(node: Node | None, machine: Instance) -> bool:
    """Whether the node may have booted on this machine."""
    booted = node.boot_time if node and "POWERING_UP" not in node.states else 0.0
    return machine.launched <= booted + _BOOT_SLACK


def _age(seen: NodeView, config: Config, now: float, list_lag: float) -> Age:
    """How long both states have lasted. A machine that boots is as old as its launch: Slurm waits since then."""
    here = now - seen.since
    if seen.slurm in COMING and seen.machine:
        # A slurmctld that restarts may show a node that works as one that boots: look twice.
        patience = min(config.boot_timeout, list_lag)
        if now - seen.met >= config.boot_timeout and here >= patience:
            return Age.DUE
    elif seen.slurm is SlurmState.FAILED and here >= config.cooldown:
        return Age.DUE
    return Age.FRESH if here < list_lag else Age.SETTLED
