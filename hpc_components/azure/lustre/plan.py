from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.azure.catalog.quotas import service_quota
from hpc_components.azure.lustre.offer import LustreOrder, facts_of_kind, lustre_tiers, refusals
from hpc_components.azure.plan.network import placed
from hpc_components.azure.plan.storage import account_title
from hpc_components.azure.plan.types import STORAGE_ACCOUNT
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault, closest, property_fault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.preview.picture.cards import Card, Placed, file_system_card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Key, Keys

LUSTRE = "azure-native:storagecache:AmlFilesystem"

_GIB_PER_TIB = 1024

_INPUTS: Keys = {
    "throughput": None,  # part of the SKU
    "size_tib": Key(("storageCapacityTiB",)),
    "subnet_prefix": None,
    "new_subnet_prefix": None,
    "maintenance": None,  # split into two inputs, each with its own format
    "bucket": None,  # specified by container id, not by URL
    "log_bucket": None,
    "auto_import": None,  # import and export jobs are separate resources
    "auto_export": None,
}


class LustrePlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(LUSTRE):
            gib = (each.number("storageCapacityTiB") or 0) * _GIB_PER_TIB
            item = f"lustre.{_throughput(text_at(each.inputs, 'sku.name') or '')}"
            yield ServiceUse(
                what=f"Lustre {each.name}", resource=each.urn, item=item, idle=gib, full=gib, group="storage"
            )

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(LUSTRE):
            yield QuotaNeed(quota=service_quota("lustre.filesystems"), what=each.name, need=1)

    def file_systems(self, resources: Resources) -> Iterator[Placed]:
        return placed(resources, _cards(resources))

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == LUSTRE

    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"))
        return InputFacts(properties=properties, relations={LUSTRE: (lustre,)})


READER = LustrePlan()


def _throughput(sku: str) -> str:
    return sku.rpartition("-")[2]


def _cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(LUSTRE):
        tib, tier = each.number("storageCapacityTiB"), text_at(each.inputs, "sku.name")
        speed = f"{_throughput(tier)} MB/s per TiB" if tier else None
        facts = ("Managed Lustre", f"{tib} TiB" if tib else None, speed)
        yield each, file_system_card(resources, each, "lustre", facts, _linked(resources, each))


def _linked(resources: Resources, file_system: Resource) -> tuple[str, ...]:
    if not file_system.inputs.get("hsm"):
        return ()
    own = [title for each in resources.needed(file_system, STORAGE_ACCOUNT) if (title := account_title(each))]
    container = text_at(file_system.inputs, "hsm.settings.container")
    named = (
        f"{container.split('/')[-5]}/{container.split('/')[-1]}" if container and container.count("/") > 4 else None
    )
    return (own[0] if own else named or "linked container",)


def lustre(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield faults in a Lustre file system's inputs. Sizes that require a support request are accepted."""
    sku = text_at(inputs, "sku.name")
    if len(zones := items(inputs, "zones")) > 1:
        yield property_fault(
            "zones", zones, "has several zones, but a file system can be in only one", "specify a single zone"
        )
    tier = next((each for each in lustre_tiers() if each.sku == sku), None)
    if tier is not None:
        order = LustreOrder(throughput=tier.throughput, size_tib=number_at(inputs, "storageCapacityTiB"))
        yield from refused_inputs(inputs, refusals(order), _INPUTS)
    elif sku is not None:
        known = [each.sku for each in lustre_tiers()]
        remedy = closest(sku, known)
        yield property_fault("sku.name", sku, "is not a tier of Managed Lustre", remedy, FaultKind.NOT_ALLOWED)
