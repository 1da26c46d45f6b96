"""What Azure would refuse of a queue's machines, found when the fleet's arguments are written."""

from typing import get_args

from hpc_components.azure.catalog.capacity import CapacityOrder, GroupOrder, capacity_refusals, group_refusals
from hpc_components.azure.catalog.local_disks import ephemeral_refusals
from hpc_components.azure.components.node_checks import check_machine
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.spec.queues import PurchaseKind
from hpc_components.catalog import machine as catalog_machine


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


def fabric_of(machine: str, fabric: bool | None) -> bool:
    """Whether machines of a type use InfiniBand: where they have it, unless it is switched off."""
    found = catalog_machine("azure", machine)
    return fabric is not False and found is not None and found.has_fabric


def check_zones(path: str, zones: tuple[str, ...], *, region: str, availability_set: bool) -> None:
    """ValueError where a zone is none of the region, there twice, or given for an availability set."""
    if not zones:
        raise ValueError(f"{path}.zones: there is none; give at least {region}")
    for index, zone in enumerate(zones):
        number = number_of_zone(f"{path}.zones[{index}]", zone, region)
        if availability_set and number is not None:
            raise ValueError(
                f"{path}.zones[{index}]: an availability set is in no zone, and {zone!r} is one; write {region}"
            )
        if zone in zones[:index]:
            raise ValueError(f"{path}.zones[{index}]: {zone!r} is there twice; remove one")


def check_ephemeral_root(path: str, machines: tuple[str, ...], size_gib: int) -> None:
    """ValueError where machines have no room for a root disk on disks of their own."""
    for index, name in enumerate(machines):
        for refusal in ephemeral_refusals(name, size_gib):
            if refusal.field == "size_gib":
                raise ValueError(
                    f"{path}.root.size_gib: the own disks of {name} have room for {refusal.allowed[-1]} GiB, not"
                    f" {size_gib}; use a smaller one"
                )
            raise ValueError(
                f"{path}.machines[{index}]: {name!r} has no own disks for a root disk; leave ephemeral_root out"
            )


def check_purchase(
    path: str,
    *,
    purchase: PurchaseKind,
    reserved: bool,
    max_spot_price: float | None,
) -> None:
    """ValueError where the words of a purchase do not go together."""
    if purchase not in get_args(PurchaseKind):
        raise ValueError(f"{path}.purchase: {purchase!r} is unknown; use {', '.join(get_args(PurchaseKind))}")
    if (purchase == "reservation") != reserved:
        raise ValueError(f"{path}.reservation_id: give it with reservation, and with nothing else")
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
    """ValueError where Azure does not sell these machines so. What no source settles is let pass."""
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
    """ValueError where a scale set or an availability set can't have so many machines."""
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
