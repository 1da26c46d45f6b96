"""A bill as JSON, for programs."""

import json
from typing import Any

from hpc_components.bill.amounts import decimal
from hpc_components.bill.views import Row, View
from hpc_components.bill.wording import iso

VERSION = 1


def json_bill(view: View) -> str:
    """Return a bill as a JSON object. Amounts are decimal texts, because a float can't hold them all."""
    bill = view.bill
    document = {
        "bill": VERSION,
        "cluster": bill.about.cluster,
        "cloud": bill.about.cloud,
        "region": bill.about.region,
        "organization": view.organization,
        "currency": "USD",
        "since": iso(bill.since),
        "until": iso(bill.until),
        "by": view.by,
        "rows": [_row(view, row) for row in view.rows],
        "total": {key: value for key, value in _row(view, view.total).items() if key != "name"},
        "shared": {
            "rule": bill.rule,
            "costs": [{"name": name, "usd": decimal(amount, view.decimals)} for name, amount in view.overhead],
        },
        "notes": [{"code": note.code, "text": note.text} for note in bill.notes],
    }
    return json.dumps(document, indent=1) + "\n"


def _row(view: View, row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "jobs": row.jobs,
        "node_hours": round(row.node_ms / 3_600_000, 6),
        "job_costs": decimal(row.job_costs, view.decimals),
        "shared": decimal(row.shared, view.decimals),
        "total": decimal(row.total, view.decimals),
        "estimated": row.estimated,
    }
