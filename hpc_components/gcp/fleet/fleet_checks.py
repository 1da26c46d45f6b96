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
    for at, name in distinct(f"{path}.machines", machines, "one machine type"):
        check_machine(at, name)
        found = catalog_machine("gcp", name)
        if fabric and (found is None or not found.has_fabric):
            raise ValueError(
                f"{at}: {name!r} has no fast fabric; use a machine type that has one, or leave fabric out"
            )


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
    """Machines whose purchase options are unconfirmed are accepted."""
    check_purchase_kind(path, purchase, get_args(PurchaseKind), key="reservation", reserved=reserved)
    if bound is not None and not reserved:
        raise ValueError(f"{path}.bound: bound only applies to machines from a reservation; leave bound out")
    if reserved and len(machines) > 1:
        raise ValueError(f"{path}.machines: a reservation covers only one machine type; specify a single type")
    for index, name in enumerate(machines):
        found = catalog_machine("gcp", name)
        if found is None:
            continue
        order = PurchaseOrder(machine=found, purchase=purchase, zones=zones, max_run=max_run_seconds)
        for refusal in purchase_refusals(order):
            raise ValueError(f"{path}{_not_sold(refusal, index, name, purchase, max_run_seconds)}")


def _not_sold(refusal: Refusal, index: int, name: str, purchase: str, max_run: int | None) -> str:
    if refusal.field == "zones":
        return f".zones: {purchase} machines must all be in the same zone; specify a single zone"
    if refusal.field == "max_run":
        times = refusal.allowed and f", and must be from {refusal.allowed[0]} to {refusal.allowed[-1]} seconds"
        return f".max_run_seconds: can't be {max_run}; a maximum run time requires flex_start{times or ''}"
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
    if placement is not None and (spread is not None or has_policy):
        raise ValueError(
            f"{path}.placement: with placement, the daemon creates the placement policies itself; leave spread "
            "and policy out"
        )
    if spread is not None and not has_policy:
        raise ValueError(f"{path}.spread: spreading the machines requires a placement policy; specify one as policy")
    if placement is None:
        return
    if placement.machines < 1:
        raise ValueError(
            f"{path}.placement.machines: a policy can't place {placement.machines} machines; use at least 1"
        )
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
        return (
            f".placement.max_distance: {name} does not support a maximum distance of {placement.max_distance}; "
            f"use {allowed}"
        )
    how = f" as {purchase}" if refusal.because_of == "purchase" else ""
    return (
        f".machines[{index}]: {name} can't be placed close together{how}; leave placement out, or use another machine"
    )
