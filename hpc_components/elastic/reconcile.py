"""Which row of the decision table each node is in. Pure: values in, values out."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from hpc_components.elastic.config import Config
from hpc_components.elastic.decisions import (
    LISTING_DELAY,
    NO_CAPACITY,
    OURS,
    Action,
    Age,
    CloudState,
    Row,
    SlurmState,
    decide,
)
from hpc_components.elastic.journal import Entry
from hpc_components.elastic.model import Instance, InstanceState, Node

__all__ = ["Seen", "View", "is_busy", "reconcile", "slurm_state"]

RESUME_TIMEOUT = "ResumeTimeout reached"
"""Slurm's own reason for a node that did not register in time (slurmctld, power_save.c; seen on 22.05 and 24.11)."""
NOT_RESPONDING = "Not responding"
"""Slurm's own reason for a node that fell silent for SlurmdTimeout (slurmctld, ping_nodes.c; seen on both)."""

_BUSY = frozenset({"ALLOCATED", "MIXED", "COMPLETING"})
_BOOT_SLACK = 60.0
"""Seconds by which the clock of a machine that has just started may be wrong."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A node in one pair of states, for as long as it stays there."""

    name: str
    """Node name."""
    node: Node | None
    """What Slurm says; None if it has no such node."""
    slurm: SlurmState
    """That in one word."""
    cloud: CloudState
    """What the cloud has."""
    machine: Instance | None
    """Its machine, if one lives."""
    since: float
    """Since when it was seen in this pair of states, seconds of the epoch."""


@dataclass(frozen=True, kw_only=True)
class View:
    """All nodes, sorted by what is to be done with them."""

    seen: Mapping[str, Seen]
    """By node name. The next `reconcile` is given it."""
    rows: Mapping[str, Row]
    """By node name."""
    todo: Mapping[Action, list[Seen]]
    """By action; REST is left out."""
    spares: tuple[Instance, ...] = field(default=())
    """Living machines beyond a node's first."""


def reconcile(
    config: Config,
    *,
    nodes: Iterable[Node],
    instances: Iterable[Instance],
    entries: Collection[Entry],
    ended: Collection[str],
    before: Mapping[str, Seen],
    now: float,
) -> View:
    """Put every node that Slurm or the cloud knows in its row.

    `ended` are ids of machines that were ended within the listing delay, whatever the list says of them. `before` is
    what the last call saw. Machines of nodes that Slurm does not know have rows as well.
    """
    alive, gone, asked = _machines(instances, entries, ended)
    by_name = {node.name: node for node in nodes}
    spares: list[Instance] = []
    seen: dict[str, Seen] = {}
    rows: dict[str, Row] = {}
    todo: dict[Action, list[Seen]] = {}
    for name in (*by_name, *(name for name in {**alive, **asked} if name not in by_name)):
        node = by_name.get(name)
        machines = alive.get(name)
        if machines and len(machines) > 1:
            machines = _keeper_first(machines, node, entries)
            spares += machines[1:]
        machine = machines[0] if machines else None
        slurm = slurm_state(node) if node else SlurmState.ABSENT
        cloud = _cloud_state(machine, name in asked, name in gone)
        old = before.get(name)
        if old and old.node == node and old.slurm is slurm and old.cloud is cloud and old.machine == machine:
            this = old
        else:
            since = old.since if old and old.slurm is slurm and old.cloud is cloud else now
            this = Seen(name=name, node=node, slurm=slurm, cloud=cloud, machine=machine, since=since)
        seen[name] = this
        row = rows[name] = decide(slurm, cloud, _age(this, config, now))
        if row.action is not Action.REST:
            todo.setdefault(row.action, []).append(this)
    return View(seen=seen, rows=rows, todo=todo, spares=tuple(spares))


