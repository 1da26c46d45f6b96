from typing import Any, get_args

from hpc_components.azure.components.node_checks import check_machine
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.fleet.model import PurchaseKind
from hpc_components.azure.fleet.offer import CapacityOrder, GroupOrder, refusals
from hpc_components.catalog import machine as catalog_machine
from hpc_components.node_checks import check_purchase_kind, distinct
from hpc_components.spec.surfaces import Key, Keys, refuse_first


def check_machines(path: str, machines: tuple[str, ...], *, fabric: bool | None, smt: bool) -> None:
    """Raise ValueError for unknown or duplicate machine types, and for types that don't support the `fabric` or `smt`
    setting.
    """
    for at, name in distinct(f"{path}.machines", machines, "one VM size"):
        check_machine(at, name)
        found = catalog_machine("azure", name)
        if fabric and (found is None or not found.has_fabric):
            raise ValueError(f"{at}: {name!r} has no InfiniBand; use a machine with InfiniBand, or remove fabric")
        if not smt and found is not None and 1 not in found.valid_threads_per_core:
            raise ValueError(f"{at}: {name!r} has two threads per core, and Azure can't turn SMT off; leave smt on")


def fabric_of(machine: str, fabric: bool | None) -> bool:
    found = catalog_machine("azure", machine)
    return fabric is not False and found is not None and found.has_fabric


def check_zones(path: str, zones: tuple[str, ...], *, region: str) -> None:
    """Raise ValueError for zones outside the region and for duplicate zones."""
    for at, zone in distinct(f"{path}.zones", zones, region):
        number_of_zone(at, zone, region)


def check_purchase(
    path: str,
    *,
    purchase: PurchaseKind,
    reserved: bool,
    max_spot_price: float | None,
) -> None:
    """Raise ValueError if purchase arguments contradict each other."""
    check_purchase_kind(path, purchase, get_args(PurchaseKind), key="reservation_id", reserved=reserved)
    if max_spot_price is not None and (purchase != "spot" or max_spot_price <= 0):
        raise ValueError(
            f"{path}.max_spot_price: a maximum price is only allowed for spot machines and must be more than "
            f"0, not {max_spot_price}"
        )


def check_capacity(args: Any, keys: Keys) -> None:
    """Raise ValueError if Azure does not sell these machines with these options. Machines that are not in the
    catalogue are accepted.

    `keys` maps order fields to arguments.
    """
    grouped = args.proximity_group is not None
    for index, name in enumerate(args.machines):
        found, has_fabric = catalog_machine("azure", name), fabric_of(name, args.fabric)
        at = type(args).__name__
        if grouped and has_fabric:
            raise ValueError(
                f"{at}.proximity_group: a scale set with InfiniBand already places its machines close "
                "together, and a proximity placement group makes machines harder to get; remove "
                "proximity_group"
            )
        if found is not None and args.purchase == "spot" and not found.spot:
            raise ValueError(f"{at}.machines[{index}]: Azure does not sell {name} as a spot machine; use on_demand")
        order = CapacityOrder(
            machine=found,
            purchase=args.purchase,
            fabric=has_fabric,
            proximity_group=grouped,
            availability_set=args.availability_set,
        )
        refuse_first(args, refusals(order), {**keys, "machine": Key(("machines", index))})


def check_size(args: Any, keys: Keys) -> None:
    """Raise ValueError if a scale set or availability set can't have this many machines or these zones.

    `keys` maps order fields to arguments.
    """
    for has_fabric in {fabric_of(name, args.fabric) for name in args.machines}:
        raisable = has_fabric and not args.availability_set
        order = GroupOrder(
            nodes=args.max,
            fabric=has_fabric,
            limit=args.scale_set_limit if raisable else None,
            availability_set=args.availability_set,
            region=args.group.location,
            zones=args.zones,
        )
        refuse_first(args, refusals(order), keys)
