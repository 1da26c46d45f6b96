"""Expected figures: values of the catalogue and the description, with the tolerance of `data/limits.json`."""

from dataclasses import dataclass
from functools import cache

from hpc_components.catalog import machine
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.spec.queue_defaults import fabric_of
from hpc_components.spec.queues import Queue
from hpc_components.spec.storage import FileSystem, LustreFileSystem

_LIMITS = RecordsByKind("limits", __file__)

_MIB_PER_GBIT = 1e9 / 8 / 2**20


@dataclass(frozen=True, kw_only=True)
class Limit:
    value: float
    source: str
    unsure: bool


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


def lustre_throughput(store: FileSystem, queue: Queue, nodes: int) -> Limit | None:
    """Return the minimum throughput in MiB/s of all nodes together, or None if the description does not state it."""
    record, facts = _record("lustre"), machine(queue.cloud, queue.machine)
    if not isinstance(store, LustreFileSystem) or not store.throughput or not store.size or not record:
        return None
    most = store.throughput * store.size.bytes / 2**40 * 1e6 / 2**20
    if facts and facts.network_gbps:
        most = min(most, facts.network_gbps * _MIB_PER_GBIT * nodes)
    return _limit(record, float(str(record["min_share"])) * most)
