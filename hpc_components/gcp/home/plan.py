"""Reads the home file systems in a plan: their costs, quota needs, cards, and inputs that the cloud would refuse."""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.gcp.catalog.quotas import service_quota
from hpc_components.gcp.catalog.zones import is_zone, region_of
from hpc_components.gcp.home.offer import HomeOrder, facts_of_kind, refusals, tier_named
from hpc_components.gcp.plan.inputs.between import after_peering
from hpc_components.gcp.plan.inputs.relations import named
from hpc_components.gcp.plan.network import placed
from hpc_components.preview.inputs.input_facts import InputFacts, Rule
from hpc_components.preview.inputs.input_fault import PropertyFault, property_fault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import is_true, items, number_at, text_at
from hpc_components.preview.picture.cards import Card, Placed, file_system_card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.surfaces import Key, Keys

INSTANCE = "gcp:filestore/instance:Instance"


_INPUTS: Keys = {
    "tier": Key(("tier",), str.upper),
    "size_gib": Key(("fileShares", "capacityGb")),
    "zonal": Key(("location",)),
    "kms_key": Key(("kmsKeyName",)),
}


class HomePlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(INSTANCE):
            gib = _gib(each)
            yield ServiceUse(
                what=f"Filestore {each.name}",
                resource=each.urn,
                item=f"filestore.{_tier(each) or 'zonal'}",
                idle=gib,
                full=gib,
                group="storage",
            )

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(INSTANCE):
            if tier_named(_tier(each)):
                quota = service_quota(f"filestore.{_tier(each)}")
                yield QuotaNeed(quota=quota, what=each.name, need=_gib(each))

    def file_systems(self, resources: Resources) -> Iterator[Placed]:
        return placed(resources, _cards(resources))

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == INSTANCE

    def inputs(self) -> InputFacts:
        return InputFacts(
            properties={INSTANCE: _properties()},
            relations={INSTANCE: (_instance, _protection, named("name", "filestore"))},
            between={INSTANCE: (_after_peering,)},
        )


READER = HomePlan()


def _properties() -> Mapping[str, Rule]:
    return {record["path"]: record for record in facts_of_kind("input")}


def _tier(instance: Resource) -> str:
    return (instance.text("tier") or "").lower()


def _gib(instance: Resource) -> int:
    return number_at(instance.inputs, "fileShares.capacityGb") or 0


def _cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(INSTANCE):
        gib, tier = _gib(each), _tier(each).replace("_", " ")
        facts = ("Filestore", f"{gib:,} GiB" if gib else None, tier or None)
        yield each, file_system_card(resources, each, "nfs", facts)


def _instance(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    location = text_at(inputs, "location")
    order = HomeOrder(
        tier=(text_at(inputs, "tier") or "").lower(),
        size_gib=number_at(inputs, "fileShares.capacityGb"),
        zonal=None if location is None else is_zone(location),
        kms_key=text_at(inputs, "kmsKeyName") is not None,
    )
    region = Key(("location",), lambda _: region_of(location or ""))
    yield from refused_inputs(inputs, refusals(order), {**_INPUTS, "zonal": region})


def _protection(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Refuse deletion protection on tiers that don't support it.

    Only hand-written code can cause this: descriptions and components never request protection for such a tier.
    """
    name = text_at(inputs, "tier") or ""
    tier = tier_named(name.lower())
    if tier is not None and not tier.protection and is_true(inputs, "deletionProtectionEnabled"):
        yield property_fault(
            "deletionProtectionEnabled", True, f"the tier {name} doesn't support deletion protection", "leave it out"
        )


def _after_peering(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
    modes = {text_at(each, "connectMode") for each in items(resource.inputs, "networks")}
    if "PRIVATE_SERVICE_ACCESS" in modes:
        yield from after_peering("networks")(resource, recording)
