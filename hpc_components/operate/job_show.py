"""Shows the document of `hpc job` on a terminal and as a page."""

import time
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from rich.console import Group, RenderableType

from hpc_components.report.page import render_page
from hpc_components.report.parts import Figure, Page, Section, Table, words
from hpc_components.report.text import TextTable, heading, indented, literal
from hpc_components.wording import plural

_ALL_WELL = "Nothing that was asked for lay idle, as far as is known."


def job_text(document: Mapping[str, Any]) -> RenderableType:
    """Return a report on what a job used."""
    return Group(*_parts(document))


def _parts(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield literal(_headline(document), "bold")
    yield indented(*(document["findings"] or [_ALL_WELL]))
    yield TextTable(asked_and_used(document))
    if document["used"]["node_memory_bytes"]:
        yield TextTable(nodes(document))
    if document["unknown"]:
        yield heading("Not known")
        yield indented(*document["unknown"])


def job_page(document: Mapping[str, Any]) -> str:
    """Render the report as a self-contained HTML page."""
    job = document["job"]
    page = Page(
        title=f"Job {job['id']} of {document['cluster']}",
        heading=f"Job {job['id']}",
        where=f"{job['name']}, by {job['user']} on {document['cluster']}",
        figures=(Figure("Ran for", _span(job["elapsed"]), job["state"].lower()),),
        skip_to="used",
        sections=(Section("used", "Asked for and used"), Section("nodes", "Nodes")),
        footer="From Slurm's accounting and the metrics of the job's nodes.",
    )
    return render_page(
        "hpc_components.operate", "job.html.j2", page, (),
        findings=document["findings"] or [_ALL_WELL], unknown=document["unknown"],
        used=asked_and_used(document), nodes=nodes(document),
    )  # fmt: skip


def asked_and_used(document: Mapping[str, Any]) -> Table:
    """Return the table of what was asked for, and what of it was used."""
    job, used = document["job"], document["used"]
    rows = [["CPUs", f"{job['cpus']:,}", _or_unknown(used["cpus"], "{:,.1f}")]]
    memory = (
        max(used["node_memory_bytes"].values(), default=None) if used["whole_nodes"] else used["largest_task_bytes"]
    )
    of = "memory of a node" if used["whole_nodes"] else "memory of a node, by the largest task"
    rows.append([of, _bytes(job["memory_per_node"]) if job["memory_per_node"] else "all", _bytes(memory)])
    if job["gpus"]:
        busy = used["gpu_busy"].values()
        rows.append(["GPUs", f"{job['gpus']:,}", _or_unknown(sum(busy) if busy else None, "{:,.1f}")])
    return Table("Asked for and used", ("", "asked for", "used"), rows, wraps=True)


def nodes(document: Mapping[str, Any]) -> Table:
    """Return the table of the job's nodes: with other jobs on them, what all used together."""
    used = document["used"]
    gpus: dict[str, list[float]] = {}
    for name, share in used["gpu_busy"].items():
        gpus.setdefault(name.partition(":")[0], []).append(share)
    columns = ("node", words("most memory"), words("GPUs busy"), words("received"), words("by fabric"))
    rows = (
        [
            node,
            _bytes(used["node_memory_bytes"].get(node)),
            f"{fmean(gpus[node]):.0%}" if node in gpus else "",
            _rate(used["network_bytes_per_second"].get(node)),
            _rate(used["fabric_bytes_per_second"].get(node)),
        ]
        for node in document["job"]["nodes"]
    )
    return Table("Nodes, with all that ran on them", columns, rows, wraps=True)


def _headline(document: Mapping[str, Any]) -> str:
    job = document["job"]
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(job["start"]))
    where = f"on {plural(len(job['nodes']), 'node')} of {job['queue']} since {began}"
    who = f"job {job['id']} ({job['name']}) of {job['user']}"
    return f"{who}: {job['state'].lower()}, {_span(job['elapsed'])} {where}"


def _span(seconds: int) -> str:
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {seconds % 60} s"


def _or_unknown(value: float | None, form: str) -> str:
    return "unknown" if value is None else form.format(value)


def _bytes(count: float | None) -> str:
    return _or_unknown(None if count is None else count / 2**30, "{:,.1f} GiB")


def _rate(count: float | None) -> str:
    return "" if count is None else f"{count / 1e6:,.1f} MB/s"
