from collections.abc import Iterator, Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hpc_components.preview.clouds import title_of
from hpc_components.report.wording import hour, month
from hpc_components.spec.printable import printable
from hpc_components.wording import listed

_Json = Mapping[str, Any]

_LISTED = 5
"""Maximum number of queues that a sentence lists."""


def usage_table(document: _Json) -> Group:
    """Render a result of `usage_of` as a table with one row per queue, followed by totals and what a budget buys."""
    with_gpus = any(queue["gpus"] for queue in document["queues"])
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
    table.add_column("queue")
    table.add_column("nodes")
    titles = ["node-hour", "core-hour", *(["GPU-hour"] if with_gpus else [])]
    for title in [*titles, *(["hours", "a month"] if document["month"] is not None else [])]:
        table.add_column(title, justify="right", no_wrap=True)
    for queue in document["queues"]:
        table.add_row(*(Text(printable(cell)) for cell in _cells(queue, with_gpus)))
    parts = [_title(document), table, Text("\n".join(_sums(document)))]
    if document["buys"] is not None:
        parts += [Text(""), *_bought(document["buys"], with_gpus)]
    return Group(*parts, Text(_footer(document), style="dim"))


def _bought(buys: _Json, with_gpus: bool) -> Iterator[Text | Table]:
    """Yield what a budget buys, in each queue alone."""
    amounts = f"{month(buys['budget'])} USD a month, less {month(buys['idle_month'])} for the idle cluster"
    if not buys["left"]:
        yield Text(f"{amounts}, buy no node-hours")
        return
    yield Text(f"{amounts}, buy in one of the queues:")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
    table.add_column("queue")
    for title in ["node-hours", "core-hours", *(["GPU-hours"] if with_gpus else [])]:
        table.add_column(title, justify="right", no_wrap=True)
    for queue in buys["queues"]:
        keys = ["node_hours", "core_hours", *(["gpu_hours"] if with_gpus else [])]
        hours = ("-" if queue[key] is None else f"{queue[key]:,.0f}" for key in keys)
        table.add_row(Text(printable(queue["queue"])), *hours)
    yield table
    if full := [printable(queue["queue"]) for queue in buys["queues"] if queue["all"]]:
        yield Text(f"All nodes run all month for less in: {listed(full, _LISTED)}")


def _title(document: _Json) -> Text:
    where = (
        f"{document['cluster']} on {title_of(document['cloud'])}, {document['region']}; {document['prices']} in USD"
    )
    return Text.assemble((printable(document["stack"]), "bold"), f"  {printable(where)}")


def _cells(queue: _Json, with_gpus: bool) -> Iterator[str]:
    yield queue["queue"]
    spot = ", spot" if queue["purchase"] == "spot" else ""
    yield f"{queue['min']} to {queue['max']:,} × {queue['machine'] or '?'}{spot}"
    yield hour(queue["node_hour"])
    yield "?" if queue["core_hour"] is None else f"{queue['core_hour']:.4f}"
    if with_gpus:
        yield hour(queue["gpu_hour"]) if queue["gpus"] else "-"
    if queue["hours"] is not None:
        yield f"{queue['hours']:g}"
        yield month(queue["month"])


def _sums(document: _Json) -> Iterator[str]:
    least = "at least " if document["at_least"] else ""
    rows = []
    if document["month"] is not None:
        rows += [
            ("everything else", document["standing_month"]),
            (f"a month at these hours, {least}USD", document["month"]),
        ]
    rows += [("a month idle, USD", document["idle_month"]), (f"a month full, {least}USD", document["full_month"])]
    width = max(len(month(amount)) for _, amount in rows)
    label = max(len(name) for name, _ in rows)
    yield from (f"{name:<{label}}  {month(amount):>{width}}" for name, amount in rows)
    budget = document["budget"]
    if budget and document["month"] is not None:
        share = document["month"] / budget["monthly"]
        yield f"budget {budget['monthly']:,.0f} USD a month: these hours use {share:.0%} of it"


def _footer(document: _Json) -> str:
    doubt = (
        f" {document['unsure']} prices are unconfirmed, fluctuate or are for another region."
        if document["unsure"]
        else ""
    )
    return f"Not a quotation.{doubt} `hpc preview STACK` shows each price with its source and date."
