"""Checks of the arguments of fleets on Azure."""

from typing import get_args

from hpc_components.azure.catalog.capacity import CapacityOrder, GroupOrder, capacity_refusals, group_refusals
from hpc_components.azure.components.node_checks import check_machine
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.fleet.model import PurchaseKind
from hpc_components.catalog import machine as catalog_machine
from hpc_components.node_checks import check_purchase_kind, distinct


def check_machines(path: str, machines: tuple[str, ...], *, fabric: bool | None, smt: bool) -> None:
    """Refuse machine types that are unknown, duplicates, or without the fabric or the SMT setting asked for."""
    for at, name in distinct(f"{path}.machines", machines, "one VM size"):
        check_machine(at, name)
        found = catalog_machine("azure", name)
        if fabric and (found is None or not found.has_fabric):
            raise ValueError(f"{at}: {name!r} has no InfiniBand; use a machine with InfiniBand, or leave fabric out")
        if not smt and found is not None and 1 not in found.valid_threads_per_core:
            raise ValueError(
                f"{at}: {name!r} has two threads per core, which Azure does not switch off; leave smt on"
            )


def fabric_of(machine: str, fabric: bool | None) -> bool:
    """Return whether machines of a type use InfiniBand: those that have it do, unless `fabric` is False."""
    found = catalog_machine("azure", machine)
    return fabric is not False and found is not None and found.has_fabric


def check_zones(path: str, zones: tuple[str, ...], *, region: str, availability_set: bool) -> None:
    """Refuse zones of another region, duplicates, and zones of an availability set."""
    for at, zone in distinct(f"{path}.zones", zones, region):
        if number_of_zone(at, zone, region) is not None and availability_set:
            raise ValueError(f"{at}: an availability set can't be in a zone such as {zone!r}; write {region}")


def check_purchase(
    path: str,
    *,
    purchase: PurchaseKind,
    reserved: bool,
    max_spot_price: float | None,
) -> None:
    """Refuse arguments of a purchase that contradict one another."""
    check_purchase_kind(path, purchase, get_args(PurchaseKind), key="reservation_id", reserved=reserved)
    if max_spot_price is not None and (purchase != "spot" or max_spot_price <= 0):
        raise ValueError(f"{path}.max_spot_price: {max_spot_price} goes with spot, and is more than 0")


def check_capacity(
    path: str,
    machines: tuple[str, ...],
    *,
    purchase: PurchaseKind,
    fabric: bool | None,
    grouped: bool,
    availability_set: bool = False,
) -> None:
    """Refuse machines that Azure does not sell in this way; machines without a source pass."""
    for index, name in enumerate(machines):
        found, has_fabric = catalog_machine("azure", name), fabric_of(name, fabric)
        if grouped and has_fabric:
            raise ValueError(
                f"{path}.proximity_group: the machines of a scale set with InfiniBand are close together anyway, and"
                " a group makes them harder to get; leave it out"
            )
        if found is None:
            continue
        order = CapacityOrder(
            machine=found,
            purchase=purchase,
            fabric=has_fabric,
            proximity_group=grouped,
            availability_set=availability_set,
        )
        for refusal in capacity_refusals(order):
            with_what = f" with {_OTHERS[refusal.because_of]}" if refusal.because_of in _OTHERS else ""
            raise ValueError(
                f"{path}.machines[{index}]: Azure does not sell {name} as {purchase}{with_what}; use another size, or"
                " another purchase"
            )


_OTHERS = {
    "fabric": "InfiniBand",
    "proximity_group": "a proximity placement group",
    "availability_set": "an availability set",
}


def check_size(
    path: str,
    machines: tuple[str, ...],
    *,
    fabric: bool | None,
    nodes: int,
    limit: int,
    availability_set: bool = False,
) -> None:
    """Refuse more machines than a scale set or an availability set can have."""
    for has_fabric in {fabric_of(name, fabric) for name in machines}:
        raisable = has_fabric and not availability_set
        order = GroupOrder(
            nodes=nodes,
            fabric=has_fabric,
            limit=limit if raisable else None,
            availability_set=availability_set,
            zones=0 if availability_set else 1,
        )
        for refusal in group_refusals(order):
            if refusal.field == "limit":
                raise ValueError(
                    f"{path}.scale_set_limit: {limit} is not 1 to {refusal.allowed[-1]}; the most without a support"
                    f" request is {refusal.allowed[0]}"
                )
            kind = f"a scale set {'with' if has_fabric else 'without'} InfiniBand"
            kind = "an availability set" if availability_set else kind
            raise ValueError(
                f"{path}.max: {nodes} nodes, but {kind} has {refusal.allowed[0]} at most; make several queues"
            )
