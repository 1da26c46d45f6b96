from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.azure.plan.types import AVAILABILITY_SET, FLEET, SCALE_SET
from hpc_components.preview.nested import items, text_at, value_at
from hpc_components.preview.picture.cards import Fleet
from hpc_components.preview.resources import Resource, Resources

_PROXIMITY_GROUP = "azure-native:compute:ProximityPlacementGroup"


@dataclass(frozen=True, kw_only=True)
class AzureFleet:
    fleet: Fleet
    component: Resource
    scale_set: Mapping[str, Any]
    """Inputs of the fleet's first scale set, or {} if the fleet uses availability sets."""


def fleets_of(resources: Resources) -> tuple[AzureFleet, ...]:
    """Return all fleets, sorted by URN."""
    return tuple(_fleet(resources, each) for each in resources.of_type(FLEET))


def _fleet(resources: Resources, component: Resource) -> AzureFleet:
    sets = resources.below_of_type(component, SCALE_SET)
    named = resources.below_of_type(component, AVAILABILITY_SET)
    first: Mapping[str, Any] = sets[0].inputs if sets else {}
    fleet = Fleet(
        queue=component.text("queue") or component.name,
        machines=tuple(map(str, items(component.inputs, "machines"))),
        zones=tuple(map(str, items(component.inputs, "zones"))),
        min=component.number("min") or 0,
        max=component.number("max") or 0,
        purchase=component.text("purchase") or purchase_of(first),
        placement="availability set" if named else _placement(resources, sets),
        fabric=component.inputs.get("fabric") is True,
    )
    return AzureFleet(fleet=fleet, component=component, scale_set=first)


def _placement(resources: Resources, sets: tuple[Resource, ...]) -> str | None:
    if any(each.inputs.get("singlePlacementGroup") is True for each in sets):
        return "single placement group"
    close = any(
        resources.needed(each, _PROXIMITY_GROUP) or each.inputs.get("proximityPlacementGroup") for each in sets
    )
    return "proximity placement group" if close else None


def purchase_of(inputs: Mapping[str, Any]) -> str:
    if text_at(inputs, "virtualMachineProfile.priority") == "Spot":
        return "spot"
    return "reservation" if value_at(inputs, "virtualMachineProfile.capacityReservation") else "on_demand"
