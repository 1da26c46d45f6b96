"""What Google Cloud would refuse of a queue's machines, found when the fleet's arguments are written."""

from typing import get_args

from hpc_components.catalog import machine as catalog_machine
from hpc_components.gcp.components.node_checks import check_machine
from hpc_components.gcp.ports import CompactPlacement
from hpc_components.gcp.spec.queues import PurchaseKind

__all__ = ["check_machines", "check_placement", "check_purchase"]

RUN_SECONDS = range(600, 604801)
"""Of a machine of `flex_start`. Source: Compute Engine documentation, "About Flex-start VMs"."""


def check_machines(path: str, machines: tuple[str, ...], *, fabric: bool | None) -> None:
    """ValueError where a machine type is unknown, there twice, or has no fabric though that is asked for."""
    if not machines:
        raise ValueError(f"{path}.machines: there is none; give at least one machine type")
    for index, name in enumerate(machines):
        check_machine(f"{path}.machines[{index}]", name)
        at, found = f"{path}.machines[{index}]: {name!r}", catalog_machine("gcp", name)
        if name in machines[:index]:
            raise ValueError(f"{at} is there twice; remove one")
        if fabric and (found is None or not found.has_fabric):
            raise ValueError(f"{at} has no fast fabric; use a machine that has, or leave fabric out")


def check_purchase(
    path: str, *, purchase: PurchaseKind, reserved: bool, pools: int, max_run_seconds: int | None
) -> None:
    """ValueError where the words of a purchase do not go together. `pools`: machine types times zones."""
    if purchase not in get_args(PurchaseKind):
        raise ValueError(f"{path}.purchase: {purchase!r} is unknown; use {', '.join(get_args(PurchaseKind))}")
    if (purchase == "reservation") != reserved:
        raise ValueError(f"{path}.reservation: give it with reservation, and with nothing else")
    if reserved and pools > 1:
        raise ValueError(f"{path}.machines: a reservation is of one machine type in one zone; give one of each")
    if max_run_seconds is not None and (purchase != "flex_start" or max_run_seconds not in RUN_SECONDS):
        raise ValueError(
            f"{path}.max_run_seconds: {max_run_seconds} goes with flex_start, and is {RUN_SECONDS[0]} to"
            f" {RUN_SECONDS[-1]}"
        )


def check_placement(
    path: str,
    machines: tuple[str, ...],
    placement: CompactPlacement | None,
    *,
    spread: int | None,
    has_policy: bool,
) -> None:
    """ValueError where machines can't be placed so."""
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
        if found is not None and not found.cluster_placement:
            raise ValueError(
                f"{path}.machines[{index}]: {name} can't be placed close together; leave placement out, or use"
                " another machine"
            )
