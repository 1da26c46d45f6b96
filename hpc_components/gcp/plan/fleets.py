from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.gcp.catalog.projects import differ
from hpc_components.gcp.catalog.resource_ids import id_parts
from hpc_components.gcp.plan.types import FLEET, TEMPLATES
from hpc_components.preview.nested import items, text_at, value_at
from hpc_components.preview.picture.cards import Fleet
from hpc_components.preview.resources import Resource, Resources

_PLACEMENTS = {"cluster": "compact placement policy", "spread": "spread placement policy"}
_MODELS = {"SPOT": "spot", "FLEX_START": "flex_start", "RESERVATION_BOUND": "reservation"}


@dataclass(frozen=True, kw_only=True)
class GcpFleet:
    fleet: Fleet
    component: Resource
    template: Mapping[str, Any]
    """Inputs of the fleet's first instance template."""


def fleets_of(resources: Resources) -> tuple[GcpFleet, ...]:
    return tuple(_fleet(resources, each) for each in resources.of_type(FLEET))


def _fleet(resources: Resources, component: Resource) -> GcpFleet:
    templates = [each for kind in TEMPLATES for each in resources.below_of_type(component, kind)]
    first: Mapping[str, Any] = templates[0].inputs if templates else {}
    placed = _PLACEMENTS.get(component.text("placement") or "")
    fleet = Fleet(
        queue=component.text("queue") or component.name,
        machines=tuple(map(str, items(component.inputs, "machines"))),
        zones=tuple(map(str, items(component.inputs, "zones"))),
        min=component.number("min") or 0,
        max=component.number("max") or 0,
        purchase=component.text("purchase") or purchase_of(first),
        placement=placed or ("placement policy" if first.get("resourcePolicies") else None),
        fabric=component.inputs.get("fabric") is True,
    )
    return GcpFleet(fleet=fleet, component=component, template=first)


def purchase_of(inputs: Mapping[str, Any]) -> str:
    model = text_at(inputs, "scheduling.provisioningModel")
    if model in _MODELS:
        return _MODELS[model]
    if value_at(inputs, "scheduling.preemptible") is True:
        return "spot"
    reserved = text_at(inputs, "reservationAffinity.type") == "SPECIFIC_RESERVATION"
    return "reservation" if reserved else "on_demand"


def holds_quota(inputs: Mapping[str, Any]) -> bool:
    """Return whether machines come from a reservation in their own project.

    Such machines counted against the project's quotas when the reservation was created, so they don't count again.
    Machines from a shared reservation count in both projects. Source: Compute Engine documentation, "Create a shared
    reservation"; Cluster Toolkit 1.95.0, pkg/validators/quota.go.
    """
    if purchase_of(inputs) != "reservation":
        return False
    named = items(value_at(inputs, "reservationAffinity.specificReservation"), "values")
    found = id_parts("reservation", str(named[0])) if named else None
    own = text_at(inputs, "project")
    return found is None or own is None or not differ(found["project"], own)
