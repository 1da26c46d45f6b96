"""Dashboards of Grafana, as JSON to import: the cluster, its nodes, and GPUs and networks.

Grafana itself is in no distribution's archive. The dashboards are for a Grafana of your own, or the cloud's managed
one; each asks for its Prometheus when it is imported.

Source: Grafana documentation, "Dashboard JSON model"; the types of @grafana/schema.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SCHEMA_VERSION = 39
"""Version of the model. Grafana migrates older ones when it imports them."""

_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2
"""Size of a panel in Grafana's grid, which is 24 wide."""

_DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


@dataclass(frozen=True)
class Panel:
    title: str
    unit: str
    """Grafana's name of a unit, e.g. `bytes`, `Bps`, `percentunit`, `currencyUSD`, `short`."""
    lines: Sequence[tuple[str, str]]
    """Expressions, each with the legend of its lines."""
    words: str = ""
    stacked: bool = False


_QUEUE = 'queue=~"$queue"'
_ON_NODE = f'job="nodes", {_QUEUE}, instance=~"$node"'
_OF_QUEUE, _OF_NODE, _BUSY_ON_NODE = f"{{{_QUEUE}}}", f"{{{_ON_NODE}}}", f'{{{_ON_NODE}, mode!~"idle|iowait"}}'
_INFINIBAND = "node_infiniband_port_data_received_bytes_total"

CLUSTER = (
    Panel("Nodes by state", "short", (
        (f"sum by (state) (hpc_elastic_nodes{_OF_QUEUE})", "{{state}}"),), stacked=True),
    Panel("Pending jobs by reason", "short", (
        (f"sum by (reason) (hpc_slurm_pending_jobs{_OF_QUEUE})", "{{reason}}"),), stacked=True),
    Panel("Pending jobs by account", "short", (("hpc_slurm_pending_jobs_of_account", "{{account}}"),), stacked=True),
    Panel("Jobs", "short", (("hpc_slurm_jobs", "{{state}}"),)),
    Panel("CPUs busy", "percentunit", (
        (f"queue:hpc_cpu_busy:sum{_OF_QUEUE} / queue:hpc_cpus:sum{_OF_QUEUE}", "{{queue}}"),)),
    Panel("Memory of nodes in use", "bytes", ((f"queue:node_memory_used_bytes:sum{_OF_QUEUE}", "{{queue}}"),)),
    Panel("Launches and their failures", "short", (
        ('increase(hpc_elastic_events_total{kind=~"launch|capacity|refused|throttled|lost"}[10m])', "{{kind}}"),),
        words="In ten minutes."),
    Panel("Cost per hour", "currencyUSD", (("hpc_elastic_dollars_per_hour", "now"),)),
    Panel("Cost of the month", "currencyUSD", (
        (f"hpc_elastic_dollars_total{_OF_QUEUE}", "{{queue}}"), ("hpc_elastic_services_dollars_total", "services"),
        ("hpc_elastic_budget_dollars", "budget")), words="Since the beginning of the month (UTC)."),
    Panel("Scheduler's cycle", "s", (("hpc_slurm_schedule_cycle_seconds", "{{scheduler}}"),)),
    Panel("Queues of slurmctld", "short", (
        ("hpc_slurm_server_threads", "threads"), ("hpc_slurm_agent_queue", "to nodes"),
        ("hpc_slurm_dbd_agent_queue", "to slurmdbd"))),
    Panel("CPUs busy on login nodes", "percentunit", (
        ('sum by (instance) (rate(hpc_cpu_seconds_total{job="login", mode!~"idle|iowait"}[5m])) '
         '/ sum by (instance) (hpc_cpus{job="login"})', "{{instance}}"),)),
    Panel("Memory in use on login nodes", "percentunit", (
        ('1 - node_memory_MemAvailable_bytes{job="login"} / node_memory_MemTotal_bytes{job="login"}',
         "{{instance}}"),)),
    Panel("File systems of the head node", "percentunit", (
        ('1 - node_filesystem_avail_bytes{job="head"} / node_filesystem_size_bytes{job="head"}', "{{mountpoint}}"),)),
)  # fmt: skip

