"""What Azure would refuse of a queue's machines, found when the fleet's arguments are written."""

from typing import get_args

from hpc_components.azure.catalog.capacity import CapacityOrder, GroupOrder, capacity_refusals, group_refusals
from hpc_components.azure.components.node_checks import check_machine
from hpc_components.azure.spec.queues import PurchaseKind
from hpc_components.catalog import machine as catalog_machine

__all__ = ["check_machines", "check_purchase"]


def check_machines(path: str, machines: tuple[str, ...], *, fabric: bool | None, smt: bool) -> None:
    """ValueError where a machine type is unknown, there twice, or has not what is asked of it."""
    if not machines:
        raise ValueError(f"{path}.machines: there is none; give at least one VM size")
    for index, name in enumerate(machines):
        check_machine(f"{path}.machines[{index}]", name)
        at, found = f"{path}.machines[{index}]: {name!r}", catalog_machine("azure", name)
        if name in machines[:index]:
            raise ValueError(f"{at} is there twice; remove one")
        if fabric and (found is None or not found.has_fabric):
            raise ValueError(f"{at} has no InfiniBand; use a machine that has, or leave fabric out")
        if not smt and found is not None and 1 not in found.valid_threads_per_core:
            raise ValueError(f"{at} has two threads per core, which Azure does not switch off; leave smt on")


def check_purchase(
    path: str,
    *,
    machines: tuple[str, ...],
    zones: tuple[str, ...],
    purchase: PurchaseKind,
    reserved: bool,
    max_spot_price: float | None,
    grouped: bool,
    fabric: bool,
    nodes: int,
    limit: int,
) -> None:
    """ValueError where machines can't be bought or grouped so."""
    if purchase not in get_args(PurchaseKind):
        raise ValueError(f"{path}.purchase: {purchase!r} is unknown; use {', '.join(get_args(PurchaseKind))}")
    if (purchase == "reservation") != reserved:
        raise ValueError(f"{path}.reservation_id: give it with reservation, and with nothing else")
    if reserved and len(machines) * len(zones) > 1:
        raise ValueError(f"{path}.machines: a reservation is of one size in one zone; give one of each")
    if max_spot_price is not None and (purchase != "spot" or max_spot_price <= 0):
        raise ValueError(f"{path}.max_spot_price: {max_spot_price} goes with spot, and is more than 0")
    if grouped and fabric:
        raise ValueError(
            f"{path}.proximity_group: the machines of a scale set with InfiniBand are close together anyway, and a"
            " group makes them harder to get; leave it out"
        )
    for refusal in group_refusals(GroupOrder(nodes=nodes, fabric=fabric, limit=limit if fabric else None)):
        most = refusal.allowed[-1] if refusal.allowed else limit
        field = "max" if refusal.field == "nodes" else "scale_set_limit"
        value = nodes if field == "max" else limit
        raise ValueError(f"{path}.{field}: {value}, but a scale set has {most} machines at most; use several queues")
    for index, name in enumerate(machines):
        found = catalog_machine("azure", name)
        if found is None:
            continue
        order = CapacityOrder(machine=found, purchase=purchase, fabric=fabric, proximity_group=grouped)
        for refusal in capacity_refusals(order):
            because = f" with {refusal.because_of.replace('_', ' ')}" if refusal.because_of else ""
            raise ValueError(f"{path}.machines[{index}]: {name!r} is not sold as {purchase}{because}; use another")
