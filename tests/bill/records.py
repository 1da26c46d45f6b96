"""Ledgers and jobs for tests."""

import json
from collections.abc import Iterable
from typing import Any

from hpc_components.bill.about import About, Account
from hpc_components.bill.division import Capacity
from hpc_components.bill.jobs import Run, read_jobs
from hpc_components.bill.records import Ledger, read_ledger
from hpc_components.elastic.ledger.export import JOB_FIELDS

ABOUT = About(
    "lab",
    cloud="nimbus",
    region="east",
    until=10**9,
    nodes={"cpu": Capacity(4, 16_000, 0), "gpu": Capacity(8, 64_000, 4)},
    accounts=(
        Account("acme", "", "acme"),
        Account("nlp", "acme", None),
        Account("birch", "", "birch"),
        Account("cedar", "", "cedar"),
    ),
)


def machine(id_: str, started: float, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "machine", "id": id_, "node": "cpu-1", "queue": "cpu", "machine": "c4", "zone": "z1",
        "purchase": "on_demand", "started": started, "started_by": "cloud",
    } | changes  # fmt: skip


def registered(id_: str, at: float, **changes: Any) -> dict[str, Any]:
    return {"kind": "registered", "id": id_, "at": at} | changes


def ended(id_: str, at: float, **changes: Any) -> dict[str, Any]:
    return {"kind": "ended", "id": id_, "ended": at, "ended_by": "cloud", "why": "idle"} | changes


def price(since: float, usd: str | None, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "price", "since": since, "queue": "cpu", "machine": "c4", "zone": "z1", "purchase": "on_demand",
        "usd_per_hour": usd, "basis": "list", "source": "a price list", "as_of": "2026-10-01",
    } | changes  # fmt: skip


def service(since: float, usd: str | None, what: str = "head node", group: str = "head") -> dict[str, Any]:
    return {
        "kind": "service", "since": since, "what": what, "group": group, "usd_per_hour": usd, "basis": "list",
        "source": "a price list", "as_of": "2026-10-01",
    }  # fmt: skip


def ledger(*records: dict[str, Any]) -> Ledger:
    return read_ledger([json.dumps(record) + "\n" for record in records], "ledger.jsonl")


def line(id_: int, start: int, end: int | str, **changes: Any) -> str:
    """A line of `sacct` for a job of one CPU."""
    its = {
        "JobIDRaw": id_, "JobID": id_, "User": "ada", "Account": "acme", "Partition": "cpu", "QOS": "normal",
        "State": "COMPLETED", "Submit": start, "Start": start, "End": end, "ElapsedRaw": 0, "AllocCPUS": 1,
        "AllocTRES": "billing=1,cpu=1,mem=1000M,node=1", "NodeList": "cpu-1", "JobName": "wrap",
    } | changes  # fmt: skip
    return "|".join(str(its[column]) for column in JOB_FIELDS)


def runs(*lines: str) -> list[Run]:
    return read_jobs(["|".join(JOB_FIELDS), *lines], "jobs.psv")


def texts(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
