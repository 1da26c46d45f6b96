"""What a job used of what it asked for: the document of `hpc job`.

Times of CPUs and the largest task come from Slurm's accounting. Memory of nodes, GPUs and networks come from the
metrics of the job's nodes during the job; other jobs on the same nodes are in them too, and that is said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hpc_components.operate.job_record import JobRecord, job_command, read_job
from hpc_components.operate.reach import Reach
from hpc_components.operate.run_on_node import ask_node
from hpc_components.operate.sections import Section
from hpc_components.operate.ways import ReachError
from hpc_components.strict_json import parse_json
from hpc_components.wording import listed, plural

VERSION = 1

MIN_SECONDS = 180
"""Jobs that ran for less than this have too few samples: nodes are scraped each minute."""

LOW = 0.5
"""Share below which something that was asked for counts as little used. This limit is our own."""

IDLE_GPU = 0.01
"""Share of time below which a GPU counts as unused. This limit is our own."""

JOB_ID = re.compile(r"[0-9]+(_[0-9]+)?")
"""A job's id, or that of a task of an array."""

_NODE = re.compile(r"[A-Za-z0-9.-]+")

_QUERIES = {
    "cpus": 'sum by (instance) (increase(hpc_cpu_seconds_total{{{nodes},mode!~"idle|iowait|steal"}}[{seconds}s]))'
    " / {seconds}",
    "all_cpus": "max by (instance) (max_over_time(hpc_cpus{{{nodes}}}[{seconds}s]))",
    "memory": "max by (instance) (max_over_time((node_memory_MemTotal_bytes{{{nodes}}}"
    " - node_memory_MemAvailable_bytes{{{nodes}}})[{seconds}s:60s]))",
    "gpus": "avg by (instance, gpu) (avg_over_time(hpc_gpu_busy_ratio{{{nodes}}}[{seconds}s]))",
    "network": "sum by (instance) (rate(node_network_receive_bytes_total{{{nodes}}}[{seconds}s]))",
    "fabric": "sum by (instance) (rate(hpc_fabric_bytes_total{{{nodes}}}[{seconds}s]))",
}
"""Expressions of Prometheus by name, to evaluate at the end of the job."""


def ask_job(reach: Reach, job: str, now: int) -> dict[str, Any]:
    """Return the document of a job. Raise ReachError if the head node can't be reached, or knows no such job."""
    found = ask_node(reach, {"job": job_command(job)})["job"]
    record = read_job(found.text) if found.code == 0 else None
    if record is None:
        said = found.text.strip().splitlines() if found.code else []
        raise ReachError(
            f"can't show job {job} of cluster {reach.cluster}: "
            + (said[-1] if said else "Slurm's accounting knows no such job that has started")
        )
    queries = job_queries(record, now)
    return job_document(reach.cluster, record, ask_node(reach, queries) if queries else {})


def job_queries(record: JobRecord, now: int) -> dict[str, Sequence[str]]:
    """Return the commands that read metrics of the job's nodes; none if the job ran too short for metrics."""
    nodes = [node for node in record.nodes if _NODE.fullmatch(node)]
    if record.elapsed < MIN_SECONDS or not nodes:
        return {}
    chosen = f'instance=~"{"|".join(node.replace(".", "[.]") for node in nodes)}"'
    at = record.end or now
    return {
        name: (
            "sudo", "-n", "curl", "-sS", "-m", "60", "--data-urlencode", f"time={at}",
            "--data-urlencode", f"query={query.format(nodes=chosen, seconds=record.elapsed)}",
            "http://127.0.0.1:9090/api/v1/query",
        )
        for name, query in _QUERIES.items()
    }  # fmt: skip


