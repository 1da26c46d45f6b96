from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.offer import Limit, Refusal

_NODES = Limit(
    id="HPC-VSS-001",
    title="A queue must not have more nodes than fit in one scale set: 100 with InfiniBand (300 on request), "
    "otherwise 1000",
    why="Each machine type in each zone has one scale set, and all nodes of a queue may end up in the same scale "
    "set. With InfiniBand, the limit is lower, because the scale set must have a single placement group for "
    "its machines to share InfiniBand.",
    source='Azure documentation, "Working with large Virtual Machine Scale Sets", "HPC VM sizes: cluster'
    ' configuration options" and "Orchestration modes for Virtual Machine Scale Sets"',
)
_LIMIT = Limit(
    id="HPC-VSS-002",
    title="`scale_set_limit` must be between 1 and 300, and can only be set for scale sets with InfiniBand",
    why="A single placement group can contain 100 machines, or up to 300 after a support request. The limit of "
    "all other scale sets is 1000 and can't be changed.",
    source='Azure documentation, "HPC VM sizes: cluster configuration options"',
)
_ZONES = Limit(
    id="HPC-VSS-004",
    title="The machines of an availability set must not be in a zone",
    why="A virtual machine can be in a zone or in an availability set, but not in both.",
    source='Azure documentation, "Availability options for Azure Virtual Machines"',
)
_RESERVABLE = Limit(
    id="HPC-RGP-001",
    title="A queue that uses a capacity reservation must have machine types whose capacity can be reserved",
    why="HB, HC and ND types can't be reserved. For types that no source covers (HX), the finding is only a warning.",
    source='Azure documentation, "On-demand capacity reservation", limitations and restrictions',
)
_RESERVED_GROUP = Limit(
    id="HPC-RGP-002",
    title="Reserved machines must not be in a single placement group, proximity placement group or availability set",
    why="Reserved machines therefore can't share InfiniBand.",
    source='Azure documentation, "On-demand capacity reservation", limitations and restrictions',
)
_SPOT_GROUP = Limit(
    id="HPC-CAP-017",
    title="Spot machines must not be in an availability set",
    source="Azure's error AzureSpotVMNotSupportedInAvailabilitySet; Azure documentation, \"Use Azure Spot Virtual"
    ' Machines", limitations',
)

LIMITS = (_NODES, _LIMIT, _ZONES, _RESERVABLE, _RESERVED_GROUP, _SPOT_GROUP)

_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityOrder:
    machine: Machine | None = None
    """Machine type; None if unknown."""
    purchase: Literal["on_demand", "spot", "reservation"] = "on_demand"
    fabric: bool = False
    """Whether the machines share InfiniBand, in one scale set with a single placement group or in an availability
    set."""
    availability_set: bool = False
    proximity_group: bool = False
    similar: tuple[str, ...] = ()
    """Similar machine types whose capacity can be reserved, most similar first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOrder:
    """The machines of one scale set or availability set."""

    nodes: int
    fabric: bool = False
    """Whether the group's machines share an InfiniBand fabric. If so, the scale set uses a single placement group."""
    limit: int | None = None
    """Maximum number of machines in a single placement group in this subscription: 100, or up to 300 after a support
    request."""
    availability_set: bool = False
    region: str | None = None
    """Region of the machines; None if unknown."""
    zones: tuple[str, ...] = ()
    """Zones of the machines, such as `eastus-1`. The region's name stands for no particular zone."""


def refusals(order: CapacityOrder | GroupOrder) -> Iterator[Refusal]:
    if isinstance(order, CapacityOrder):
        yield from _purchase(order)
    else:
        yield from _group_limit(order)
        yield from _group_size(order)
        yield from _group_zones(order)


def _purchase(order: CapacityOrder) -> Iterator[Refusal]:
    if order.purchase == "spot" and order.availability_set:
        yield _SPOT_GROUP.refuse(
            "purchase",
            reason="Azure doesn't launch spot machines in an availability set",
            changes={"availability_set": False},
            alternative={"purchase": "on_demand"},
            conflicts_with="availability_set",
        )
    if order.purchase != "reservation":
        return
    able = is_reservable(order.machine) if order.machine else True
    if order.machine and not able:
        capacity = f"capacity of {order.machine.name}"
        yield _RESERVABLE.refuse(
            "machine",
            reason=f"{capacity} can't be reserved"
            if able is False
            else f"no source confirms that {capacity} can be reserved",
            changes={"purchase": "on_demand"},
            alternative={"machine": order.similar[0]} if able is False and order.similar else None,
            conflicts_with="purchase",
            level=None if able is False else Level.WARNING,
        )
    if able is not False:
        yield from _reserved_groups(order)


