"""What is known of a compute fleet: what its component says, and what its launch templates say beside that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import Resource, Resources

__all__ = ["LAUNCH_TEMPLATE", "Fleet", "fleets_of", "purchase_of"]

LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup"


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """A queue and its machines."""

    resource: Resource
    queue: str
    machines: tuple[str, ...]
    """Machine types in the order in which they are tried."""
    zones: tuple[str, ...]
    min: int
    max: int
    purchase: str
    """`on_demand`, `spot`, `reservation` or `capacity_block`."""
    placement: str | None
    """Strategy of its placement group."""
    efa: bool
    template: Mapping[str, Any]
    """Inputs of its first launch template."""


def fleets_of(resources: Resources) -> tuple[Fleet, ...]:
    """All fleets, in the order of their URNs."""
    return tuple(_fleet(resources, each) for each in resources.of("hpc:aws:EfaComputeFleet"))


def _fleet(resources: Resources, fleet: Resource) -> Fleet:
    templates = resources.below_of(fleet, LAUNCH_TEMPLATE)
    template: Mapping[str, Any] = templates[0].inputs if templates else {}
    groups = [group for each in templates for group in resources.needed(each, _PLACEMENT_GROUP)]
    placement = fleet.text("placementStrategy") or (groups[0].text("strategy") if groups else None)
    efa = fleet.inputs.get("efa")
    return Fleet(
        resource=fleet,
        queue=fleet.text("queue") or fleet.name,
        machines=_names(fleet, "machines"),
        zones=_names(fleet, "zones"),
        min=fleet.number("min") or 0,
        max=fleet.number("max") or 0,
        purchase=fleet.text("purchase") or purchase_of(template),
        placement=None if placement == "none" else placement,
        efa=efa if isinstance(efa, bool) else _has_efa(template),
        template=template,
    )


def _names(fleet: Resource, key: str) -> tuple[str, ...]:
    names = fleet.inputs.get(key)
    return tuple(str(name) for name in names) if isinstance(names, list | tuple) else ()


def purchase_of(inputs: Mapping[str, Any]) -> str:
    """How an instance or a launch template buys its machines."""
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
