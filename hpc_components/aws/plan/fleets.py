from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.aws.plan.types import FLEET, LAUNCH_TEMPLATE
from hpc_components.preview.picture.cards import Fleet
from hpc_components.preview.resources import Resource, Resources

_PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup"


@dataclass(frozen=True, kw_only=True)
class AwsFleet:
    fleet: Fleet
    component: Resource
    template: Mapping[str, Any]
    """Inputs of the fleet's first launch template."""


def fleets_of(resources: Resources) -> tuple[AwsFleet, ...]:
    """Return all fleets, ordered by URN."""
    return tuple(_fleet(resources, each) for each in resources.of_type(FLEET))


def _fleet(resources: Resources, component: Resource) -> AwsFleet:
    templates = resources.below_of_type(component, LAUNCH_TEMPLATE)
    template: Mapping[str, Any] = templates[0].inputs if templates else {}
    groups = [group for each in templates for group in resources.needed(each, _PLACEMENT_GROUP)]
    strategy = component.text("placementStrategy") or (groups[0].text("strategy") if groups else None)
    efa = component.inputs.get("efa")
    fleet = Fleet(
        queue=component.text("queue") or component.name,
        machines=_names(component, "machines"),
        zones=_names(component, "zones"),
        min=component.number("min") or 0,
        max=component.number("max") or 0,
        purchase=component.text("purchase") or purchase_of(template),
        placement=f"{strategy} placement group" if strategy not in (None, "none") else None,
        fabric=efa if isinstance(efa, bool) else _has_efa(template),
    )
    return AwsFleet(fleet=fleet, component=component, template=template)


def _names(component: Resource, key: str) -> tuple[str, ...]:
    names = component.inputs.get(key)
    return tuple(str(name) for name in names) if isinstance(names, list | tuple) else ()


def purchase_of(inputs: Mapping[str, Any]) -> str:
    """Return the purchase option specified by the inputs of an instance or a launch template."""
    market = inputs.get("instanceMarketOptions")
    kind = market.get("marketType") if isinstance(market, Mapping) else None
    if kind in ("spot", "capacity-block"):
        return str(kind).replace("-", "_")
    return "reservation" if inputs.get("capacityReservationSpecification") else "on_demand"


def _has_efa(template: Mapping[str, Any]) -> bool:
    cards = template.get("networkInterfaces")
    return isinstance(cards, list) and any(
        isinstance(card, Mapping) and str(card.get("interfaceType")).startswith("efa") for card in cards
    )
