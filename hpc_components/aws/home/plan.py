from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.home.offer import OpenZfsOrder, facts_of_kind, has_failover, openzfs_deployments, refusals
from hpc_components.aws.plan.network import placed
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import judged_by_offer, refused_inputs
from hpc_components.preview.nested import number_at, text_at
from hpc_components.preview.picture.cards import Card, Placed, file_system_card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Key, Keys

EFS = "aws:efs/fileSystem:FileSystem"
OPENZFS = "aws:fsx/openZfsFileSystem:OpenZfsFileSystem"

_PARTS = {"storage": "storageCapacity", "throughput": "throughputCapacity"}
"""Maps each quantity that determines cost and quotas to the OpenZFS input that sets it."""

_INPUTS: Keys = {
    "deployment": None,  # checked against the list of deployment types
    "region": None,
    "size_gib": Key(("storageCapacity",)),
    "throughput": Key(("throughputCapacity",)),
    "backup_days": Key(("automaticBackupRetentionDays",)),
    "zones": None,
    "route_tables": None,
}


class HomePlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        """Yield the billed size and throughput of OpenZFS file systems. EFS is left out because it is billed by the
        amount of data stored, which the plan doesn't show.
        """
        for each in resources.of_type(OPENZFS):
            zones = "multi_az" if has_failover(_deployment(each.inputs)) else "single_az"
            for part, key in _PARTS.items():
                quantity = each.number(key) or 0
                yield ServiceUse(
                    what=f"OpenZFS {each.name}, {part}",
                    resource=each.urn,
                    item=f"openzfs.{zones}.{part}",
                    idle=quantity,
                    full=quantity,
                    group="storage",
                )

    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type(EFS):
            yield "data stored in, read from and written to EFS file systems"
        if resources.of_type(OPENZFS):
            yield "backups of file systems"

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(OPENZFS):
            for part, key in _PARTS.items():
                need = each.number(key) or 0
                yield QuotaNeed(quota=service_quota(f"openzfs.{part}"), what=each.name, need=need)

    def file_systems(self, resources: Resources) -> Iterator[Placed]:
        return placed(resources, _cards(resources))

    def holds_data(self, resource: Resource) -> bool:
        return resource.type in (OPENZFS, EFS)

    def inputs(self) -> InputFacts:
        offered = {
            OPENZFS: judged_by_offer(_INPUTS)
            | {"deploymentType": {"values": [name.upper() for name in openzfs_deployments()]}}
        }
        properties = rules_of_records(facts_of_kind("input"), offered)
        return InputFacts(properties=properties, relations={OPENZFS: (_openzfs,), EFS: (_efs_throughput,)})


READER = HomePlan()


def _cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(OPENZFS, EFS):
        product = "EFS" if each.type == EFS else "FSx for OpenZFS"
        gib, mbps = each.number("storageCapacity"), each.number("throughputCapacity")
        facts = (
            " ".join(filter(None, (product, each.text("deploymentType")))),
            f"{gib:,} GiB" if gib else "grows and shrinks automatically" if each.type == EFS else None,
            f"{mbps:,} MB/s" if mbps else None,
        )
        yield each, file_system_card(resources, each, "nfs", facts)


def _deployment(inputs: Mapping[str, Any]) -> str:
    return (text_at(inputs, "deploymentType") or "").lower()


def _openzfs(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    order = OpenZfsOrder(
        deployment=_deployment(inputs),
        size_gib=number_at(inputs, "storageCapacity"),
        throughput=number_at(inputs, "throughputCapacity"),
        backup_days=number_at(inputs, "automaticBackupRetentionDays") or None,
    )
    yield from refused_inputs(inputs, refusals(order), _INPUTS)


def _efs_throughput(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield faults in the throughput settings. Source: EFS API reference, CreateFileSystem."""
    path = "provisionedThroughputInMibps"
    mode, rate = inputs.get("throughputMode", "bursting"), inputs.get(path)
    if mode == "provisioned" and rate is None:
        reason, remedy, kind = "the mode `provisioned` requires this value", "set this value", FaultKind.MISSING
    elif mode in ("bursting", "elastic") and rate is not None:
        reason, remedy = (
            f"the mode `{mode}` doesn't use this value",
            "use the mode `provisioned`, or leave out this value",
        )
        kind = FaultKind.CONFLICTING
    else:
        return
    yield PropertyFault(kind=kind, path=path, value=rate, reason=reason, remedy=remedy)
