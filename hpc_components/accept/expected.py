"""Expected figures: values of the catalogue and the description, with the tolerance of `data/limits.json`."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog import machine
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.spec.queue_defaults import fabric_of
from hpc_components.spec.queues import Queue
from hpc_components.spec.storage import FileSystem

_LIMITS = RecordsByKind("limits", __file__)

_MIB_PER_GBIT = 1e9 / 8 / 2**20


@dataclass(frozen=True, kw_only=True)
class Limit:
    value: float
    source: str
    unsure: bool
    warn_below: float | None = None
    """Value that is expected of a sound cluster, if `value` is only a part of that."""


@cache
def _record(kind: str, fabric: str = "") -> dict[str, object] | None:
    return next((each for each in _LIMITS.records(kind) if each.get("fabric", "") == fabric), None)


def _limit(record: dict[str, object], value: float) -> Limit:
    return Limit(value=value, source=str(record["source"]), unsure=bool(record.get("unsure")))


def mpi_latency(queue: Queue) -> Limit | None:
    """Return the maximum latency in µs between two nodes, or None without a fabric or a limit for its kind."""
    fabric = fabric_of(queue)
    record = _record("mpi", fabric.kind) if fabric else None
    return _limit(record, float(str(record["max_latency_us"]))) if record else None


def mpi_bandwidth(queue: Queue) -> Limit | None:
    """Return the minimum bandwidth in MiB/s between one process on each of two nodes.

    One process uses one interface, so that is what the limit is a share of.
    """
    fabric = fabric_of(queue)
    record = _record("mpi", fabric.kind) if fabric else None
    if not record or not fabric:
        return None
    return _limit(record, float(str(record["min_share"])) * fabric.gbps / fabric.interfaces * _MIB_PER_GBIT)


def nccl_bandwidth(queue: Queue) -> Limit | None:
    """Return the minimum bus bandwidth in GB/s of an all-reduce between nodes."""
    fabric, record = fabric_of(queue), _record("nccl")
    return _limit(record, float(str(record["min_share"])) * fabric.gbps / 8) if fabric and record else None


def throughput(store: FileSystem, step: Literal["write", "read"], queue: Queue, nodes: int) -> Limit | None:
    """Return the minimum throughput in MiB/s of all nodes together, or None without a stated one.

    An existing file system has none: what the description says of a new one does not apply to it.
    """
    stated = None if store.mounted else store.stated_throughput
    record, facts = _record("throughput"), machine(queue.cloud, queue.machine)
    if stated is None or record is None:
        return None
    network = facts.network_gbps if facts and facts.network_gbps else math.inf
    of_node = min(float(str(record["flow_gbps"])), network) * _MIB_PER_GBIT
    reached = min(stated.write if step == "write" else stated.read, nodes * of_node)
    return Limit(
        value=float(str(record["min_share"])) * reached,
        warn_below=float(str(record["usual_share"])) * reached,
        source=f"{stated.source}; {record['source']}",
        unsure=False,
    )
