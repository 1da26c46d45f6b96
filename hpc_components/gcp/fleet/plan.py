from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.catalog import machine
from hpc_components.gcp.fleet.offer import FleetOrder, refusals
from hpc_components.gcp.plan.types import MACHINE, TEMPLATES
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import text_at
from hpc_components.preview.reader import PlanReader
from hpc_components.spec.surfaces import Key, Keys

_TIER = "networkPerformanceConfig.totalEgressBandwidthTier"

_INPUTS: Keys = {
    "machine": Key(("machineType",)),
    "tier_1": Key(tuple(_TIER.split(".")), lambda on: "TIER_1" if on else "DEFAULT"),
    "others": None,
}


class FleetPlan(PlanReader):
    def inputs(self) -> InputFacts:
        return InputFacts(relations=dict.fromkeys((MACHINE, *TEMPLATES), (_machine,)))


READER = FleetPlan()


def _machine(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    name = text_at(inputs, "machineType")
    known = machine("gcp", name.rpartition("/")[2]) if name else None
    if known is not None:
        order = FleetOrder(machine=known, tier_1=text_at(inputs, _TIER) == "TIER_1")
        yield from refused_inputs(inputs, refusals(order), _INPUTS)
