from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.gcp.catalog.quotas import service_quota
from hpc_components.gcp.lustre.offer import LustreOrder, facts_of_kind, refusals
from hpc_components.gcp.plan.inputs.between import after_peering
from hpc_components.gcp.plan.inputs.relations import named
from hpc_components.gcp.plan.network import placed
from hpc_components.gcp.plan.storage import bucket_title
from hpc_components.gcp.plan.types import BUCKET
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.picture.cards import Card, Placed, file_system_card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.surfaces import Key, Keys

INSTANCE = "gcp:lustre/instance:Instance"
_COMPONENT = "hpc:gcp:LustreFilesystem"
_ACCESS = "gcp:storage/bucketIAMMember:BucketIAMMember"

_INPUTS: Keys = {
    "throughput": Key(("perUnitStorageThroughput",), str),
    "size_gib": Key(("capacityGib",), str),
}


class LustrePlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(INSTANCE):
            gib, tier = _number(each.inputs, "capacityGib") or 0, each.text("perUnitStorageThroughput") or 1000
            yield ServiceUse(
                what=f"Lustre {each.name}",
                resource=each.urn,
                item=f"lustre.{tier}",
                idle=gib,
                full=gib,
                group="storage",
            )

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(INSTANCE):
            need = _number(each.inputs, "capacityGib") or 0
            yield QuotaNeed(quota=service_quota("lustre"), what=each.name, need=need)

    def file_systems(self, resources: Resources) -> Iterator[Placed]:
        return placed(resources, _cards(resources))

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == INSTANCE

    def inputs(self) -> InputFacts:
        return InputFacts(
            properties={INSTANCE: {record["path"]: record for record in facts_of_kind("input")}},
            relations={
                INSTANCE: (_instance, named("instanceId", "lustre"), named("filesystem", "lustre_filesystem"))
            },
            between={INSTANCE: (after_peering("network"),)},
        )


READER = LustrePlan()


def _number(inputs: Mapping[str, Any], key: str) -> int | None:
    """Return a number that the provider writes as a string, or None if it is missing or unknown."""
    text = str(inputs.get(key))
    return int(text) if text.isdecimal() else None


def _cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(INSTANCE):
        gib, speed = _number(each.inputs, "capacityGib"), each.text("perUnitStorageThroughput")
        facts = ("Managed Lustre", f"{gib:,} GiB" if gib else None, f"{speed} MB/s per TiB" if speed else None)
        yield each, file_system_card(resources, each, "lustre", facts, _linked(resources, each))


def _linked(resources: Resources, lustre: Resource) -> tuple[str, ...]:
    """Return the titles of the buckets that Managed Lustre's service agent may access for this file system."""
    component = resources.owner(lustre, _COMPONENT)
    grants = resources.below_of_type(component, _ACCESS) if component else ()
    titles = [bucket_title(own) for each in grants for own in resources.needed(each, BUCKET)]
    titles += [bucket for each in grants if (bucket := each.text("bucket"))]
    return tuple(dict.fromkeys(titles))


def _instance(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    order = LustreOrder(
        throughput=_number(inputs, "perUnitStorageThroughput"), size_gib=_number(inputs, "capacityGib")
    )
    yield from refused_inputs(inputs, refusals(order), _INPUTS)
