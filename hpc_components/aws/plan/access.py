from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.plan.policy_documents import as_list, statements_in
from hpc_components.preview.ingress import Ingress
from hpc_components.preview.nested import items
from hpc_components.preview.resources import Resource


def ingress(resource: Resource) -> Iterator[Ingress]:
    """Yield the security group ingress rules in `resource` that apply to TCP."""
    for path, rule in _rules(resource):
        protocol = str(rule.get("protocol", rule.get("ipProtocol", "-1"))).lower()
        low, high = rule.get("fromPort", 0), rule.get("toPort", 65535)
        if protocol in ("-1", "all") or not isinstance(low, int) or not isinstance(high, int):
            low, high = 0, 65535
        if protocol in ("-1", "all", "tcp", "6"):
            yield Ingress(sources=tuple(_sources(rule)), low=low, high=high, path=path)


def _rules(resource: Resource) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (path, rule) for each ingress rule. The path leads to the input that specifies the rule's sources."""
    inputs = resource.inputs
    match resource.kind:
        case "SecurityGroup":
            rules = enumerate(items(inputs, "ingress"))
            yield from ((f"ingress[{index}]", rule) for index, rule in rules if isinstance(rule, Mapping))
        case "SecurityGroupRule" if inputs.get("type") == "ingress":
            yield "cidrBlocks", inputs
        case "SecurityGroupIngressRule":
            yield "cidrIpv4" if "cidrIpv4" in inputs else "cidrIpv6", inputs


def _sources(rule: Mapping[str, Any]) -> list[str]:
    lists = [rule.get("cidrBlocks", []), rule.get("ipv6CidrBlocks", [])]
    return [block for each in lists if isinstance(each, list) for block in each] + [
        rule[name] for name in ("cidrIpv4", "cidrIpv6") if name in rule
    ]


def wildcard_actions(resource: Resource) -> Iterator[str]:
    """Yield the wildcard actions that the resource's policies allow. Statements with `NotAction` are included,
    because they allow all other actions.
    """
    for statement in statements_in(resource.inputs):
        if statement.get("Effect") == "Allow":
            yield from _wide_actions(statement)


def _wide_actions(statement: Mapping[str, Any]) -> Iterator[str]:
    if "NotAction" in statement:
        yield "everything but `NotAction`"
    yield from (action for action in as_list(statement.get("Action", [])) if "*" in action)
