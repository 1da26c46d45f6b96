from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.disks.offer import VolumeOrder, facts_of_kind, refusals, volume_type
from hpc_components.aws.plan.inputs.values import number
from hpc_components.aws.plan.machines import disk_of
from hpc_components.aws.plan.services import disk_uses
from hpc_components.aws.plan.types import VOLUME
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import judged_by_offer, refused_inputs
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Key, Keys

_GIB_PER_TIB = 1024

_INPUTS: Keys = {
    "type": None,  # checked against the values in the SDK's documentation
    "size_gib": Key(("size",)),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "root": None,
}


class DisksPlan(PlanReader):
    """Plan reader for EBS volumes. Disks that belong to a machine are counted with the machine."""

    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(VOLUME):
            yield from disk_uses(disk_of(each.inputs, "size", "type"), f"volume {each.name}", each.urn, 1, 1)

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(VOLUME):
            if each.text("type") == "gp3":
                tib = round((each.number("size") or 0) / _GIB_PER_TIB, 2)
                yield QuotaNeed(quota=service_quota("gp3_storage"), what=each.name, need=tib)

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == VOLUME

    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"), {VOLUME: judged_by_offer(_INPUTS)})
        return InputFacts(properties=properties, relations={VOLUME: (_refused,)})


READER = DisksPlan()


def _refused(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield the reasons why EBS would refuse a volume. Limits that no primary source confirms are ignored."""
    order = VolumeOrder(
        type=str(inputs.get("type", "gp2")),  # EC2's default volume type
        size_gib=number(inputs, "size"),
        iops=number(inputs, "iops"),
        throughput=number(inputs, "throughput"),
    )
    kind = volume_type(order.type)
    found = [each for each in refusals(order) if not (kind and kind.unsure) or None in each.changes.values()]
    yield from refused_inputs(inputs, found, _INPUTS)
    for missing in (each for each in found if each.field == "iops" and "iops" not in inputs):
        yield PropertyFault(
            kind=FaultKind.MISSING, path="iops", value=None, reason=missing.reason, remedy="set `iops`"
        )
