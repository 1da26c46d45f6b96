from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.azure.catalog.quotas import service_quota
from hpc_components.azure.home.offer import HomeOrder, facts_of_kind, refusals
from hpc_components.azure.plan.network import placed
from hpc_components.azure.plan.types import STORAGE_ACCOUNT
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault, property_fault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import is_true, number_at, text_at
from hpc_components.preview.picture.cards import Card, Placed, file_system_card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.surfaces import Key, Keys

SHARE = "azure-native:storage:FileShare"
SHARES = "azure-native:storage:FileServiceProperties"
POOL = "azure-native:netapp:CapacityPool"
VOLUME = "azure-native:netapp:CapacityPoolVolume"
SNAPSHOTS = "azure-native:netapp:SnapshotPolicy"

GIB, TIB = 2**30, 2**40

_PROVISIONED_V1 = ("Premium_LRS", "Premium_ZRS")
"""SKUs of the storage accounts whose share sizes are checked."""


_NOWHERE: Keys = {"service": None, "large": None, "level": None, "subnet": None, "subnet_prefix": None}
"""Order fields that have no corresponding input."""

_SHARE_INPUTS: Keys = {"size_gib": Key(("shareQuota",))}
_DELETED_SHARES_INPUTS: Keys = {"deleted_share_days": Key(("shareDeleteRetentionPolicy", "days"))}
_VOLUME_INPUTS: Keys = {"size_gib": Key(("usageThreshold",), lambda gib: gib * GIB)}
_SNAPSHOTS_INPUTS: Keys = {"snapshot_days": Key(("dailySchedule", "snapshotsToKeep"))}


class HomePlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        """Yield shares and pools. Volumes are left out, because they are billed as part of their pools."""
        for each in resources.of_type(SHARE):
            yield _use(f"Azure Files {each.name}", each, "files.premium", each.number("shareQuota") or 0)
        for each in resources.of_type(POOL):
            level = (each.text("serviceLevel") or "premium").lower()
            yield _use(f"NetApp Files {each.name}", each, f"netapp.{level}", (each.number("size") or 0) // GIB)

    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type(POOL):
            yield "snapshots of volumes"

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(POOL):
            tib = (each.number("size") or 0) / TIB
            yield QuotaNeed(quota=service_quota("netapp.capacity"), what=each.name, need=tib)

    def file_systems(self, resources: Resources) -> Iterator[Placed]:
        return placed(resources, _cards(resources))

    def holds_data(self, resource: Resource) -> bool:
        return resource.type in (SHARE, VOLUME, "azure-native:netapp:Volume")

    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"))
        return InputFacts(
            properties=properties,
            relations={SHARE: (_squash,), SHARES: (_deleted_shares,), VOLUME: (_volume,), SNAPSHOTS: (_snapshots,)},
            between={SHARE: (_share,)},
        )


READER = HomePlan()


def _use(what: str, resource: Resource, item: str, gib: int) -> ServiceUse:
    return ServiceUse(what=what, resource=resource.urn, item=item, idle=gib, full=gib, group="storage")


def _cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(SHARE):
        gib = each.number("shareQuota")
        yield each, file_system_card(resources, each, "nfs", ("Azure Files", f"{gib:,} GiB" if gib else None))
    for each in resources.of_type(VOLUME):
        pool = next(iter(resources.needed(each, POOL)), None)
        level = (pool.text("serviceLevel") or "").lower() if pool else None
        gib = (number_at(each.inputs, "usageThreshold") or 0) // GIB
        yield each, file_system_card(resources, each, "nfs", ("NetApp Files", f"{gib:,} GiB", level))


def _squash(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Source: File Shares, FileShareProperties.rootSquash."""
    if text_at(inputs, "rootSquash") and text_at(inputs, "enabledProtocols") != "NFS":
        yield property_fault(
            "rootSquash", text_at(inputs, "rootSquash"), "applies to NFS shares only", "set enabledProtocols to NFS"
        )


def _share(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
    """Yield the faults of NFS shares whose size is invalid. Only shares in provisioned v1 accounts are checked,
    because other kinds of accounts have different limits.
    """
    urns = resource.property_dependencies.get("accountName", ())
    account = next((each for each in recording.resources if each.urn in urns and each.type == STORAGE_ACCOUNT), None)
    is_nfs = text_at(resource.inputs, "enabledProtocols") == "NFS"
    if is_nfs and account is not None and text_at(account.inputs, "sku.name") in _PROVISIONED_V1:
        order = HomeOrder(service="files", size_gib=number_at(resource.inputs, "shareQuota"))
        yield from refused_inputs(resource.inputs, refusals(order), _SHARE_INPUTS)


def _deleted_shares(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    days = number_at(inputs, "shareDeleteRetentionPolicy.days")
    order = HomeOrder(service="files", deleted_share_days=days)
    yield from refused_inputs(inputs, refusals(order), _DELETED_SHARES_INPUTS)


def _volume(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    size = number_at(inputs, "usageThreshold")
    # round down: the API takes bytes, and no source says that Azure refuses fractions of a GiB
    gib = None if size is None else size // GIB
    order = HomeOrder(service="netapp", size_gib=gib, large=is_true(inputs, "isLargeVolume"))
    yield from refused_inputs(inputs, refusals(order), _VOLUME_INPUTS)


def _snapshots(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    order = HomeOrder(service="netapp", snapshot_days=number_at(inputs, "dailySchedule.snapshotsToKeep"))
    yield from refused_inputs(inputs, refusals(order), _SNAPSHOTS_INPUTS)
