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
from hpc_components.elastic.slurm.reasons import BUDGET_SPENT

REGISTERED = frozenset(
    {*NOT_RESPONDING, *NOT_RESPONDING.values(), SlurmState.DRAINED, SlurmState.UNPAID, SlurmState.PAID_AGAIN}
)
"""States of a registered node, including those in which the node accepts no jobs."""
COMING = frozenset({SlurmState.POWERING_UP, SlurmState.UNWANTED})
"""States in which Slurm is waiting for the node to register."""

_UNDER_WAY = ALIVE | {CloudState.ASKED, CloudState.MISSING}
_BOOT_SLACK = 60.0
"""Maximum clock error of a machine that has just started, in seconds."""


class NodeView(NamedTuple):
    """A node's states in Slurm and in the cloud, and the time of the last change.

    One view is created for every node in every cycle. This class is a named tuple because creating a frozen dataclass
    takes three times as long.
    """

    name: str
    node: Node | None
    slurm: SlurmState
    cloud: CloudState
    machine: Instance | None
    """The node's current machine. If the node has no machine, its last machine, or None if the cloud no longer lists
    that machine."""
    since: float
    """Time of the last change of either state, in seconds since the epoch."""
    known_since: float = 0.0
    """Time at which the daemon requested the machine, in seconds since the epoch, or 0 if there is no machine. For a
    machine that the daemon did not request, the launch time reported by the cloud, but no later than the time when
    the machine was first seen."""

    def shifted(self, step: float) -> "NodeView":
        return self._replace(since=self.since + step, known_since=self.known_since + step)


@dataclass(frozen=True, kw_only=True)
class ClusterView:
    """All nodes, grouped by the action to take."""

    now: float
    """Time at which Slurm and the cloud were read, in seconds since the epoch."""
    seen: Mapping[str, NodeView]
    """Node views, keyed by node name. Pass them as `before` in the next call."""
    rows: Mapping[str, Decision]
    todo: Mapping[Action, list[NodeView]]
    """Maps each action to its nodes. Nodes that need no action are left out."""
    spares: tuple[Instance, ...]
    """Surplus machines of nodes that have more than one."""
    arrived: tuple[NodeView, ...]
    """Nodes that have registered since the previous call."""


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
    budget_spent: bool = False,
) -> ClusterView:
    """Find the decision-table row for every node known to Slurm or the cloud. Nodes of queues that are not in
    `config` are left out unless they have machines.

    - `ended`: ids of machines that the daemon terminated within the last `list_lag` seconds. These machines are
      treated as terminated, whatever the cloud's list shows.
    - `before`: the attribute `seen` of the previous call's result
    - `at_work`: nodes that are running jobs
    - `missing`: maps nodes to machines that were launched or seen alive but that the cloud does not currently list
    - `doubtful`: ids of machines whose termination request got no response
    - `budget_spent`: whether launches are stopped until the cluster's budget renews
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
        if slurm is SlurmState.UP and budget_spent:
            slurm = SlurmState.UNPAID
        elif slurm is SlurmState.DRAINING and not budget_spent and node and node.reason.startswith(BUDGET_SPENT):
            slurm = SlurmState.PAID_AGAIN
        if cloud is CloudState.ENDED and slurm in REGISTERED and not _is_its_own(machine, old, fleet):
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


def _is_its_own(machine: Instance | None, old: NodeView | None, fleet: "_Fleet") -> bool:
    """Return whether the ended machine is the one that the node was running on, rather than an earlier one.

    The node may be running on a newer machine that the list omits. Therefore, the ended machine must be that of the
    node's last launch, or must have been seen alive.
    """
    if machine is None:  # we terminated the machine, and had only its id from the launch response
        return True
    if fleet.is_last_launched(machine):  # it was reclaimed before a list showed it
        return True
    if old is None or old.machine is None or old.machine.id != machine.id:
        return False
    if old.cloud in ALIVE or old.cloud is CloudState.MISSING:
        return True
    return old.cloud is CloudState.ENDED and old.slurm in REGISTERED


def _is_for_nobody(node: Node, cloud: CloudState, old: NodeView | None) -> bool:
    """Return whether a node is still starting although no job is waiting for it.

    This excludes nodes that an administrator starts with `power_up`, so they still get a machine. Such a node has
    been idle from the start, and no machine was requested for it earlier.
    """
    if is_busy(node) or "DRAIN" in node.states:
        return False
    if cloud in _UNDER_WAY:
        return True
    if old is None or old.slurm not in COMING or old.node is None:
        return False
    return old.slurm is SlurmState.UNWANTED or old.cloud in _UNDER_WAY or is_busy(old.node)


class _Fleet:
    """The machines in the cloud's list, keyed by node, with corrections from the journal and from the latest
    calls.
    """

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
        """Maps each node to the token of its last launch, even if the machine is not listed."""
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
        """Return a node's machine, the node's state in the cloud, and any other machines of the node."""
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

    def is_last_launched(self, machine: Instance) -> bool:
        """Return whether the journal's last launch for the machine's node created this machine."""
        return self._asked.get(machine.node) == machine.token

    def known_since(self, machine: Instance | None, old: NodeView | None, now: float) -> float:
        if machine is None:
            return 0.0
        if old and old.machine and old.machine.id == machine.id:
            return old.known_since
        return min(self._launched.get(machine.token, machine.launched), now)

    def _is_former(self, machine: Instance, node: Node | None) -> bool:
        """Return whether the machine may be terminating while the node already has another machine, which is not
        listed yet.
        """
        if machine.id not in self._doubtful or _has_registered(node, machine):
            return False
        missing = self._missing.get(machine.node)
        return missing.id != machine.id if missing else machine.node in self._unlisted

    def _rank(self, node: Node | None, machine: Instance) -> tuple[bool, bool, float, bool, float]:
        """Return a sort key for the node's machines.

        Registered machines come before others and, within each group, machines that are not being terminated come
        before those that may be. Remaining ties go to the newest machine if the machines have registered, and
        otherwise to the machine of the last launch, then to the oldest.
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

    The boot timeout is measured from the machine's launch, because Slurm has been waiting since then.
    """
    here = now - seen.since
    if seen.slurm in COMING and seen.machine:
        # The state must also have lasted a while, because a restarting slurmctld may briefly show a working node as
        # booting.
        patience = min(config.boot_timeout, list_lag)
        if now - seen.known_since >= config.boot_timeout and here >= patience:
            return Age.TIMED_OUT
    elif seen.slurm is SlurmState.FAILED and here >= config.cooldown:
        return Age.TIMED_OUT
    return Age.RECENT if here < list_lag else Age.STABLE
