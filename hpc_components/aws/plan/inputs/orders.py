"""Volumes that AWS does not sell: the catalogue decides, here it is said of recorded inputs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.aws.catalog.filesystems import ebs_type
from hpc_components.aws.catalog.volumes import VolumeOrder, volume_refusals
from hpc_components.aws.plan.inputs.values import number
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.preview.inputs.input_fault import PropertyFault, closest
from hpc_components.spec.input_rules import FaultKind


def volume(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """A volume that EBS does not sell. Limits that no primary source confirms refuse nothing here."""
    kind = str(inputs.get("type", "gp2"))  # what EC2 takes where none is said
    order = VolumeOrder(
        type=kind,
        size_gib=number(inputs, "size"),
        iops=number(inputs, "iops"),
        throughput=number(inputs, "throughput"),
    )
    facts = ebs_type(kind)
    doubtful = Why.NOT_SOLD if facts and facts.unsure else None
    not_known_yet = Why.MISSING if "iops" in inputs else None
    refusals = (each for each in volume_refusals(order) if each.why not in (doubtful, not_known_yet))
    yield from _worded(inputs, refusals, {"size_gib": "size", "iops": "iops", "throughput": "throughput"}, kind)


def _worded(
    inputs: Mapping[str, Any], refusals: Iterable[Refusal], names: Mapping[str, str], what: str
) -> Iterator[PropertyFault]:
    """The refusals of those fields that have a name among the inputs; `what` is the product."""
    for each in refusals:
        if name := names.get(each.field):
            reason, remedy = _words(each, what)
            kind = FaultKind.MISSING if each.why is Why.MISSING else FaultKind.CONFLICTING
            yield PropertyFault(kind=kind, path=name, value=number(inputs, name), reason=reason, remedy=remedy)


def _words(refusal: Refusal, what: str) -> tuple[str, str]:
    if refusal.why is Why.MISSING:
        return f"is required for {what}", "set it"
    if refusal.why is Why.NOT_TAKEN:
        return f"can't be set for {what}", "leave it out"
    if isinstance(refusal.allowed, range):
        return f"is not sold for {what}", f"allowed is {refusal.allowed[0]} to {refusal.allowed[-1]}"
    return f"is not sold for {what}", closest("", [str(each) for each in refusal.allowed])
