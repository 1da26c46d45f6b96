"""Checks on the arguments of Google Cloud fleets."""

from typing import get_args

from hpc_components.catalog import machine as catalog_machine
from hpc_components.catalog.refusal import Refusal
from hpc_components.gcp.fleet.model import PurchaseKind
from hpc_components.gcp.fleet.node_checks import check_machine
from hpc_components.gcp.placement.policy_limits import PlacementOrder, placement_refusals
from hpc_components.gcp.ports import CompactPlacement
from hpc_components.gcp.purchase.options import PurchaseOrder, purchase_refusals
from hpc_components.node_checks import check_purchase_kind, distinct
from hpc_components.wording import any_of


def check_machines(path: str, machines: tuple[str, ...], *, fabric: bool | None) -> None:
    """Refuse machine types that are unknown, repeated, or lack the requested fabric."""
    for at, name in distinct(f"{path}.machines", machines, "one machine type"):
        check_machine(at, name)
        found = catalog_machine("gcp", name)
        if fabric and (found is None or not found.has_fabric):
            raise ValueError(f"{at}: {name!r} has no fast fabric; use a machine with one, or leave fabric out")


def check_purchase(
    path: str,
    machines: tuple[str, ...],
    *,
    purchase: PurchaseKind,
    reserved: bool,
    bound: bool | None,
    zones: int,
    max_run_seconds: int | None,
) -> None:
    """Refuse machines that can't be purchased this way. Accept those for which no source says whether they can."""
    check_purchase_kind(path, purchase, get_args(PurchaseKind), key="reservation", reserved=reserved)
    if bound is not None and not reserved:
        raise ValueError(f"{path}.bound: only machines of a reservation end with it; leave bound out")
    if reserved and len(machines) > 1:
        raise ValueError(f"{path}.machines: a reservation is of one machine type; give one")
    for index, name in enumerate(machines):
        found = catalog_machine("gcp", name)
        if found is None:
            continue
        order = PurchaseOrder(machine=found, purchase=purchase, zones=zones, max_run=max_run_seconds)
        for refusal in purchase_refusals(order):
            raise ValueError(f"{path}{_not_sold(refusal, index, name, purchase, max_run_seconds)}")


def _not_sold(refusal: Refusal, index: int, name: str, purchase: str, max_run: int | None) -> str:
    if refusal.field == "zones":
        return f".zones: machines bought by {purchase} are in one zone; give one"
    if refusal.field == "max_run":
        times = refusal.allowed and f", and is {refusal.allowed[0]} to {refusal.allowed[-1]}"
        return f".max_run_seconds: {max_run} goes with flex_start{times or ''}"
    sold = any_of(map(str, refusal.allowed)) if refusal.allowed else "another purchase"
    return f".machines[{index}]: Google does not sell {name} as {purchase}; use {sold}, or another machine"


def check_placement(
    path: str,
    machines: tuple[str, ...],
    placement: CompactPlacement | None,
    *,
    purchase: PurchaseKind,
    spread: int | None,
    has_policy: bool,
) -> None:
    """Refuse machines that can't be placed this way."""
    if placement is not None and (spread is not None or has_policy):
        raise ValueError(f"{path}.placement: the daemon makes its policies; leave spread and policy out")
    if spread is not None and not has_policy:
        raise ValueError(f"{path}.spread: the machines need a policy that spreads them; give one as policy")
    if placement is None:
        return
    if placement.machines < 1:
        raise ValueError(f"{path}.placement.machines: {placement.machines} machines of a policy; use 1 at least")
    for index, name in enumerate(machines):
        found = catalog_machine("gcp", name)
        if found is None:
            continue
        order = PlacementOrder(machine=found, max_distance=placement.max_distance, purchase=purchase)
        for refusal in placement_refusals(order):
            raise ValueError(f"{path}{_not_placed(refusal, index, name, placement, purchase)}")


def _not_placed(refusal: Refusal, index: int, name: str, placement: CompactPlacement, purchase: str) -> str:
    if refusal.field == "max_distance":
        allowed = any_of(map(str, refusal.allowed))
        return f".placement.max_distance: {name} can't be placed within {placement.max_distance}; use {allowed}"
    how = f" as {purchase}" if refusal.because_of == "purchase" else ""
    return (
        f".machines[{index}]: {name} can't be placed close together{how}; leave placement out, or use another machine"
    )
