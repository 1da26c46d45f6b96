import time
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from hpc_components.elastic.report.status import TROUBLE

LATE_AFTER_SECONDS = 60.0
"""Seconds by which a cycle may be overdue before it is considered late. A single cloud call may take this long."""
EVENTS_SHOWN = 10
_CENT = Decimal("0.01")

_COLUMNS = ("wanted", "up", "coming", "asked", "going", "drained", "down", "machines", "max")
_TROUBLE = frozenset(kind.value for kind in TROUBLE)


def trouble(document: dict[str, Any]) -> str:
    """Return a description of what is wrong with the daemon itself, or an empty string if nothing is."""
    cycle = document["cycle"]
    if cycle["problem"]:
        return cycle["problem"]
    late = document["now"] - cycle["time"] - cycle["seconds"] - cycle["pause"]
    return f"a cycle started {_ago(late)} ago and has not finished" if late > LATE_AFTER_SECONDS else ""


def as_text(document: dict[str, Any]) -> str:
    return "\n".join(_page(document)) + "\n"


def _page(document: dict[str, Any]) -> Iterator[str]:
    now, cycle = document["now"], document["cycle"]
    yield f"hpc-elastic on cluster {document['cluster']}: {trouble(document) or 'all is well'}"
    if cycle["time"]:
        yield f"the last cycle began {_ago(now - cycle['time'])} ago and took {cycle['seconds']:.1f} s"
    if cycle["problem"] and cycle["seen"]:
        yield f"the information below is {_ago(now - cycle['seen'])} old"
    if document.get("budget"):
        yield from _budget(document["budget"])
    yield ""
    yield from _table(
        ("queue", *_COLUMNS),
        [[queue["name"], *(queue[column] for column in _COLUMNS)] for queue in document["queues"]],
    )
    if costs := document.get("costs"):
        yield ""
        yield from _costs(costs)
    yield from _section("waits for", (_wait(wait) for wait in document["waits"]))
    yield from _section("pools left alone", (_blocked(blocked) for blocked in document["blocked"]))
    failed = document.get("failed_checks", ())
    yield from _section("machines that failed a health check", (_failed_check(one) for one in failed))
    bad = [event for event in document["events"] if event["kind"] in _TROUBLE]
    yield from _section("last errors", (_event(event) for event in bad[-EVENTS_SHOWN:]))
    yield from _section("last events", (_event(event) for event in document["events"][-EVENTS_SHOWN:]))


def _budget(budget: dict[str, Any]) -> Iterator[str]:
    month = time.strftime("%B", time.gmtime(budget["renews"] - 1))
    amounts = {key: _usd(budget[f"{key}_usd"]) for key in ("limit", "spent", "left", "per_hour")}
    yield (
        f"the budget of {month} is {amounts['limit']} USD: {amounts['spent']} spent, {amounts['left']} left, now "
        f"{amounts['per_hour']} an hour"
    )
    if budget["stopped"]:
        yield f"nothing is launched: {budget['stopped']}"
    elif budget["spent_at"]:
        yield f"at this rate, it is spent on {time.strftime('%b %d at %H:%M', time.localtime(budget['spent_at']))}"
    if budget["forecast_usd"]:
        yield f"if the month goes on as it has so far, it will cost {_usd(budget['forecast_usd'])} USD"


def _usd(amount: str) -> str:
    return f"{Decimal(amount):,.2f}"


def _costs(costs: dict[str, Any]) -> Iterator[str]:
    month = time.strftime("%B", time.gmtime(costs["month"]))
    *queues, services = _in_cents([*costs["queues"].values(), costs["services"]])
    total = sum(queues, services)
    yield f"costs since the beginning of {month} (UTC): {total:,} USD; now {_usd(costs['per_hour'])} USD per hour"
    for queue, usd in zip(costs["queues"], queues, strict=True):
        yield f"  {queue}: {usd:,} USD"
    yield f"  head node, storage and other services: {services:,} USD"
    for pool in costs["unpriced"]:
        yield f"  not counted, because the price is unknown: {pool}"


def _in_cents(amounts: Sequence[str]) -> list[Decimal]:
    """Round amounts so that they add up to their rounded sum: those with the largest remainders are rounded up."""
    exact = [Decimal(amount) for amount in amounts]
    rounded = [amount.quantize(_CENT, ROUND_FLOOR) for amount in exact]
    missing = int((sum(exact, Decimal(0)).quantize(_CENT) - sum(rounded)) / _CENT)
    by_remainder = sorted(range(len(exact)), key=lambda place: rounded[place] - exact[place])
    for place in by_remainder[:missing]:
        rounded[place] += _CENT
    return rounded


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    lines = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for first, *rest in lines:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield f"{first.ljust(widths[0])}  {numbers}"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield ""
        yield title
        yield from (f"  {line}" for line in found)


def _wait(wait: dict[str, Any]) -> str:
    until = f" (until {_clock(wait['until'])})" if wait["until"] else ""
    return f"{wait['nodes']}: {wait['words']}{until}"


def _blocked(blocked: dict[str, Any]) -> str:
    pool = f"{blocked['queue']}: {blocked['machine']} in {blocked['zone']}, {blocked['purchase']}"
    return f"{pool}, until {_clock(blocked['until'])}: {blocked['words']}"


def _failed_check(failed: dict[str, Any]) -> str:
    return f"{failed['queue']}: {failed['machine']}, {failed['check']}: {failed['machines']}"


def _event(event: dict[str, Any]) -> str:
    return f"{time.strftime('%b %d %H:%M:%S', time.localtime(event['time']))}  {event['words']}"


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def _ago(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
