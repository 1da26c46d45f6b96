from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.by_prefix import nearest
from hpc_components.gcp.catalog.limits import service_limit

Purchase = Literal["on_demand", "spot", "flex_start", "reservation"]
_ALL: tuple[Purchase, ...] = ("on_demand", "spot", "flex_start", "reservation")

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchaseOrder:
    machine: Machine
    purchase: Purchase = "on_demand"
    zones: int = 1
    max_run: float | None = None
    """Maximum run time of each machine in seconds, or None if not specified."""
    host_maintenance: Literal["TERMINATE", "MIGRATE"] = "TERMINATE"


def purchase_refusals(order: PurchaseOrder) -> Iterator[Refusal]:
    """Yield a refusal for each field that Compute Engine wouldn't accept.

    - `purchase`: refused if the machine type is not sold that way. `because_of` is `machine`, and `allowed` lists the
      type's options.
    - `zones`: must be 1 for a reservation, which is in a single zone, and for flex-start machines, which are
      requested in a single zone.
    - `max_run`: requires flex-start and must be 600 to 604,800 seconds.
    - `host_maintenance`: can't be MIGRATE for spot and flex-start machines.

    Unconfirmed facts never cause a refusal; see `purchase_doubts`. Source: Compute Engine documentation,
    "Provisioning models", "Flex-start" and "Reservations"; Cluster Toolkit 1.95.0, nodeset.
    """
    sold = purchases(order.machine)
    if order.purchase not in sold and order.purchase not in purchase_doubts(order.machine):
        yield Refusal(field="purchase", why=Why.NOT_SOLD, because_of="machine", allowed=sold)
    if order.purchase in ("flex_start", "reservation") and order.zones > 1:
        yield Refusal(field="zones", why=Why.NOT_TAKEN, because_of="purchase", allowed=(1,))
    if order.purchase in ("flex_start", "spot") and order.host_maintenance != "TERMINATE":
        yield Refusal(field="host_maintenance", why=Why.NOT_TAKEN, because_of="purchase", allowed=("TERMINATE",))
    if order.max_run is not None and order.purchase != "flex_start":
        yield Refusal(field="max_run", why=Why.NOT_TAKEN, because_of="purchase")
    elif order.max_run is not None and (
        order.max_run != int(order.max_run) or int(order.max_run) not in max_run_seconds()
    ):
        yield Refusal(field="max_run", why=Why.NOT_SOLD, allowed=max_run_seconds())


def purchases(machine: Machine) -> tuple[Purchase, ...]:
    found = _found(machine)
    return tuple(purchase for purchase in _ALL if found[purchase])


def purchase_doubts(machine: Machine) -> Sequence[str]:
    """Return the purchase options that no primary source confirms or rules out for this machine type."""
    return tuple(_found(machine).get("unsure", ()))


def placed_with_flex_start(machine: Machine) -> bool:
    """Return whether flex-start machines of this type can use a compact placement policy.

    Source: Cluster Toolkit 1.95.0, nodeset: a3-ultragpu, a4 and h4d.
    """
    return _found(machine)["flex_placement"]


def max_run_seconds() -> range:
    """Return the allowed run times of flex-start machines in seconds: from ten minutes to seven days."""
    return range(service_limit("flex_start.least_seconds"), service_limit("flex_start.most_seconds") + 1)


def _found(machine: Machine) -> Record:
    found = nearest(_records("series"), machine.name)
    assert found is not None  # the record with an empty prefix matches every name
    return found
