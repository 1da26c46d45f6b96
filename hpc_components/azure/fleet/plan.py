"""Checks the scale sets recorded in a plan for combinations of settings that Azure refuses.

Source: Azure Virtual Machine Scale Sets documentation, "Orchestration modes", "Spot", "Capacity reservation".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.azure.fleet.offer import CapacityOrder, GroupOrder, most_in_group, refusals
from hpc_components.azure.plan.types import SCALE_SET
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault, property_fault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import items, number_at, text_at, value_at
from hpc_components.preview.reader import PlanReader
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Key, Keys

_CAPACITY_INPUTS: Keys = {
    "machine": None,  # an existing reservation proves that its machine type can be reserved
    "purchase": Key(("virtualMachineProfile", "capacityReservation"), lambda _: None),
    "fabric": Key(("singlePlacementGroup",)),
    "availability_set": None,
    "proximity_group": Key(("proximityPlacementGroup",), lambda _: None),
    "similar": None,
}

_GROUP_INPUTS: Keys = {
    "nodes": Key(("sku", "capacity")),
    "fabric": Key(("singlePlacementGroup",)),
    "limit": None,
    "availability_set": None,
    "region": None,
    "zones": Key(("zones",)),
}


class FleetPlan(PlanReader):
    """Plan reader that checks scale set inputs. `AzurePlanReader` reads the machines, quotas and network cards of
    scale sets.
    """

    def inputs(self) -> InputFacts:
        return InputFacts(relations={SCALE_SET: (scale_set,)})


READER = FleetPlan()


def scale_set(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    yield from _mode(inputs)
    yield from _single_group(inputs)
    yield from _reserved(inputs)
    yield from _spot(inputs)


def _mode(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    if text_at(inputs, "orchestrationMode") != "Flexible":
        return
    if inputs.get("singlePlacementGroup") is True:
        yield property_fault(
            "singlePlacementGroup",
            True,
            "is not available in Flexible orchestration mode",
            "use Uniform orchestration mode, or leave singlePlacementGroup out",
        )
    if "overprovision" in inputs:
        yield property_fault(
            "overprovision", inputs["overprovision"], "has no meaning in Flexible orchestration mode", "leave it out"
        )
    network = "virtualMachineProfile.networkProfile"
    if items(inputs, f"{network}.networkInterfaceConfigurations") and not text_at(
        inputs, f"{network}.networkApiVersion"
    ):
        path = f"{network}.networkApiVersion"
        yield property_fault(
            path, None, "is required in Flexible orchestration mode", "set it to `2022-11-01`", FaultKind.MISSING
        )


def _single_group(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    if inputs.get("singlePlacementGroup") is not True:
        return
    if len(items(inputs, "zones")) > 1:
        yield property_fault(
            "zones",
            value_at(inputs, "zones"),
            "lists several zones, but a single placement group can be in only one",
            "specify a single zone",
        )
    capacity = number_at(inputs, "sku.capacity")
    if capacity is not None:
        order = GroupOrder(nodes=int(capacity), fabric=True, limit=most_in_group(fabric=True, raised=True))
        yield from refused_inputs(inputs, refusals(order), _GROUP_INPUTS)


def _reserved(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    if value_at(inputs, "virtualMachineProfile.capacityReservation"):
        order = CapacityOrder(
            purchase="reservation",
            fabric=inputs.get("singlePlacementGroup") is True,
            proximity_group=isinstance(inputs.get("proximityPlacementGroup"), Mapping),
        )
        yield from refused_inputs(inputs, refusals(order), _CAPACITY_INPUTS)


def _spot(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    profile = inputs.get("virtualMachineProfile")
    if not isinstance(profile, Mapping):
        return
    if profile.get("priority") == "Spot":
        if value_at(profile, "capacityReservation"):
            path = "virtualMachineProfile.capacityReservation"
            yield property_fault(path, None, "is not available for Spot machines", "leave it out")
        price = value_at(profile, "billingProfile.maxPrice")
        if isinstance(price, int | float) and price != -1 and price <= 0:
            path = "virtualMachineProfile.billingProfile.maxPrice"
            yield property_fault(
                path, price, "must be -1 or greater than 0", "use -1 to pay up to the on-demand price"
            )
        return
    for key in ("evictionPolicy", "billingProfile"):
        if value_at(profile, key) is not None:
            path = f"virtualMachineProfile.{key}"
            yield property_fault(
                path, None, "applies to Spot machines only", "leave it out, or set the priority to `Spot`"
            )
