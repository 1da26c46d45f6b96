"""Shows the documents of `hpc status` and `hpc nodes` on a terminal."""

import time
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from rich.console import Group, RenderableType

from hpc_components.operate.slurm_view import STATES
from hpc_components.operate.status import headline
from hpc_components.report.parts import Table, words
from hpc_components.report.text import TextTable, heading, indented, literal
from hpc_components.wording import listed, plural


def status_text(document: Mapping[str, Any]) -> RenderableType:
    """Return a report on a cluster's status."""
    return Group(*_status(document))


def _status(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield literal(headline(document), "bold red" if document["problems"] else "bold green")
    if document["problems"]:
        yield indented(*document["problems"])
    if document["queues"]:
        yield _queues(document["queues"])
    yield from _jobs(document["jobs"])
    yield from _down(document["down_nodes"])
    yield from _launches(document["launches"])
    yield from _money(document)
    if document["unknown"]:
        yield heading("Not known")
        yield indented(document["unknown"])


def _queues(queues: Sequence[Mapping[str, Any]]) -> RenderableType:
    others = sorted({state for queue in queues for state in queue["nodes"]} - set(STATES))
    states = (*STATES, *others)
    rows = ([queue["name"], *(f"{queue['nodes'].get(state, 0):,}" for state in states)] for queue in queues)
    return TextTable(Table("Nodes of each queue by state", ("queue", *states), rows, wraps=True))


def _jobs(jobs: Mapping[str, Any]) -> Iterator[RenderableType]:
    waiting = sum(each["count"] for each in jobs["waiting"])
    yield literal(f"{plural(jobs['running'], 'job')} running, {waiting:,} waiting")
    for each in jobs["waiting"]:
        shown = [f"{job['id']} of {job['user']} ({job['name']})" for job in each["first"]]
        more = each["count"] - len(shown)
        yield indented(f"{each['reason']}: {', '.join(shown)}{f' and {more:,} more' if more else ''}")


def _down(nodes: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    by_reason: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        by_reason.setdefault((node["state"], node["reason"]), []).append(node["name"])
    if by_reason:
        yield heading("Nodes that take no jobs")
        yield indented(
            *(
                f"{listed(dict.fromkeys(names), 8)} {state}: {reason or 'no reason given'}"
                for (state, reason), names in by_reason.items()
            )
        )


def _launches(launches: Mapping[str, Any] | None) -> Iterator[RenderableType]:
    if not launches:
        return
    if launches["waits"]:
        yield heading("Launches wait for")
        yield indented(*(f"{wait['nodes']}: {wait['words']}" for wait in launches["waits"]))
    if launches["blocked"]:
        yield heading("Pools left alone")
        yield indented(
            *(
                f"{pool['machine']} in {pool['zone']} until {_time(pool['until'])}: {pool['words']}"
                for pool in launches["blocked"]
            )
        )
    if launches["failed"]:
        yield heading("Last failed launches")
        yield indented(*(f"{_time(event['time'])} {event['words']}" for event in launches["failed"]))


def _money(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    costs, budget = document["costs"], document["budget"]
    if costs:
        month = time.strftime("%B", time.gmtime(costs["month"]))
        yield heading("Costs")
        yield indented(f"{_usd(costs['total'])} USD in {month} so far, now {_usd(costs['per_hour'])} USD an hour")
    if budget:
        yield indented(f"{_usd(budget['left_usd'])} USD are left of the budget of {_usd(budget['limit_usd'])} USD")


def _usd(amount: str) -> str:
    return f"{Decimal(amount):,.2f}"


def _time(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def nodes_text(document: Mapping[str, Any], *, all_nodes: bool) -> RenderableType:
    """Return a table of a cluster's nodes. Nodes that are off are only counted, unless `all_nodes` is set."""
    shown = [node for node in document["nodes"] if all_nodes or node["state"] != "off"]
    off = len(document["nodes"]) - len(shown)
    columns = ("node", words("queue"), words("state"), words("jobs"), words("reason"))
    rows = ((node["name"], node["queue"], node["state"], listed(node["jobs"], 3), _reason(node)) for node in shown)
    parts: list[RenderableType] = [indented(*document["problems"])] if document["problems"] else []
    if shown:
        parts.append(TextTable(Table("Nodes", columns, rows, wraps=True)))
    if off:
        parts.append(literal(f"{plural(off, 'node')} off" + ("" if shown else "; nothing runs")))
    return Group(*parts)


def _reason(node: Mapping[str, Any]) -> str:
    return f"{node['reason']} (since {node['since']})" if node["since"] else node["reason"]