def _reserved_groups(order: CapacityOrder) -> Iterator[Refusal]:
    groups = {
        "fabric": "a single placement group, which InfiniBand requires",
        "proximity_group": "a proximity placement group",
        "availability_set": "an availability set",
    }
    for field, group in groups.items():
        if getattr(order, field):
            yield _RESERVED_GROUP.refuse(
                "purchase",
                reason=f"Azure doesn't launch reserved machines in {group}",
                changes={field: False},
                alternative={"purchase": "on_demand"},
                conflicts_with="machine" if field == "fabric" else field,
            )


def _group_limit(order: GroupOrder) -> Iterator[Refusal]:
    most, raised = _most(order), _most(order, raised=True)
    if order.limit is None:
        return
    if not _is_raisable(order):
        reason = f"{_kind(order)} can have {most} machines, and this limit can't be raised"
        yield _LIMIT.refuse("limit", reason=reason, changes={"limit": None}, level=Level.WARNING)
    elif not 1 <= order.limit <= raised:
        yield _LIMIT.refuse(
            "limit",
            reason=f"{_kind(order)} can have {most} machines, or up to {raised} after a support request",
            changes={"limit": most if order.limit < 1 else raised},
        )


def _group_size(order: GroupOrder) -> Iterator[Refusal]:
    raised, is_raisable = _most(order, raised=True), _is_raisable(order)
    limit = order.limit if is_raisable and order.limit is not None else _most(order)
    if not 1 <= limit <= raised or order.nodes <= limit:
        return
    can_raise = is_raisable and order.nodes <= raised
    held = (
        f"{_most(order)} machines, or up to {raised} after a support request" if is_raisable else f"{limit} machines"
    )
    yield _NODES.refuse(
        "nodes",
        reason=f"{_kind(order)} can have {held}, not {order.nodes}",
        changes={"limit": order.nodes} if can_raise else {"nodes": limit},
        advice="" if can_raise else "for more nodes, create several queues",
        alternative={"nodes": limit} if can_raise else None,
    )


def _group_zones(order: GroupOrder) -> Iterator[Refusal]:
    zone = next((each for each in order.zones if each != order.region), None)
    if order.availability_set and order.region and zone:
        yield _ZONES.refuse(
            "zones",
            reason=f"an availability set can't be in a zone such as {zone}",
            changes={"zones": [order.region]},
            alternative={"availability_set": False},
            conflicts_with="availability_set",
        )


def _kind(order: GroupOrder) -> str:
    if order.availability_set:
        return "an availability set"
    return "a scale set with InfiniBand" if order.fabric else "a scale set without InfiniBand"


def _is_raisable(order: GroupOrder) -> bool:
    return order.fabric and not order.availability_set


def _most(order: GroupOrder, *, raised: bool = False) -> int:
    return most_in_group(fabric=order.fabric, availability_set=order.availability_set, raised=raised)


def is_reservable(machine: Machine) -> bool | None:
    """Return whether a type's capacity can be reserved on demand, or None if no source covers the type (HX)."""
    # The first match counts, so `NCA100` comes before `NC` in the file.
    rows = _of_kind("reservable")
    return next((row["reservable"] for row in rows if machine.family.startswith(row["prefix"])), None)


def wrong_spot_price(usd: float) -> tuple[str, str] | None:
    """Return a reason and a remedy if this can't be a spot machine's maximum price, otherwise None.

    Source: Azure documentation, "Use Azure Spot Virtual Machines", pricing: above zero, with up to five decimals.
    """
    if usd <= 0:
        return (
            f"the maximum spot price must be more than 0 USD per hour, not {usd:g}",
            "remove max_spot_price; a spot machine never costs more than an on-demand machine",
        )
    if round(usd, 5) != usd:
        return (
            f"Azure accepts prices with up to five decimal places, but {usd} has more",
            f"use {max(round(usd, 5), 1e-5):.5f}",
        )
    return None


def most_in_group(*, fabric: bool, availability_set: bool = False, raised: bool = False) -> int:
    """Return the maximum number of machines in a group.

    The maximum is 100 with InfiniBand (300 if raised), 200 in an availability set and 1000 otherwise.
    """
    key = "fabric_raised" if raised else "fabric"
    key = "availability_set" if availability_set else key if fabric else "flexible"
    return {record["key"]: record["value"] for record in _of_kind("most")}[key]
