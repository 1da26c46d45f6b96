"""How machines can be bought and grouped, decided in one place."""

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
    """Machines of one type as one buys them."""

    machine: Machine
    purchase: Literal["on_demand", "spot", "reservation"] = "on_demand"
    fabric: bool = False
    """Whether they share InfiniBand: one scale set with a single placement group, or an availability set."""
    availability_set: bool = False
    """Whether they are in an availability set rather than in a scale set."""
    proximity_group: bool = False
    """Whether they are in a proximity placement group."""


def capacity_refusals(order: CapacityOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a purchase, by the names of the order's fields.

    `fabric`: the machine has none. `purchase`: the type is not sold so (`because_of` `machine`), or not together with
    a single placement group (`fabric`), an availability set or a proximity placement group. What no source settles
    is not refused: `is_reservable` is None then, and `machine.unsure` has `usage`.
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
    """Whether capacity of a type can be reserved on demand; None where no source says so (HX)."""
    return next((able for prefix, able in _reservable() if machine.family.startswith(prefix)), None)


def wrong_spot_price(usd: float) -> tuple[str, str] | None:
    """Reason and remedy where no spot machine can have that as its highest price.

    Source: Azure documentation, "Use Azure Spot Virtual Machines", pricing: more than nothing, up to five decimals.
    """
    if usd <= 0:
        return f"nothing is sold for {usd:g} USD an hour", "leave it out: spot never costs more than on demand"
    if round(usd, 5) != usd:
        return f"Azure takes five decimals of a price, and {usd} has more", f"use {max(round(usd, 5), 1e-5):.5f}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOrder:
    """The machines of one scale set or availability set."""

    nodes: int
    fabric: bool = False
    """Whether its machines share InfiniBand: in a scale set, a single placement group."""
    limit: int | None = None
    """Most machines of a single placement group in this subscription: 100, or up to 300 after a support request."""
    availability_set: bool = False
    zones: int = 1
    """In how many zones its machines are to be; 0 for none."""


def group_refusals(order: GroupOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a group, by the names of the order's fields: `nodes`, `limit` and `zones`.

    `nodes` has the most in `allowed`, and is refused `because_of` `limit` where a support request would raise it.
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
    """Most machines of one group: 100 with InfiniBand (300 if raised), 200 in an availability set, 1000 otherwise."""
    if availability_set:
        return service_limit("group.availability_set")
    if fabric:
        return service_limit("group.fabric_raised" if raised else "group.fabric")
    return service_limit("group.flexible")


@cache
def _reservable() -> tuple[tuple[str, bool], ...]:
    # The order of the file counts: `NCA100` stands before `NC`.
    return tuple((record["prefix"], record["reservable"]) for record in records("reservable", __file__))
