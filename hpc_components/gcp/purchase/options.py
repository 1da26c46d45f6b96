"""Purchase options of machines."""

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
    """The purchase of machines of one type, as ordered."""

    machine: Machine
    purchase: Purchase = "on_demand"
    zones: int = 1
    """Number of zones of the machines."""
    max_run: float | None = None
    """Seconds after which they are deleted; None if not given."""
    host_maintenance: Literal["TERMINATE", "MIGRATE"] = "TERMINATE"
    """What Google does with the machines during host maintenance."""


def purchase_refusals(order: PurchaseOrder) -> Iterator[Refusal]:
    """Yield what Compute Engine would refuse of a purchase, by fields of the order.

    `purchase`: the type is not sold this way (`because_of` `machine`; `allowed` has its options). `zones`: a
    reservation is in one zone, and flex-start machines are requested in one. `max_run`: with flex-start only, 600 to
    604,800 seconds. `host_maintenance`: spot and flex-start machines are not migrated. Unsure facts are not refused:
    see `purchase_doubts`.
    Source: Compute Engine documentation, "Provisioning models", "Flex-start" and "Reservations"; Cluster Toolkit
    1.95.0, nodeset.
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
    """Return the known purchase options of a machine type, as descriptions name them."""
    found = _found(machine)
    return tuple(purchase for purchase in _ALL if found[purchase])


def purchase_doubts(machine: Machine) -> Sequence[str]:
    """Return the purchase options of a machine that no primary source confirms or excludes."""
    return tuple(_found(machine).get("unsure", ()))


def placed_with_flex_start(machine: Machine) -> bool:
    """Return whether flex-start machines of a type can be in a compact placement policy.

    Source: Cluster Toolkit 1.95.0, nodeset: a3-ultragpu, a4 and h4d.
    """
    return _found(machine)["flex_placement"]


def max_run_seconds() -> range:
    """Return the possible run times of a flex-start machine in seconds: ten minutes to seven days."""
    return range(service_limit("flex_start.least_seconds"), service_limit("flex_start.most_seconds") + 1)


def _found(machine: Machine) -> Record:
    found = nearest(_records("series"), machine.name)
    assert found is not None  # the record without a prefix matches all
    return found
