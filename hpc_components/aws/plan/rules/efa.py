from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.plan.types import AUTO_SCALING_GROUP, INSTANCE, LAUNCH_TEMPLATE
from hpc_components.preview.nested import items
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import stack_rule

_GROUP = "aws:ec2/securityGroup:SecurityGroup"
_EC2_FLEET = "aws:ec2/fleet:Fleet"
_INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
_WAYS = ("ingress", "egress")
_RULES = {
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "ingress",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "egress",
}
_OLD_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
_ALL = ("-1", "all")


@stack_rule("HPC-PLN-010", Level.ERROR)
def efa_talks_to_itself(resources: Resources) -> Iterator[ResourceFinding]:
    """Machines with EFA must have a security group that allows all traffic to and from itself.

    EFA uses neither TCP nor UDP, and rules with address ranges don't apply to it. Therefore, unless both an ingress
    and an egress rule refer to the group itself, jobs fail or fall back to TCP. Groups outside the stack are not
    checked. Source: Amazon EC2 user guide, "Get started with EFA", step 1; aws-parallelcluster,
    EfaSecurityGroupValidator.
    """
    for machine in resources.of_type(LAUNCH_TEMPLATE, INSTANCE, _INTERFACE):
        groups = _groups_with_efa(resources, machine)
        open_to_themselves = [not _missing_ways(resources, group) for group in groups]
        if groups and not any(open_to_themselves):
            ways = " and ".join(_missing_ways(resources, groups[0]))
            yield ResourceFinding(
                resource=machine,
                path="networkInterfaces" if machine.type != _INTERFACE else "securityGroups",
                value=", ".join(group.name for group in groups),
                reason=f"EFA can't work: security group {groups[0].name} has no {ways} rule that allows all "
                "protocols from and to the group itself",
                remedy="add an ingress and an egress rule with protocol -1 that refer to the group itself",
            )


@stack_rule("HPC-PLN-011", Level.WARNING)
def efa_in_one_zone(resources: Resources) -> Iterator[ResourceFinding]:
    """EFA machines that are launched together should be in the same zone.

    EFA traffic can't leave a zone, so a job with nodes in two zones has no fast network between them.
    Source: Amazon EC2 user guide, "Elastic Fabric Adapter", limitations.
    """
    for each in resources.of_type(AUTO_SCALING_GROUP, _EC2_FLEET):
        templates = resources.needed(each, LAUNCH_TEMPLATE)
        path, zones = _zones(each)
        if zones > 1 and any(_has_efa(items(one.inputs, "networkInterfaces")) for one in templates):
            yield ResourceFinding(
                resource=each,
                path=path,
                value=zones,
                reason=f"machines with EFA are launched in {zones} subnets or zones",
                remedy="create one group per zone",
            )


def _zones(group: Resource) -> tuple[str, int]:
    """Return the path of the input that lists subnets or zones, and the number of entries."""
    if group.type == AUTO_SCALING_GROUP:
        counts = {key: len(items(group.inputs, key)) for key in ("vpcZoneIdentifiers", "availabilityZones")}
        path = max(counts, key=lambda key: counts[key])
        return path, counts[path]
    configs = items(group.inputs, "launchTemplateConfigs")
    overrides = [each for config in configs for each in items(config, "overrides")]
    places = {each.get("availabilityZone") or each.get("subnetId") for each in overrides if isinstance(each, Mapping)}
    return "launchTemplateConfigs", len(places - {None})


def _groups_with_efa(resources: Resources, machine: Resource) -> list[Resource]:
    """Return the security groups on a machine's EFA interfaces, or [] if any of them is not part of this stack."""
    inputs = machine.inputs
    interfaces = (inputs,) if machine.type == _INTERFACE else items(inputs, "networkInterfaces")
    if not _has_efa(interfaces):
        return []
    named = {
        str(group) for each in interfaces if isinstance(each, Mapping) for group in items(each, "securityGroups")
    }
    found = list(resources.needed(machine, _GROUP))
    return found if len(named) <= len(found) else []


def _has_efa(interfaces: Any) -> bool:
    return any(
        str(each.get("interfaceType", "")).startswith("efa") for each in interfaces if isinstance(each, Mapping)
    )


def _missing_ways(resources: Resources, group: Resource) -> list[str]:
    """Return the directions (`ingress`, `egress`) in which the group has no rule that refers to itself."""
    found = {way for way in _WAYS if any(_is_to_itself(rule) for rule in items(group.inputs, way))}
    for rule in resources.of_type(*_RULES):
        ends = (rule.property_dependencies.get(key, ()) for key in ("securityGroupId", "referencedSecurityGroupId"))
        if all(group.urn in end for end in ends) and str(rule.inputs.get("ipProtocol")) in _ALL:
            found.add(_RULES[rule.type])
    for rule in resources.of_type(_OLD_RULE):
        sources = rule.property_dependencies.get("sourceSecurityGroupId", ())
        is_its = group.urn in rule.property_dependencies.get("securityGroupId", ())
        to_itself = rule.inputs.get("self") is True or group.urn in sources
        if is_its and to_itself and str(rule.inputs.get("protocol")) in _ALL:
            found.add(str(rule.inputs.get("type")))
    return [way for way in _WAYS if way not in found]


def _is_to_itself(rule: Any) -> bool:
    return isinstance(rule, Mapping) and rule.get("self") is True and str(rule.get("protocol")) in _ALL
