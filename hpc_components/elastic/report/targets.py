"""Writes the registered nodes where Prometheus finds them (`file_sd`).

Prometheus watches the file. It first scrapes a node within one interval after the node has registered, and no longer
once Slurm has powered it down. Source: Prometheus documentation, "Configuration", file_sd_config.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hpc_components.elastic.model import Instance, LoginNode
from hpc_components.elastic.names import queue_of
from hpc_components.elastic.report.events import CycleReport
from hpc_components.elastic.slurm.registrations import has_registered

PORT = 9100
"""Port of node_exporter. Source: Prometheus wiki, "Default port allocations"."""


class Targets:
    """The file with the registered nodes. It is replaced as a whole, and only if it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written = ""

    def follow(self, report: CycleReport) -> None:
        """Write the nodes of a cycle's report.

        Do nothing if the head node keeps no such files, or if the cycle could not read Slurm and the cloud: its nodes
        are most likely still there. Raise OSError if the file can't be written.
        """
        if report.problem or not self._path.parent.is_dir():
            return
        text = targets(report)
        if text == self._written and self._path.exists():
            return
        new = self._path.with_name(f".{self._path.name}")  # does not match the pattern that Prometheus watches
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), "w", encoding="ascii") as file:
            os.fchmod(file.fileno(), 0o644)  # Prometheus reads it, whatever the daemon's umask
            file.write(text)
        os.replace(new, self._path)
        self._written = text


def targets(report: CycleReport) -> str:
    """Return the document with one entry for each registered node, sorted by name.

    Labels are the node's name and queue; and machine type, zone and purchase option of its machine, if the cloud
    lists the machine.
    """
    machines = {each.node: each for each in report.instances if each.alive}
    nodes = sorted((node.name, node.address) for node in report.nodes if has_registered(node) and node.address)
    entries = [{"targets": [f"{address}:{PORT}"], "labels": _labels(name, machines)} for name, address in nodes]
    return json.dumps(entries, indent=1) + "\n"


def login_targets(nodes: Iterable[LoginNode]) -> str:
    """Return the document with one entry for each login node, sorted by address.

    Prometheus asks for it over HTTP instead of watching a file (`http_sd`), so the list of login nodes never delays a
    launch. If it can't be had, Prometheus keeps the last one. Source: Prometheus documentation, "Writing HTTP Service
    Discovery".
    """
    entries = [
        {"targets": [f"{node.address}:{PORT}"], "labels": _login_labels(node)}
        for node in sorted(nodes, key=lambda node: node.address)
    ]
    return json.dumps(entries, indent=1) + "\n"


def _login_labels(node: LoginNode) -> dict[str, str]:
    zone = {"zone": node.zone} if node.zone else {}
    return {"instance": node.name, "role": "login", "machine": node.machine, **zone}


def _labels(name: str, machines: Mapping[str, Instance]) -> dict[str, Any]:
    labels = {"instance": name, "queue": queue_of(name)}
    if machine := machines.get(name):
        pool = machine.pool
        labels |= {"machine": pool.machine, "zone": pool.zone, "purchase": pool.purchase}
    return labels