NODES = (
    Panel("CPUs busy", "short", (
        (f"sum by (instance) (rate(hpc_cpu_seconds_total{_BUSY_ON_NODE}[5m]))", "{{instance}}"),)),
    Panel("Load", "short", ((f"node_load1{_OF_NODE}", "{{instance}}"),)),
    Panel("Memory in use", "bytes", (
        (f"node_memory_MemTotal_bytes{_OF_NODE} - node_memory_MemAvailable_bytes{_OF_NODE}", "{{instance}}"),)),
    Panel("Time that programs wait for memory", "percentunit", (
        (f"rate(node_pressure_memory_waiting_seconds_total{_OF_NODE}[5m])", "{{instance}}"),)),
    Panel("Received", "Bps", (
        (f"sum by (instance) (rate(node_network_receive_bytes_total{_OF_NODE}[5m]))", "{{instance}}"),)),
    Panel("Sent", "Bps", (
        (f"sum by (instance) (rate(node_network_transmit_bytes_total{_OF_NODE}[5m]))", "{{instance}}"),)),
    Panel("Local disks", "Bps", (
        (f"sum by (instance) (rate(node_disk_read_bytes_total{_OF_NODE}[5m]))", "{{instance}} read"),
        (f"sum by (instance) (rate(node_disk_written_bytes_total{_OF_NODE}[5m]))", "{{instance}} written"))),
    Panel("Lustre", "Bps", (
        (f"sum by (instance, direction) (rate(hpc_lustre_bytes_total{_OF_NODE}[5m]))",
         "{{instance}} {{direction}}"),)),
)  # fmt: skip

ACCELERATORS = (
    Panel("GPUs busy", "percentunit", ((f"hpc_gpu_busy_ratio{_OF_NODE}", "{{instance}} {{gpu}}"),)),
    Panel("Memory of GPUs in use", "bytes", ((f"hpc_gpu_memory_used_bytes{_OF_NODE}", "{{instance}} {{gpu}}"),)),
    Panel("Power of GPUs", "watt", ((f"hpc_gpu_watts{_OF_NODE}", "{{instance}} {{gpu}}"),)),
    Panel("Temperature of GPUs", "celsius", ((f"hpc_gpu_celsius{_OF_NODE}", "{{instance}} {{gpu}}"),)),
    Panel("Errors of GPUs", "short", (
        (f"increase(hpc_gpu_xid_total{_OF_NODE}[10m])", "{{instance}} {{gpu}} Xid {{xid}}"),
        (f"increase(hpc_gpu_uncorrected_errors_total{_OF_NODE}[10m])", "{{instance}} {{gpu}} memory"))),
    Panel("Fast network", "Bps", (
        (f"sum by (instance) (rate(hpc_fabric_bytes_total{_OF_NODE}[5m]))", "{{instance}} adapter"),
        (f"sum by (instance) (rate({_INFINIBAND}{_OF_NODE}[5m]))", "{{instance}} InfiniBand"))),
    Panel("Packets sent again", "pps", (
        (f"rate(hpc_fabric_retransmitted_packets_total{_OF_NODE}[5m])", "{{instance}} {{device}}"),)),
    Panel("Peers that did not respond", "short", (
        (f"increase(hpc_fabric_unresponsive_peer_total{_OF_NODE}[10m])", "{{instance}} {{device}}"),)),
)  # fmt: skip


def dashboards() -> dict[str, str]:
    """Return the dashboards' JSON, keyed by file name."""
    made = {
        "cluster": ("Cluster", CLUSTER, ("queue",)),
        "nodes": ("Nodes", NODES, ("queue", "node")),
        "accelerators": ("GPUs and fast networks", ACCELERATORS, ("queue", "node")),
    }
    return {f"{name}.json": json.dumps(_dashboard(name, *parts), indent=1) + "\n" for name, parts in made.items()}


def _dashboard(name: str, title: str, panels: Sequence[Panel], variables: Sequence[str]) -> dict[str, Any]:
    return {
        "uid": f"hpc-{name}",
        "title": f"HPC: {title}",
        "tags": ["hpc"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "timezone": "browser",
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "1m",
        "templating": {"list": [_datasource(), *map(_variable, variables)]},
        "annotations": {"list": []},
        "panels": list(_panels(panels)),
    }


def _datasource() -> dict[str, Any]:
    return {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus"}


def _variable(name: str) -> dict[str, Any]:
    query = {
        "queue": "label_values(hpc_elastic_nodes, queue)",
        "node": f'label_values(up{{job="nodes", {_QUEUE}}}, instance)',
    }[name]
    return {
        "type": "query",
        "name": name,
        "datasource": _DATASOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,  # whenever the time range changes: nodes come and go
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "current": {"text": "All", "value": "$__all"},
    }


def _panels(panels: Sequence[Panel]) -> Iterator[dict[str, Any]]:
    for number, panel in enumerate(panels):
        row, column = divmod(number, _COLUMNS)
        targets = [
            {"refId": chr(ord("A") + index), "datasource": _DATASOURCE, "expr": expression, "legendFormat": legend}
            for index, (expression, legend) in enumerate(panel.lines)
        ]
        custom = {"stacking": {"mode": "normal" if panel.stacked else "none"}, "fillOpacity": 30 * panel.stacked}
        yield {
            "id": number + 1,
            "type": "timeseries",
            "title": panel.title,
            "description": panel.words,
            "datasource": _DATASOURCE,
            "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
            "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0, "custom": custom}, "overrides": []},
            "options": {
                "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                "tooltip": {"mode": "multi", "sort": "desc"},
            },
            "targets": targets,
        }
