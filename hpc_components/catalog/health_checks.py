"""Facts about checks of a node's health: what each reads, when it runs, its limits, and which messages of GPU drivers
count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind

_RECORDS = RecordsByKind("health_checks", __file__)

Moment = Literal["boot", "prolog", "epilog", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """A check that nodes run."""

    name: str
    what: str
    """What holds on a healthy node, as a clause."""
    at: Sequence[Moment]
    """Moments at which the check runs."""
    default: bool
    """Whether the check runs if the description does not mention it."""
    needs: Literal["gpus", "fabric", "scratch"] | None
    """What a queue's machines must have for the check to apply. None: it applies to all."""
    limits: Mapping[str, int]
    """Thresholds by name: seconds, MiB, percent or counts, as the name says."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid:
    """A message of NVIDIA's driver after which the GPU can't be used until it, or the machine, is reset."""

    code: int
    what: str
    action: str
    """NVIDIA's name for the immediate action."""
    source: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPorts:
    """How the kernel shows the interfaces of one kind of fabric."""

    name: str
    """Kind of the fabric, as in `Fabric.kind`."""
    ports: bool
    """Whether they are in `/sys/class/infiniband`."""
    link_layer: str | None
    """Link layer of their ports, or None for any."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def health_checks() -> Mapping[str, HealthCheck]:
    """Return all checks, keyed by name, in the order in which nodes run them."""
    return {record["name"]: HealthCheck(**record) for record in _RECORDS.records("check")}


@cache
def fatal_xids() -> Mapping[int, Xid]:
    """Return the messages that make a node unhealthy, keyed by code. All others are informational."""
    return {record["code"]: Xid(**record) for record in _RECORDS.records("xid")}


@cache
def fabric_ports(kind: str) -> FabricPorts | None:
    return next((FabricPorts(**one) for one in _RECORDS.records("fabric") if one["name"] == kind), None)
