"""What the nodes of a queue must have, and which checks they run: the file that nodes get."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FILE = "/etc/hpc/health.json"


@dataclass(frozen=True, kw_only=True)
class Ports:
    """The RDMA ports of a machine."""

    count: int
    """Minimum number of active ports; 0 if it is not certain."""
    gbps: int
    """Minimum rate of each port in Gb/s; 0 if it is not certain."""
    link_layer: str
    """Link layer of the ports that count, or empty for any."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a healthy node of a queue has."""

    checks: Mapping[str, tuple[str, ...]]
    """Moments of each check, keyed by the check's name."""
    limits: Mapping[str, Mapping[str, int]]
    """Limits of each check, keyed by the check's name."""
    xids: Mapping[int, str]
    """Messages of GPU drivers that make a node unhealthy: code and meaning."""
    gpus: int = 0
    """Minimum number of NVIDIA GPUs."""
    memory_mib: int = 0
    """RealMemory of slurm.conf in MiB."""
    scratch: str = ""
    """Directory of the local scratch, or empty if the queue has none."""
    ports: Ports | None = None
    """The RDMA ports, or None if the queue has no fabric that the kernel shows."""

    def at(self, moment: str) -> tuple[str, ...]:
        """Return the names of the checks that run at a moment."""
        return tuple(name for name, moments in self.checks.items() if moment in moments)


def read_wanted(text: str, queue: str) -> Wanted:
    """Read the file for the nodes of `queue`. Raise ValueError if the file is invalid or lacks the queue."""
    document: dict[str, Any] = json.loads(text)
    if queue not in document["queues"]:
        raise ValueError(f"{FILE} has no queue {queue!r}; is this host a compute node?")
    own = dict(document["queues"][queue])
    checks = {name: tuple(document["checks"][name]["at"]) for name in own.pop("checks")}
    ports = own.pop("ports", None)
    return Wanted(
        checks=checks,
        limits={name: document["checks"][name]["limits"] for name in checks},
        xids={int(code): what for code, what in document["xids"].items()},
        ports=Ports(**ports) if ports else None,
        **own,
    )
