"""How machines can be bought and grouped, decided in one place."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal

__all__ = ["CapacityOrder", "GroupOrder", "capacity_refusals", "group_refusals", "is_reservable", "most_in_group"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityOrder:
    """Machines of one type as one buys them."""

    machine: Machine
    purchase: Literal["on_demand", "spot", "reservation"] = "on_demand"
    fabric: bool = False
    """Whether they share InfiniBand: one scale set with a single placement group."""
    availability_set: bool = False
    """Whether they are in an availability set rather than in a scale set."""
    proximity_group: bool = False
    """Whether they are in a proximity placement group."""


def capacity_refusals(order: CapacityOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a purchase, by the names of the order's fields.

    `fabric`: the machine has none. `purchase`: this type is not sold so, or (`because_of`) not together with a single
    placement group, an availability set or a proximity placement group. What no source confirms is not refused:
    `is_reservable` is None then, and `machine.unsure` has `usage`.
    Source: Azure documentation, "On-demand capacity reservation", limitations; "Azure Spot Virtual Machines"; error
    `AzureSpotVMNotSupportedInAvailabilitySet`.
    """
    raise NotImplementedError


def is_reservable(machine: Machine) -> bool | None:
    """Whether capacity of a type can be reserved on demand; None where no source says so."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOrder:
    """The machines of one scale set or availability set."""

    nodes: int
    fabric: bool = False
    """Whether it is a single placement group, whose machines share InfiniBand."""
    limit: int | None = None
    """Most machines of a single placement group in this subscription: 100, or up to 300 after a support request."""
    availability_set: bool = False
    zones: int = 1
    """In how many zones its machines are to be; 0 for none."""


def group_refusals(order: GroupOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a group, by the names of the order's fields: `nodes`, `limit`, `zones`.

    Source: Azure documentation, "Virtual Machine Scale Sets: placement groups", "HPC VM sizes: cluster configuration
    options" and "Azure subscription limits".
    """
    raise NotImplementedError


def most_in_group(*, fabric: bool, availability_set: bool = False, raised: bool = False) -> int:
    """Most machines of one group: 100 with InfiniBand (300 if raised), 200 in an availability set, 1000 otherwise."""
    raise NotImplementedError
