"""The files by which nodes learn what a healthy node has."""

import json
from typing import Any

from hpc_components.catalog import machine
from hpc_components.catalog.health_checks import HealthCheck, fabric_ports, fatal_xids, health_checks
from hpc_components.slurm.queue_nodes import queue_nodes
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.queues import Queue

WANTED = "compute/health.json"
"""Path in the config bucket."""

_NVIDIA = "NVIDIA"


def health_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the file for compute nodes. Empty if no check runs."""
    running = cluster.health.running
    if not running:
        return {}
    checks = {name: health_checks()[name] for name in running}
    document = {
        "checks": {name: {"at": list(one.at), "limits": dict(one.limits)} for name, one in checks.items()},
        "xids": {str(code): one.what for code, one in fatal_xids().items()},
        "queues": {queue.name: _queue(cluster, queue, checks) for queue in cluster.queues},
    }
    return {WANTED: json.dumps(document, indent=1) + "\n"}


def _queue(cluster: ClusterSpec, queue: Queue, checks: dict[str, HealthCheck]) -> dict[str, Any]:
    nodes = queue_nodes(cluster, queue)
    nvidia = nodes.gpus is not None and nodes.gpus.devices.manufacturer == _NVIDIA
    ports = _ports(queue)
    has = {"gpus": nvidia, "fabric": ports is not None, "scratch": queue.local_scratch is not None, None: True}
    return {
        "checks": [name for name, one in checks.items() if has[one.needs]],
        "gpus": nodes.gpus.count if nodes.gpus and nvidia else 0,
        "memory_mib": nodes.memory_mib,
        "scratch": queue.local_scratch or "",
        **({"ports": ports} if ports else {}),
    }


def _ports(queue: Queue) -> dict[str, Any] | None:
    """Return the ports that each of the queue's machines has, or None if the kernel does not show its fabric.

    If the number of ports is not certain, no port is required.
    """
    fabrics = [found.fabric for name in queue.machines if (found := machine(queue.cloud, name)) is not None]
    first = fabrics[0] if fabrics else None
    shown = fabric_ports(first.kind) if first else None
    if not fabric_on(queue) or first is None or shown is None or not shown.ports:
        return None
    same = [fabric for fabric in fabrics if fabric is not None and fabric.kind == first.kind]
    certain = not shown.unsure and len(same) == len(queue.machines)
    rates = [int(fabric.gbps / fabric.interfaces) for fabric in same]
    return {
        "count": min(fabric.interfaces for fabric in same) if certain else 0,
        "gbps": min(rates) if certain and shown.link_layer else 0,
        "link_layer": shown.link_layer or "",
    }
