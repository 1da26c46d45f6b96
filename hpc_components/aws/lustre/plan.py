from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.lustre.capacities import facts_of_kind
from hpc_components.aws.lustre.offer import LustreOrder, refusals
from hpc_components.aws.plan.network import placed
from hpc_components.aws.plan.storage import bucket_of
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import judged_by_offer, refused_inputs
from hpc_components.preview.nested import is_open, number_at
from hpc_components.preview.picture.cards import Card, Placed, file_system_card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.surfaces import Key, Keys

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"

_ASSOCIATION = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
_DEFAULT_DEPLOYMENT, _DEFAULT_STORAGE = "SCRATCH_1", "SSD"
"""FSx's default deployment type and disk type."""

_INPUTS: Keys = {
    "deployment": None,  # values newer than the catalogue must not be refused
    "region": None,
    "storage": None,
    "size_gib": Key(("storageCapacity",)),
    "throughput": Key(("perUnitStorageThroughput",)),
    "drive_cache": None,
    "efa": None,
    "metadata_iops": None,
    "kms_key": None,
    "backup_days": Key(("automaticBackupRetentionDays",)),
    "links": None,  # links are separate resources
}


class LustrePlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(LUSTRE):
            gib = each.number("storageCapacity") or 0
            yield ServiceUse(
                what=f"Lustre {each.name}",
                resource=each.urn,
                item=_item(each),
                idle=gib,
                full=gib,
                group="storage",
            )

    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type(LUSTRE):
            yield "backups of file systems"

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(LUSTRE):
            deployment = _deployment(each)
            key = "lustre.scratch" if deployment.startswith("scratch") else f"lustre.{deployment}"
            with suppress(KeyError):  # the deployment type may be newer than the catalogue
                need = each.number("storageCapacity") or 0
                yield QuotaNeed(quota=service_quota(key), what=each.name, need=need)

    def file_systems(self, resources: Resources) -> Iterator[Placed]:
        return placed(resources, _cards(resources))

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == LUSTRE

    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"), {LUSTRE: judged_by_offer(_INPUTS)})
        return InputFacts(properties=properties, relations={LUSTRE: (_refused,)})


READER = LustrePlan()


def _cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(LUSTRE):
        size = each.number("storageCapacity")
        product = " ".join(filter(None, ("FSx for Lustre", each.text("deploymentType"))))
        links = dict.fromkeys(_linked_buckets(resources, each))
        yield each, file_system_card(resources, each, "lustre", (product, f"{size:,} GiB" if size else None), links)


def _linked_buckets(resources: Resources, lustre: Resource) -> Iterator[str]:
    for link in resources.of_type(_ASSOCIATION):
        if lustre in resources.needed(link, lustre.type):
            yield bucket_of(resources, link, "dataRepositoryPath")
    if lustre.inputs.get("importPath"):
        yield bucket_of(resources, lustre, "importPath")


def _deployment(lustre: Resource) -> str:
    return (lustre.text("deploymentType") or _DEFAULT_DEPLOYMENT).lower()


def _item(lustre: Resource) -> str:
    deployment = _deployment(lustre)
    if deployment.startswith("scratch"):
        return f"lustre.{deployment}"
    storage = (lustre.text("storageType") or _DEFAULT_STORAGE).lower()
    return f"lustre.{deployment}.{storage}.{lustre.number('perUnitStorageThroughput')}"


def _refused(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    deployment = inputs.get("deploymentType", _DEFAULT_DEPLOYMENT)
    storage = inputs.get("storageType", _DEFAULT_STORAGE)
    if is_open(deployment) or storage not in ("SSD", "HDD"):
        return
    order = LustreOrder(
        deployment=str(deployment).lower(),
        storage=storage.lower(),
        size_gib=number_at(inputs, "storageCapacity"),
        throughput=number_at(inputs, "perUnitStorageThroughput"),
        backup_days=number_at(inputs, "automaticBackupRetentionDays") or None,
    )
    yield from refused_inputs(inputs, refusals(order), _INPUTS)
