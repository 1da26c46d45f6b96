from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hpc_components.catalog import machine
from hpc_components.gcp.disks.offer import DiskOrder, disk_type, disk_types, facts_of_kind, refusals
from hpc_components.gcp.plan.inputs.relations import named
from hpc_components.gcp.plan.machines import Disk
from hpc_components.gcp.plan.quotas import disk_quota
from hpc_components.gcp.plan.services import disk_uses
from hpc_components.gcp.plan.types import BAKED_IMAGE, DISK, MACHINE, TEMPLATES
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault, closest, property_fault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import items, number_at, text_at, value_at
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import QuotaNeed, ServiceUse
from hpc_components.spec.findings import Path, dotted
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Key, Keys

_INPUTS: Keys = {
    "type": Key(("type",)),
    "root": None,
    "size_gib": Key(("size",)),
    "iops": Key(("provisionedIops",)),
    "throughput": Key(("provisionedThroughput",)),
    "machines": None,
}
"""Maps each field of `DiskOrder` to an input of a disk or of a boot disk's `initializeParams`."""

_TEMPLATE_INPUTS: Keys = {**_INPUTS, "type": Key(("diskType",)), "size_gib": Key(("diskSizeGb",))}
"""Maps each field of `DiskOrder` to an input of an instance template's disk."""


class DiskPlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(DISK):
            if resources.owner(each, BAKED_IMAGE) is not None:
                continue  # it exists only while the image is made
            disk = Disk(
                type=_type(each),
                gib=each.number("size") or 0,
                iops=each.number("provisionedIops"),
                throughput=each.number("provisionedThroughput"),
            )
            yield from disk_uses(disk, f"disk {each.name}", each.urn, 1, 1)

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for each in resources.of_type(DISK):
            yield from disk_quota(_type(each), each.name, each.number("size") or 0)

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == DISK

    def inputs(self) -> InputFacts:
        return InputFacts(
            properties={DISK: {record["path"]: record for record in facts_of_kind("input")}},
            relations={
                DISK: (_disk, named("name", "resource")),
                MACHINE: (_boot_disk,),
                **dict.fromkeys(TEMPLATES, (_template_disks,)),
            },
        )


READER = DiskPlan()


def _type(disk: Resource) -> str:
    return (disk.text("type") or "pd-standard").rpartition("/")[2]


def _disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    yield from _refused(inputs, inputs, (), _INPUTS, root=False)


def _boot_disk(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    made = value_at(inputs, "bootDisk.initializeParams")
    yield from _refused(inputs, made, ("bootDisk", "initializeParams"), _INPUTS, root=True)


def _template_disks(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    for index, each in enumerate(items(inputs, "disks")):
        if text_at(each, "type") != "SCRATCH":
            root = isinstance(each, Mapping) and each.get("boot") is True
            yield from _refused(inputs, each, ("disks", index), _TEMPLATE_INPUTS, root=root)


def _refused(inputs: Mapping[str, Any], made: Any, at: Path, keys: Keys, *, root: bool) -> Iterator[PropertyFault]:
    """Yield the reasons why Google would refuse the disk `made`. `at` is the path of this disk in `inputs`."""
    path = {field: dotted(key.path) for field, key in keys.items() if key}
    given = text_at(made, path["type"])
    if given is None:
        return
    kind, machine_type = given.rpartition("/")[2], text_at(inputs, "machineType")
    if disk_type(kind) is None:
        where = dotted((*at, path["type"]))
        yield property_fault(
            where, given, "is not a disk type in the catalogue", closest(kind, disk_types()), FaultKind.NOT_ALLOWED
        )
        return
    known = machine("gcp", machine_type.rpartition("/")[2]) if machine_type and at else None
    order = DiskOrder(
        type=kind,
        root=root,
        size_gib=number_at(made, path["size_gib"]),
        iops=number_at(made, path["iops"]),
        throughput=number_at(made, path["throughput"]),
        machines=(known,) if known else (),
    )
    absolute = {field: key and replace(key, path=(*at, *key.path)) for field, key in keys.items()}
    yield from refused_inputs(inputs, refusals(order), absolute)
