from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.by_prefix import nearest
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.purchase.options import Purchase, placed_with_flex_start

_NO_DISTANCE = "3"

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementOrder:
    machine: Machine
    placement: Literal["cluster", "spread", "none"] = "cluster"
    max_distance: int | None = None
    purchase: Purchase = "on_demand"
    zones: int = 1
    domains: int | None = None
    """Number of availability domains in a spread placement policy."""
    host_maintenance: Literal["TERMINATE", "MIGRATE"] = "TERMINATE"


def placement_refusals(order: PlacementOrder) -> Iterator[Refusal]:
    """Yield a refusal for each field of the order that Compute Engine would reject.

    - `placement`: the series must support compact placement; with flex-start, only some series do.
    - `max_distance`: this requires compact placement and a series that supports the distance.
    - `zones`: with compact placement, this must be 1, because a policy's machines are in one zone.
    - `host_maintenance`: with compact placement, this must be TERMINATE, because the machines can't be migrated.
    - `domains`: this must be 1 to 8, and requires `spread`.

    A refusal's `because_of` is the field that conflicts, e.g. `machine`, `purchase` or `placement`. Unconfirmed facts
    cause no refusals; see `placement_doubts`.
    Source: Compute Engine documentation, "Placement policies overview"; Cluster Toolkit 1.95.0, nodeset.
    """
    compact = order.placement == "cluster"
    if compact and has_compact(order.machine) is False:
        yield Refusal(field="placement", why=Why.NOT_SOLD, because_of="machine", allowed=("none",))
        return
    if compact and order.purchase == "flex_start" and not placed_with_flex_start(order.machine):
        yield Refusal(field="placement", why=Why.NOT_TAKEN, because_of="purchase", allowed=("none",))
    if compact and order.zones > 1:
        yield Refusal(field="zones", why=Why.NOT_TAKEN, because_of="placement", allowed=(1,))
    if compact and order.host_maintenance != "TERMINATE":
        yield Refusal(field="host_maintenance", why=Why.NOT_TAKEN, because_of="placement", allowed=("TERMINATE",))
    yield from _distance(order)
    domains = range(1, service_limit("spread.domains") + 1)
    if order.domains is not None and order.placement != "spread":
        yield Refusal(field="domains", why=Why.NOT_TAKEN, because_of="placement")
    elif order.domains is not None and order.domains not in domains:
        yield Refusal(field="domains", why=Why.NOT_SOLD, allowed=domains)


def can_be_placed_as_bought(machine: Machine, purchase: str) -> bool:
    return purchase != "flex_start" or placed_with_flex_start(machine)


def placement_doubts(machine: Machine) -> Sequence[str]:
    """Return which facts about a machine's placement are unconfirmed.

    `compact` is whether compact placement is supported, and `most` is the maximum number of machines in a policy.
    """
    found = nearest(_records("series"), machine.name)
    return tuple(found.get("unsure", ())) if found else ("compact", "most")


def has_compact(machine: Machine) -> bool | None:
    """Return whether a machine type supports compact placement, or None if its series is unknown."""
    found = nearest(_records("series"), machine.name)
    return found["compact"] if found else None


def most_in_policy(machine: Machine, max_distance: int | None = None) -> int:
    """Return the maximum number of machines in a compact placement policy.

    The maximum is 22 at distance 1, 150 at distance 2 (256 for series a3), and 1,500 at distance 3 or if
    `max_distance` is None. Return 0 if the machine doesn't support compact placement. Raise ValueError if the machine
    doesn't support the distance.
    """
    found = nearest(_records("series"), machine.name)
    if found is None or not found["compact"]:
        return 0
    distance = _NO_DISTANCE if max_distance is None else str(max_distance)
    if distance not in found["most"]:
        raise ValueError(f"{machine.name} doesn't support compact placement at distance {max_distance}")
    return found["most"][distance]


def _distance(order: PlacementOrder) -> Iterator[Refusal]:
    if order.max_distance is None:
        return
    if order.placement != "cluster":
        yield Refusal(field="max_distance", why=Why.NOT_TAKEN, because_of="placement")
        return
    found = nearest(_records("series"), order.machine.name)
    if order.max_distance not in (1, 2, 3):
        yield Refusal(field="max_distance", why=Why.NOT_SOLD, allowed=(1, 2, 3))
    elif found and str(order.max_distance) not in found["most"]:
        allowed = tuple(map(int, found["most"]))
        yield Refusal(field="max_distance", why=Why.NOT_SOLD, because_of="machine", allowed=allowed)