def slurm_state(node: Node) -> SlurmState:
    """Slurm's base state, flags and reason in one word. The reason counts only with DOWN or DRAIN: Slurm keeps old ones."""
    states = node.states
    if "POWERING_DOWN" in states:
        return SlurmState.LEAVING
    if "POWERED_DOWN" in states:
        return _off(node)
    if "POWER_DOWN" in states and "POWERING_UP" not in states and not is_busy(node):
        return SlurmState.LEAVING
    if "DOWN" in states:
        if node.reason.startswith(OURS):
            return SlurmState.DOWN
        silent = node.reason.startswith(NOT_RESPONDING) and "DRAIN" not in states
        return SlurmState.SILENT if silent else SlurmState.DOWN_HELD
    if "POWERING_UP" in states:
        return SlurmState.BOOTING
    if "DRAIN" in states:
        if not node.reason.startswith(OURS):
            return SlurmState.HELD
        return SlurmState.DRAINING if is_busy(node) else SlurmState.DRAINED
    return SlurmState.UP


def is_busy(node: Node) -> bool:
    """Whether a job has it, or is just leaving it."""
    return not _BUSY.isdisjoint(node.states)


def _off(node: Node) -> SlurmState:
    states = node.states
    if "DOWN" not in states and "DRAIN" not in states:
        return SlurmState.OFF
    if node.reason.startswith(NO_CAPACITY):
        return SlurmState.NO_CAPACITY
    if node.reason.startswith(OURS):
        return SlurmState.FAILED
    timed_out = node.reason.startswith(RESUME_TIMEOUT) and "DRAIN" not in states
    return SlurmState.TIMED_OUT if timed_out else SlurmState.OFF_HELD


def _machines(
    instances: Iterable[Instance], entries: Collection[Entry], ended: Collection[str]
) -> tuple[dict[str, list[Instance]], set[str], set[str]]:
    """Living machines by node; nodes with one that has ended; nodes for which one is asked that is not listed."""
    tokens = {entry.launch.token for entry in entries}
    alive: dict[str, list[Instance]] = {}
    gone: set[str] = set()
    listed: set[tuple[str, str]] = set()
    for machine in instances:
        if machine.alive and machine.id not in ended:
            alive.setdefault(machine.node, []).append(machine)
        else:
            gone.add(machine.node)
        if machine.token in tokens:
            listed.add((machine.token, machine.node))
    asked: set[str] = set()
    for entry in entries:
        token = entry.launch.token
        for name in entry.nodes:
            if (token, name) in listed:
                continue
            if entry.machines and entry.machines[name] in ended:
                gone.add(name)
            else:
                asked.add(name)
    return alive, gone, asked


def _keeper_first(machines: list[Instance], node: Node | None, entries: Iterable[Entry]) -> list[Instance]:
    """The machine that registered, else the one asked for last, else the oldest; then the others."""
    booted = node.boot_time if node and "POWERING_UP" not in node.states else 0.0
    newest = {name: entry.launch.token for entry in entries for name in entry.nodes}

    def rank(machine: Instance) -> tuple[bool, float, bool, float]:
        registered = machine.launched <= booted + _BOOT_SLACK
        return (
            not registered,
            -machine.launched if registered else 0.0,
            newest.get(machine.node) != machine.token,
            machine.launched,
        )

    return sorted(machines, key=rank)


def _cloud_state(machine: Instance | None, asked: bool, gone: bool) -> CloudState:
    if machine is None:
        return CloudState.ASKED if asked else CloudState.ENDED if gone else CloudState.NONE
    if machine.failing:
        return CloudState.FAILING
    return CloudState.PENDING if machine.state is InstanceState.PENDING else CloudState.RUNNING


def _age(seen: Seen, config: Config, now: float) -> Age:
    """How long it has been so; a machine that boots is as old as its launch, for Slurm waits since then."""
    here = now - seen.since
    if seen.slurm is SlurmState.BOOTING and seen.machine:
        # A slurmctld that starts again may take a node that works for one that boots: look twice.
        overdue = now - seen.machine.launched >= config.boot_timeout and here >= min(config.boot_timeout, LISTING_DELAY)
        if overdue:
            return Age.DUE
    elif seen.slurm is SlurmState.FAILED and here >= config.cooldown:
        return Age.DUE
    return Age.FRESH if here < LISTING_DELAY else Age.SETTLED
