"""Finds inputs of AWS resources that are valid individually but conflict with each other."""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.plan.inputs.values import number
from hpc_components.preview.inputs.input_facts import Check
from hpc_components.preview.inputs.input_fault import PropertyFault, property_fault
from hpc_components.preview.nested import is_open
from hpc_components.spec.input_rules import FaultKind


def _capacity(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    low, wanted, high = (number(inputs, name) for name in ("minSize", "desiredCapacity", "maxSize"))
    if low is not None and high is not None and low > high:
        yield property_fault("minSize", low, f"is above `max_size` ({high})", "raise `max_size` or lower `min_size`")
    elif wanted is not None and ((low is not None and wanted < low) or (high is not None and wanted > high)):
        limits = f"`min_size` ({low}) and `max_size` ({high})"
        yield property_fault("desiredCapacity", wanted, f"is not between {limits}", "choose a number in that range")


def _ports(inputs: Mapping[str, Any], path: str = "") -> Iterator[PropertyFault]:
    low, high = number(inputs, "fromPort"), number(inputs, "toPort")
    protocol = str(inputs.get("protocol", inputs.get("ipProtocol", "")))
    if low is not None and high is not None and low > high and "icmp" not in protocol:
        yield property_fault(f"{path}fromPort", low, f"is above `to_port` ({high})", "swap the two")


def _ports_of_group(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    for direction in ("ingress", "egress"):
        rules = inputs.get(direction)
        for position, rule in enumerate(rules if isinstance(rules, list) else []):
            if isinstance(rule, Mapping):
                yield from _ports(rule, f"{direction}[{position}].")


def _partitions(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    strategy = inputs.get("strategy")
    if "partitionCount" in inputs and strategy in ("cluster", "spread"):
        reason = f"doesn't apply to strategy `{strategy}`"
        yield property_fault(
            "partitionCount", inputs["partitionCount"], reason, "remove it, or use strategy `partition`"
        )


def _capacity_block(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Like ParallelCluster, refuse to combine a placement group with a capacity block.

    Source: EC2 user guide, "Work with Capacity Blocks".
    """
    market, placement = inputs.get("instanceMarketOptions"), inputs.get("placement")
    group = placement.get("groupName") if isinstance(placement, Mapping) else None
    if group is not None and isinstance(market, Mapping) and market.get("marketType") == "capacity-block":
        reason = "can't be combined with a capacity block, because EC2 has already placed the block's machines"
        shown = None if is_open(group) else group  # the name of a group created by the same program isn't known yet
        yield property_fault("placement.groupName", shown, reason, "leave it out")


def tags(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Check the number of tags, and their keys and values. Source: AWS General Reference, tag naming limits."""
    given = inputs.get("tags")
    if not isinstance(given, Mapping):
        return
    if len(given) > 50:
        reason = f"has {len(given)} entries; the maximum is 50"
        yield property_fault("tags", None, reason, "leave some out", FaultKind.OUT_OF_RANGE)
    for key, value in given.items():
        if key.lower().startswith("aws:"):
            reason = "has a key with the reserved prefix `aws:`"
            yield property_fault(f"tags.{key}", value, reason, "use another name", FaultKind.NOT_ALLOWED)
        if not 0 < len(key) <= 128 or (isinstance(value, str) and len(value) > 256):
            remedy = "use at most 128 characters for the key and 256 for the value"
            yield property_fault(f"tags.{key}", value, "is too long", remedy, FaultKind.OUT_OF_RANGE)


RELATIONS: Mapping[str, tuple[Check, ...]] = {
    "aws:autoscaling/group:Group": (_capacity,),
    "aws:ec2/launchTemplate:LaunchTemplate": (_capacity_block,),
    "aws:ec2/placementGroup:PlacementGroup": (_partitions,),
    "aws:ec2/securityGroup:SecurityGroup": (_ports_of_group,),
    "aws:ec2/securityGroupRule:SecurityGroupRule": (_ports,),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": (_ports,),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": (_ports,),
}
