"""Finds recorded disks that, according to the catalogue, Azure refuses."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.azure.catalog.disks import DiskOrder, disk_refusals, disk_type
from hpc_components.azure.catalog.local_disks import ephemeral_refusals
from hpc_components.azure.plan.inputs.property_faults import property_fault
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.preview.inputs.input_fault import PropertyFault, closest
from hpc_components.preview.nested import items, number_at, text_at, value_at


def disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield faults in a managed disk that Azure refuses."""
    kind, region = text_at(inputs, "sku.name"), text_at(inputs, "location")
    if kind is None or disk_type(kind) is None:
        return  # the SDK's enumeration checks it
    zones = items(inputs, "zones")
    order = DiskOrder(
        type=kind,
        size_gib=number_at(inputs, "diskSizeGB"),
        iops=number_at(inputs, "diskIOPSReadWrite"),
        throughput=number_at(inputs, "diskMBpsReadWrite"),
        zone=f"{region}-{zones[0]}" if region and zones else region,
    )
    names = {
        "size_gib": "diskSizeGB",
        "iops": "diskIOPSReadWrite",
        "throughput": "diskMBpsReadWrite",
        "zone": "zones",
    }
    given = (each for each in disk_refusals(order) if each.why is not Why.MISSING)
    yield from _worded(inputs, given, names, kind)


def scale_set_disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield a fault for a root disk whose type can't boot or, if ephemeral, that doesn't fit on the local disks."""
    path = "virtualMachineProfile.storageProfile.osDisk.managedDisk.storageAccountType"
    kind = text_at(inputs, path)
    if kind is not None and (known := disk_type(kind)) and not known.root:
        yield property_fault(path, kind, "can't be a root disk", "use `Premium_LRS`")
    disk, machine = value_at(inputs, "virtualMachineProfile.storageProfile.osDisk"), text_at(inputs, "sku.name")
    gib = number_at(disk, "diskSizeGB") or 0
    if machine is None or text_at(disk, "diffDiskSettings.option") is None:
        return
    for refusal in ephemeral_refusals(machine, gib):
        is_small = refusal.field == "size_gib"
        yield property_fault(
            f"virtualMachineProfile.storageProfile.osDisk.{'diskSizeGB' if is_small else 'diffDiskSettings'}",
            gib if is_small else "Local",
            f"does not fit on the local disks of {machine}" if is_small else f"is not available on {machine}",
            f"use at most {refusal.allowed[-1]}" if is_small else "leave it out",
        )


def _worded(
    inputs: Mapping[str, Any], refusals: Iterable[Refusal], names: Mapping[str, str], what: str
) -> Iterator[PropertyFault]:
    """Yield a fault for each refusal whose field has an input in `names`. `what` is the product."""
    for each in refusals:
        if name := names.get(each.field):
            yield property_fault(name, value_at(inputs, name), *_words(each, what))


def _words(refusal: Refusal, what: str) -> tuple[str, str]:
    if refusal.why is Why.NOT_TAKEN:
        return f"can't be set for {what}", "leave it out"
    if isinstance(refusal.allowed, range):
        return f"is not offered for {what}", f"use {refusal.allowed[0]} to {refusal.allowed[-1]}"
    return f"is not offered for {what}", closest("", [str(each) for each in refusal.allowed])
