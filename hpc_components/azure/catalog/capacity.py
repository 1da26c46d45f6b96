"""Purchase options of machines, and groups of machines: what Azure refuses."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.azure.catalog.limits import service_limit
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityOrder:
    """An order of machines of one type."""

    machine: Machine
    purchase: Literal["on_demand", "spot", "reservation"] = "on_demand"
    fabric: bool = False
    """Whether the machines share InfiniBand, in one scale set with a single placement group or in an availability
    set."""
    availability_set: bool = False
    """Whether the machines are in an availability set rather than a scale set."""
    proximity_group: bool = False
    """Whether the machines are in a proximity placement group."""


def capacity_refusals(order: CapacityOrder) -> Iterator[Refusal]:
    """Yield what Azure would refuse in a purchase, by field of the order.

    `fabric`: the machine has no InfiniBand. `purchase`: the type does not offer this option (`because_of` is
    `machine`), or the option excludes a single placement group (`fabric`), an availability set or a proximity
    placement group. Nothing is refused without a source: then `is_reservable` is None, and `machine.unsure` contains
    `usage`.

    Source: Azure documentation, "On-demand capacity reservation", limitations and restrictions (2026-02-17); "Use
    Azure Spot Virtual Machines", limitations; Azure's error AzureSpotVMNotSupportedInAvailabilitySet.
    """
    if order.fabric and not order.machine.has_fabric:
        yield Refusal(field="fabric", why=Why.NOT_SOLD, because_of="machine")
    if order.purchase == "spot":
        if not order.machine.spot:
            yield Refusal(field="purchase", why=Why.NOT_SOLD, because_of="machine", allowed=("on_demand",))
        if order.availability_set:
            yield Refusal(field="purchase", why=Why.NOT_TAKEN, because_of="availability_set")
    if order.purchase == "reservation":
        if is_reservable(order.machine) is False:
            yield Refusal(
                field="purchase", why=Why.NOT_SOLD, because_of="machine", allowed=tuple(order.machine.usage)
            )
        for other in ("fabric", "availability_set", "proximity_group"):
            if getattr(order, other):
                yield Refusal(field="purchase", why=Why.NOT_TAKEN, because_of=other)


def is_reservable(machine: Machine) -> bool | None:
    """Return whether capacity of a type can be reserved on demand; None if no source says so (HX)."""
    return next((able for prefix, able in _reservable() if machine.family.startswith(prefix)), None)


def wrong_spot_price(usd: float) -> tuple[str, str] | None:
    """Return reason and remedy if this can't be the maximum price of a spot machine.

    Source: Azure documentation, "Use Azure Spot Virtual Machines", pricing: above zero, with up to five decimals.
    """
    if usd <= 0:
        return f"no machine costs {usd:g} USD per hour", "leave it out: spot never costs more than on demand"
    if round(usd, 5) != usd:
        return f"Azure accepts prices with five decimals, and {usd} has more", f"use {max(round(usd, 5), 1e-5):.5f}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOrder:
    """The machines of one scale set or availability set."""

    nodes: int
    fabric: bool = False
    """Whether its machines share InfiniBand; a scale set then has a single placement group."""
    limit: int | None = None
    """Maximum number of machines in a single placement group of this subscription: 100, or up to 300 after a support
    request."""
    availability_set: bool = False
    zones: int = 1
    """Number of zones of its machines; 0 for no zone."""


def group_refusals(order: GroupOrder) -> Iterator[Refusal]:
    """Yield what Azure would refuse in a group, by field of the order: `nodes`, `limit` and `zones`.

    For `nodes`, `allowed` holds the maximum, and `because_of` is `limit` if a support request would raise it.

    Source: Azure documentation, "Working with large Virtual Machine Scale Sets", "HPC VM sizes", cluster
    configuration options, "Orchestration modes for Virtual Machine Scale Sets" and "Azure subscription and service
    limits".
    """
    most = most_in_group(fabric=order.fabric, availability_set=order.availability_set)
    raisable = order.fabric and not order.availability_set
    raised = most_in_group(fabric=order.fabric, availability_set=order.availability_set, raised=True)
    limit = order.limit if raisable and order.limit is not None else most
    if order.limit is not None and not raisable:
        yield Refusal(field="limit", why=Why.NOT_TAKEN, because_of="availability_set" if order.fabric else "fabric")
    if limit not in range(1, raised + 1):
        yield Refusal(field="limit", why=Why.NOT_SOLD, allowed=(most, raised))
    elif order.nodes > limit:
        because = "limit" if order.nodes <= raised and raisable else None
        yield Refusal(field="nodes", why=Why.NOT_SOLD, because_of=because, allowed=(limit,))
    if order.fabric and order.zones > 1:
        yield Refusal(field="zones", why=Why.NOT_TAKEN, because_of="fabric", allowed=(1,))
    if order.availability_set and order.zones > 0:
        yield Refusal(field="zones", why=Why.NOT_TAKEN, because_of="availability_set", allowed=(0,))


def most_in_group(*, fabric: bool, availability_set: bool = False, raised: bool = False) -> int:
    """Return the maximum number of machines in a group: 100 with InfiniBand (300 if raised), 200 in an availability
    set, 1000 otherwise."""
    if availability_set:
        return service_limit("group.availability_set")
    if fabric:
        return service_limit("group.fabric_raised" if raised else "group.fabric")
    return service_limit("group.flexible")


@cache
def _reservable() -> tuple[tuple[str, bool], ...]:
    # The order of the file matters: `NCA100` is before `NC`.
    return tuple((record["prefix"], record["reservable"]) for record in records("reservable", __file__))
