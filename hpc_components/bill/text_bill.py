"""A bill as text, for people."""

from collections.abc import Iterator, Sequence

from hpc_components.bill.amounts import decimal
from hpc_components.bill.sharing import APART, RULES
from hpc_components.bill.views import Row, View
from hpc_components.bill.wording import hours, moment

_TITLES = ("jobs", "node-hours", "job costs", "shared costs", "total")


def text_bill(view: View) -> str:
    """Return a bill as a table of names and dollars, with footnotes."""
    return "\n".join(line.rstrip() for line in _lines(view)) + "\n"


def _lines(view: View) -> Iterator[str]:
    bill = view.bill
    where = ", ".join(filter(None, (bill.about.cloud, bill.about.region)))
    whose = f", organization {view.organization}" if view.organization else ""
    yield f"Bill of cluster {bill.about.cluster}{f' ({where})' if where else ''}{whose}"
    yield f"from {moment(bill.since)} to {moment(bill.until)} UTC, in USD"
    yield ""
    cells = [_cells(view, row) for row in view.rows]
    yield from _table([(view.by, *_TITLES), *cells, _cells(view, view.total)])
    yield ""
    yield from _shared(view)
    yield from _footnotes(view)


def _cells(view: View, row: Row) -> tuple[str, ...]:
    amounts = (row.job_costs, row.shared, row.total)
    name = row.name + (" ~" if row.estimated else "")
    return name, f"{row.jobs:,}", hours(row.node_ms), *(decimal(each, view.decimals, ",") for each in amounts)


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for place, row in enumerate(rows):
        if place == len(rows) - 1:
            yield "-" * (sum(widths) + 2 * (len(widths) - 1))
        yield "  ".join(
            f"{cell:>{width}}" if at else f"{cell:<{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )


def _shared(view: View) -> Iterator[str]:
    yield "Shared costs of the cluster"
    total = sum(amount for _, amount in view.overhead)
    rows = [(f"  {name}", decimal(amount, view.decimals, ",")) for name, amount in view.overhead]
    yield from _table([*rows, ("  total", decimal(total, view.decimals, ","))])
    yield RULES[APART if view.bill.shares.undivided else view.bill.rule]


def _footnotes(view: View) -> Iterator[str]:
    if view.total.estimated:
        yield ""
        yield "~ estimated or incomplete; see the notes"
    if view.bill.notes:
        yield ""
        yield "Notes on the bill of the whole cluster" if view.organization else "Notes"
        yield from (f"  - {note.text}" for note in view.bill.notes)
