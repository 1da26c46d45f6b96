"""Checks of recorded disks against what Google sells."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.catalog import machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.disks import DiskOrder, disk_refusals
from hpc_components.gcp.plan.inputs.property_faults import property_fault
from hpc_components.preview.inputs.input_fault import PropertyFault, closest
from hpc_components.preview.nested import items, number_at, text_at, value_at
from hpc_components.spec.input_rules import FaultKind


def disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield what Google would refuse of a disk."""
    names = {"type": "type", "size_gib": "size", "iops": "provisionedIops", "throughput": "provisionedThroughput"}
    yield from _disk(inputs, "", names, None, root=False)


def template_disks(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield what Google would refuse of the disks of an instance template."""
    names = {
        "type": "diskType",
        "size_gib": "diskSizeGb",
        "iops": "provisionedIops",
        "throughput": "provisionedThroughput",
    }
    for index, each in enumerate(items(inputs, "disks")):
        if text_at(each, "type") != "SCRATCH":
            root = isinstance(each, Mapping) and each.get("boot") is True
            yield from _disk(each, f"disks[{index}].", names, text_at(inputs, "machineType"), root=root)


def boot_disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield what Google would refuse of the boot disk of an instance."""
    made = value_at(inputs, "bootDisk.initializeParams")
    names = {"type": "type", "size_gib": "size", "iops": "provisionedIops", "throughput": "provisionedThroughput"}
    yield from _disk(made, "bootDisk.initializeParams.", names, text_at(inputs, "machineType"), root=True)


def _disk(
    inputs: Any, path: str, names: Mapping[str, str], machine_type: str | None, *, root: bool
) -> Iterator[PropertyFault]:
    kind = text_at(inputs, names["type"])
    if kind is None:
        return
    order = DiskOrder(
        type=kind.rpartition("/")[2],
        root=root,
        size_gib=number_at(inputs, names["size_gib"]),
        iops=number_at(inputs, names["iops"]),
        throughput=number_at(inputs, names["throughput"]),
        machine=machine("gcp", machine_type.rpartition("/")[2]) if machine_type else None,
    )
    given = [each for each in disk_refusals(order) if each.why is not Why.MISSING]
    what = machine_type if any(each.because_of == "machine" for each in given) and machine_type else order.type
    for fault in _worded(inputs, given, names, what):
        yield property_fault(f"{path}{fault.path}", fault.value, fault.reason, fault.remedy, fault.kind)


def _worded(
    inputs: Mapping[str, Any], refusals: Iterable[Refusal], names: Mapping[str, str], what: str
) -> Iterator[PropertyFault]:
    """Yield the refusals of fields that are inputs; `what` is the product."""
    for each in refusals:
        if (name := names.get(each.field)) and each.why is not Why.MISSING:
            kind = FaultKind.NOT_ALLOWED if each.why is Why.UNKNOWN else FaultKind.CONFLICTING
            yield property_fault(name, value_at(inputs, name), *_words(each, what), kind)


def _words(refusal: Refusal, what: str) -> tuple[str, str]:
    if refusal.why is Why.UNKNOWN:
        return "is not known to Google", closest("", [str(each) for each in refusal.allowed])
    if refusal.why is Why.NOT_TAKEN:
        allowed = [str(each) for each in refusal.allowed]
        return f"is not possible with {what}", closest("", allowed) if allowed else "leave it out"
    if isinstance(refusal.allowed, range):
        return f"is not sold for {what}", f"use {refusal.allowed[0]} to {refusal.allowed[-1]}"
    return f"is not sold for {what}", closest("", [str(each) for each in refusal.allowed])