def job_document(cluster: str, record: JobRecord, found: Mapping[str, Section]) -> dict[str, Any]:
    """Return the document of a job, made from its record and the sections with metrics.

    `findings` are sentences about what was asked for and not used; `unknown` says what could not be found out.
    """
    metrics = {name: _series(section) for name, section in found.items()}
    use = _use(record, metrics)
    return {
        "job_use": VERSION,
        "cluster": cluster,
        "job": asdict(record) | {"nodes": list(record.nodes)},
        "used": use,
        "findings": list(_findings(record, use)),
        "unknown": list(_unknown(record, found, metrics)),
    }


def _use(record: JobRecord, metrics: Mapping[str, Mapping[str, float] | None]) -> dict[str, Any]:
    whole = record.cpus >= sum((metrics.get("all_cpus") or {}).values()) > 0
    by_steps = record.cpu_seconds / record.elapsed if record.elapsed and record.end else None
    by_nodes = sum((metrics.get("cpus") or {}).values()) if whole else None
    gpus = metrics.get("gpus") or {}
    return {
        "cpus": by_nodes if by_steps is None else by_steps,
        "whole_nodes": whole,
        "largest_task_bytes": record.largest_task or None,
        "node_memory_bytes": metrics.get("memory") or {},
        "gpu_busy": gpus,
        "network_bytes_per_second": metrics.get("network") or {},
        "fabric_bytes_per_second": metrics.get("fabric") or {},
    }


def _findings(record: JobRecord, use: Mapping[str, Any]) -> Iterator[str]:
    cpus = use["cpus"]
    if cpus is not None and record.cpus > 1 and cpus < LOW * record.cpus:
        yield f"you asked for {plural(record.cpus, 'CPU')} and used {_number(cpus)}"
    most = max(use["node_memory_bytes"].values(), default=0) if use["whole_nodes"] else use["largest_task_bytes"]
    if record.memory_per_node and most and most < LOW * record.memory_per_node:
        of = "the fullest node used" if use["whole_nodes"] else "the largest task used"
        yield f"you asked for {_gib(record.memory_per_node)} of memory on each node, and {of} {_gib(most)}"
    yield from _idle_gpus(record.gpus, use["gpu_busy"])


def _idle_gpus(count: int, busy: Mapping[str, float]) -> Iterator[str]:
    """Say which GPUs lay idle, unless the nodes have more GPUs than the job: then it is unknown which were its."""
    if not count or len(busy) != count:
        return
    asked, mean = f"you asked for {plural(count, 'GPU')}", sum(busy.values()) / count
    if idle := sorted(gpu for gpu, share in busy.items() if share < IDLE_GPU):
        yield f"{asked}, and {len(idle)} did nothing: {listed(idle, 8)}"
    elif mean < LOW:
        yield f"{asked}, which were busy {mean:.0%} of the time"


def _unknown(
    record: JobRecord, found: Mapping[str, Section], metrics: Mapping[str, Mapping[str, float] | None]
) -> Iterator[str]:
    if record.elapsed < MIN_SECONDS:
        yield f"metrics: the job ran for less than {MIN_SECONDS} s, and nodes are asked once a minute"
    elif failed := next((found[name] for name, series in metrics.items() if series is None), None):
        said = failed.text.strip().splitlines()
        yield f"metrics: {said[-1] if said else 'Prometheus says nothing'}"
    elif not metrics.get("cpus"):
        yield "metrics: none are kept of these nodes at that time; they need `monitoring` in the description"
    if record.end is None and not record.largest_task:
        yield "the largest task: Slurm's accounting learns it when a step ends"


def _series(section: Section) -> dict[str, float] | None:
    """Return the values by node, or node and GPU; None if Prometheus did not answer."""
    try:
        result = parse_json(section.text)["data"]["result"]
        return {_name(one["metric"]): float(one["value"][1]) for one in result}
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _name(labels: Mapping[str, str]) -> str:
    return f"{labels['instance']}:{labels['gpu']}" if "gpu" in labels else labels["instance"]


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def _gib(count: float) -> str:
    return f"{count / 2**30:,.1f} GiB"
