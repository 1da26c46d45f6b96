"""Machines: why hpc-elastic launches none, and those that it does not expect."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hpc_components.catalog.level import Level
from hpc_components.elastic.report.events import EventKind
from hpc_components.elastic.slurm.reasons import BUDGET_SPENT, REASON_PREFIX, Why
from hpc_components.operate.doctor.cause import Found, Step, cause
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.slurm_view import NodeView

_STATUS = Step(command=("sudo", "/opt/hpc/bin/hpc-elastic", "status"))

_EVENT_SECONDS = 900
"""How old an event may be to tell why nodes are down now."""


def _closed(facts: Facts, why: Why) -> list[NodeView]:
    """Return nodes that the daemon has set down for this reason."""
    return [node for node in facts.nodes if node.reason.startswith(REASON_PREFIX + why.value)]


def _pools(facts: Facts, why: Why) -> list[Mapping[str, Any]]:
    """Return pools that the daemon leaves alone for this reason. Only capacity is not named in the pool's words."""
    blocked = (facts.daemon or {}).get("blocked", ())
    others = tuple(each.value for each in Why if each is not Why.CAPACITY)
    if why is Why.CAPACITY:
        return [pool for pool in blocked if not pool["words"].startswith(others)]
    return [pool for pool in blocked if pool["words"].startswith(why.value)]


def _seen(facts: Facts, why: Why) -> tuple[str, Sequence[str]]:
    """Return the cloud's words for why pools are closed, and the nodes that wait; both empty if none is."""
    nodes, pools = _closed(facts, why), _pools(facts, why)
    if nodes:
        return nodes[0].reason.removeprefix(REASON_PREFIX), [node.name for node in nodes]
    if pools:
        pool, until = pools[0], time.strftime("%H:%M", time.localtime(pools[0]["until"]))
        return f"{pool['machine']} in {pool['zone']}: {pool['words']}; next try {until}", ()
    return "", ()


def _found_if_seen(facts: Facts, reason: Why, what: str, why: str, do: Sequence[Step] = ()) -> Iterator[Found]:
    """Yield what the cloud says, if it is the reason why pools are closed. `what` is completed by its words."""
    words, nodes = _seen(facts, reason)
    if words:
        yield Found(what=f"{what}: {words}", why=why, do=do, nodes=nodes)


@cause("budget-spent", Level.ERROR)
def budget_spent(facts: Facts) -> Iterator[Found]:
    """The cluster's budget is spent, so that nothing is launched."""
    budget = (facts.daemon or {}).get("budget")
    nodes = [node.name for node in facts.nodes if node.reason.startswith(BUDGET_SPENT)]
    stopped = budget and budget["stopped"]
    if stopped or nodes:
        words = stopped or _closed(facts, Why.BUDGET)[0].reason.removeprefix(BUDGET_SPENT)
        yield Found(
            what=f"Nothing is launched: {words}",
            why="Running jobs finish, new ones wait. Launches go on in the first cycle of the next month, or when"
            " `budget.monthly` is raised",
            do=(_STATUS, Step(command=("pulumi", "up"), on="laptop")),
            nodes=nodes,
        )


@cause("launch-refused", Level.ERROR)
def launch_refused(facts: Facts) -> Iterator[Found]:
    """The cloud refuses launches because of a permission, a launch template or a setting."""
    yield from _found_if_seen(
        facts,
        Why.REFUSED,
        what="The cloud refuses launches",
        why="Jobs for these machines wait until that is corrected: the message is the cloud's, and names a"
        " permission, a launch template or a setting. The daemon tries again after the cool-down",
        do=(_STATUS,),
    )


@cause("over-quota", Level.ERROR)
def over_quota(facts: Facts) -> Iterator[Found]:
    """The account's quota is too small for a launch."""
    yield from _found_if_seen(
        facts,
        Why.QUOTA,
        what="The account's quota does not allow a launch",
        why="Jobs for these machines wait until the quota is raised, which takes the cloud hours to days, or"
        " until other machines of the account end. `hpc preflight` compares all quotas with the description",
        do=(_STATUS,),
    )


@cause("machines-do-not-come-up", Level.ERROR)
def machines_do_not_come_up(facts: Facts) -> Iterator[Found]:
    """Machines start, but end or never register as nodes."""
    yield from _found_if_seen(
        facts,
        Why.BOOT,
        what="Machines are launched, but do not become nodes",
        why="A step of their boot fails, or they can't reach the head node. The last line of a node's boot log"
        " says which: it is in the cloud's log of the cluster, and on the machine's console",
        do=(_STATUS, Step(command=("sudo", "journalctl", "--no-pager", "--lines=50", "--unit", "hpc-elastic"))),
    )


@cause("no-capacity", Level.INFO)
def no_capacity(facts: Facts) -> Iterator[Found]:
    """The cloud has no such machine now."""
    yield from _found_if_seen(
        facts,
        Why.CAPACITY,
        what="The cloud has none of these machines now",
        why="The cluster is well: jobs wait, and the daemon tries again at that time. More `fallback` machines or"
        " zones make it rarer",
    )


@cause("no-answer-to-launch", Level.INFO)
def no_answer_to_launch(facts: Facts) -> Iterator[Found]:
    """The cloud did not report the outcome of a launch."""
    yield from _found_if_seen(
        facts,
        Why.SILENCE,
        what="The cloud did not report the outcome of a launch",
        why="The daemon tries again after the cool-down, and ends machines that were launched nevertheless",
    )


@cause("machines-without-nodes", Level.WARNING)
def machines_without_nodes(facts: Facts) -> Iterator[Found]:
    """Machines run for which Slurm has no node."""
    for queue in (facts.daemon or {}).get("queues", ()):
        known = sum(queue[column] for column in ("up", "coming", "going", "drained", "down"))
        if queue["machines"] > known:
            yield Found(
                what=f"Queue {queue['name']} has {queue['machines']} machines for {known} nodes that may have one",
                why="The daemon ends machines without a node within two minutes. If they are still there then, it may"
                " not end them: its log says why. They cost money",
                do=(_STATUS, Step(command=("sudo", "journalctl", "--no-pager", "-n", "50", "-u", "hpc-elastic"))),
            )


@cause("machines-unlisted", Level.WARNING)
def machines_unlisted(facts: Facts) -> Iterator[Found]:
    """Nodes run on machines that the cloud does not list."""
    for event in _recent(facts, EventKind.UNLISTED)[-1:]:
        yield Found(
            what=f"Nodes run on machines that the cloud does not list: {event['words']}",
            why="The list lags, or the machines have lost their tags. They are left alone while they answer, but"
            " their costs are not recorded",
            do=(_STATUS,),
        )


@cause("costs-not-recorded", Level.INFO)
def costs_not_recorded(facts: Facts) -> Iterator[Found]:
    """The price of machines that run is unknown, so that their costs are not recorded."""
    costs = (facts.daemon or {}).get("costs") or {}
    for pool in costs.get("unpriced", ()):
        yield Found(
            what=f"The price of running machines is unknown: {pool}",
            why="Costs and budget don't count them. Describe a price in `billing.rates`, then `pulumi up`",
            do=(Step(command=("pulumi", "up"), on="laptop"),),
        )


def _recent(facts: Facts, kind: EventKind) -> list[Mapping[str, Any]]:
    document = facts.daemon or {}
    since = document.get("now", 0) - _EVENT_SECONDS
    return [event for event in document.get("events", ()) if event["kind"] == kind.value and event["time"] >= since]
