"""A bill as CSV: a line for each run of a job and for each shared cost."""

import csv
import io
from collections.abc import Sequence

from hpc_components.bill.amounts import decimal
from hpc_components.bill.lines import NANO, Line
from hpc_components.bill.wording import hours, iso

COLUMNS = (
    "kind", "organization", "account", "user", "queue", "qos", "job", "name", "state", "start", "end", "nodes",
    "cpus", "gpus", "node_hours", "cost_usd", "shared_usd", "total_usd", "estimated",
)  # fmt: skip


def csv_bill(lines: Sequence[Line]) -> str:
    """Return the lines with a header. Amounts are in USD with nine decimals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for line in lines:
        writer.writerow(_cells(line))
    return out.getvalue()


def _cells(line: Line) -> list[str]:
    run = line.run
    job = ["", "", "", "", line.name, "", "", "", "", "", ""]
    if run:
        size = [str(len(run.nodes)), str(run.cpus), str(run.gpus)]
        times = [iso(run.start), "" if run.end is None else iso(run.end)]
        job = [run.user, run.queue, run.qos, run.id, line.name, run.state, *times, *size]
    amounts = [decimal(each, NANO) for each in (line.cost, line.shared, line.total)]
    texts = [line.kind, line.organization, line.account, *job]
    return [*map(_harmless, texts), hours(line.node_ms, 6), *amounts, "yes" if line.estimated else ""]


def _harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula: users choose the names of jobs.

    Source: OWASP, "CSV Injection".
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
