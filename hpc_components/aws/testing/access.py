"""Who security groups let in, and what IAM policies allow."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.record import SECRET, UNKNOWN, RecordedResource
from hpc_components.testing.facts import Ingress

__all__ = ["ingress", "wildcard_actions"]

_POLICIES = ("policy", "policyDocument", "inlinePolicy")


def ingress(resource: RecordedResource) -> Iterator[Ingress]:
    """The ingress rules of security groups for TCP."""
    for rule in _rules(resource):
        protocol = str(rule.get("protocol", rule.get("ipProtocol", "-1"))).lower()
        low, high = rule.get("fromPort", 0), rule.get("toPort", 65535)
        if protocol in ("-1", "all") or not isinstance(low, int) or not isinstance(high, int):
            low, high = 0, 65535
        if protocol in ("-1", "all", "tcp", "6"):
            yield Ingress(sources=tuple(_sources(rule)), low=low, high=high)


def _rules(resource: RecordedResource) -> Iterator[Mapping[str, Any]]:
    inputs = resource.inputs
    match resource.type.rpartition(":")[2]:
        case "SecurityGroup":
            rules = inputs.get("ingress", [])
            yield from (rule for rule in rules if isinstance(rule, Mapping))
        case "SecurityGroupRule" if inputs.get("type") == "ingress":
            yield inputs
        case "SecurityGroupIngressRule":
            yield inputs


def _sources(rule: Mapping[str, Any]) -> list[str]:
    lists = [rule.get("cidrBlocks", []), rule.get("ipv6CidrBlocks", [])]
    return [block for each in lists if isinstance(each, list) for block in each] + [
        rule[name] for name in ("cidrIpv4", "cidrIpv6") if name in rule
    ]


def wildcard_actions(resource: RecordedResource) -> Iterator[str]:
    """Actions with `*` in them, and everything but some, that the policies of a resource allow."""
    for statement in _statements(resource.inputs):
        if statement.get("Effect") == "Allow":
            yield from _wide_actions(statement)


def _statements(inputs: Any) -> Iterator[Mapping[str, Any]]:
    """The statements of every policy in the inputs, however deep."""
    if isinstance(inputs, list):
        for each in inputs:
            yield from _statements(each)
    elif isinstance(inputs, Mapping):
        for name, value in inputs.items():
            yield from _of_policy(value) if name in _POLICIES else _statements(value)


def _of_policy(policy: Any) -> Iterator[Mapping[str, Any]]:
    if policy in (UNKNOWN, SECRET):
        return
    document = json.loads(policy) if isinstance(policy, str) else policy
    statements = document.get("Statement", []) if isinstance(document, Mapping) else []
    yield from statements if isinstance(statements, list) else [statements]


def _wide_actions(statement: Mapping[str, Any]) -> Iterator[str]:
    if "NotAction" in statement:
        yield "everything but `NotAction`"
    actions = statement.get("Action", [])
    yield from (action for action in (actions if isinstance(actions, list) else [actions]) if "*" in action)
