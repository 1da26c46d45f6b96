from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.azure.catalog.quotas import service_quota
from hpc_components.azure.disks.offer import DiskOrder, LocalRootOrder, facts_of_kind, refusals
from hpc_components.azure.plan.machines import Disk
from hpc_components.azure.plan.services import disk_uses
from hpc_components.azure.plan.types import DISK, SCALE_SET
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.surfaces import Key, Keys

_ROOT = ("virtualMachineProfile", "storageProfile", "osDisk")
_ROOT_PATH = ".".join(_ROOT)

_INPUTS: Keys = {
    "type": Key(("sku", "name")),
    "root": None,
    "size_gib": Key(("diskSizeGB",)),
    "iops": Key(("diskIOPSReadWrite",)),
    "throughput": Key(("diskMBpsReadWrite",)),
    "zone": Key(("zones",), lambda zone: [zone.rpartition("-")[2]]),
}

_ROOT_INPUTS: Keys = {
    **dict.fromkeys(_INPUTS),  # only the type of a root disk is checked here
    "type": Key((*_ROOT, "managedDisk", "storageAccountType")),
}

_LOCAL_INPUTS: Keys = {
    "machine": Key(("sku", "name")),
    "local": Key((*_ROOT, "diffDiskSettings")),
    "size_gib": Key((*_ROOT, "diskSizeGB")),
    "image_gib": None,
}


class DisksPlan(PlanReader):
    """The plan reader for managed disks. Disks that are part of a machine's own definition are counted with the
    machine.
    """

    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(DISK):
            disk = Disk(
                type=text_at(each.inputs, "sku.name") or "Standard_LRS",
                gib=each.number("diskSizeGB") or 0,
                iops=each.number("diskIOPSReadWrite"),
                throughput=each.number("diskMBpsReadWrite"),
            )
            yield from disk_uses(disk, f"disk {each.name}", each.urn, 1, 1)

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(DISK):
            if text_at(each.inputs, "sku.name") == "PremiumV2_LRS":
                gib = each.number("diskSizeGB") or 0
                yield QuotaNeed(quota=service_quota("disk.PremiumV2_LRS"), what=each.name, need=gib)

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == DISK

    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"))
        return InputFacts(properties=properties, relations={DISK: (disk,), SCALE_SET: (scale_set_disk,)})


READER = DisksPlan()


def disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    kind, region = text_at(inputs, "sku.name"), text_at(inputs, "location")
    if kind is None:
        return
    zones = items(inputs, "zones")
    order = DiskOrder(
        type=kind,
        size_gib=number_at(inputs, "diskSizeGB"),
        iops=number_at(inputs, "diskIOPSReadWrite"),
        throughput=number_at(inputs, "diskMBpsReadWrite"),
        zone=f"{region}-{zones[0]}" if region and zones else region,
    )
    yield from refused_inputs(inputs, refusals(order), _INPUTS)


def scale_set_disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield faults in a scale set's root disk: a type that Azure can't boot from, or not enough room on the local
    disks.
    """
    kind = text_at(inputs, f"{_ROOT_PATH}.managedDisk.storageAccountType")
    if kind is not None:
        yield from refused_inputs(inputs, refusals(DiskOrder(type=kind, root=True)), _ROOT_INPUTS)
    machine = text_at(inputs, "sku.name")
    if machine is not None and text_at(inputs, f"{_ROOT_PATH}.diffDiskSettings.option") is not None:
        gib = number_at(inputs, f"{_ROOT_PATH}.diskSizeGB") or 0
        yield from refused_inputs(inputs, refusals(LocalRootOrder(machine=machine, size_gib=gib)), _LOCAL_INPUTS)
