"""Who may reach a cluster, and what it may do: network rules and permissions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.record import SECRET, UNKNOWN, RecordedResource, Recording
from hpc_components.testing.offenders import refuse, shown

__all__ = ["assert_no_wildcard_actions", "assert_not_open_to_the_world"]

_WORLD = ("0.0.0.0/0", "::/0")
_POLICIES = ("policy", "policyDocument", "inlinePolicy")


def assert_not_open_to_the_world(recording: Recording, port: int = 22) -> None:
    """No security group of AWS lets every address of the internet in on this TCP port."""
    refuse(
        f"rules that open port {port} to the whole internet; name the networks that need it",
        (
            f"{shown(resource)} admits {', '.join(open_to)}"
            for resource in recording.resources
            for rule in _ingress(resource)
            if _covers(rule, port) and (open_to := [block for block in _sources(rule) if block in _WORLD])
        ),
    )


def _ingress(resource: RecordedResource) -> Iterator[Mapping[str, Any]]:
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


def _covers(rule: Mapping[str, Any], port: int) -> bool:
    protocol = str(rule.get("protocol", rule.get("ipProtocol", "-1"))).lower()
    if protocol in ("-1", "all"):
        return True
    low, high = rule.get("fromPort", 0), rule.get("toPort", 65535)
    if not isinstance(low, int) or not isinstance(high, int):
        return protocol in ("tcp", "6")
    return protocol in ("tcp", "6") and low <= port <= high


def assert_no_wildcard_actions(recording: Recording) -> None:
    """No IAM policy allows an action with `*` in it, or everything but some actions.

    Policies that carry an unknown or secret value as a whole can't be read, and pass.
    """
    refuse(
        "permissions with a wildcard action; name the actions",
        (
            f"{shown(resource)} allows {action}"
            for resource in recording.resources
            for statement in _statements(resource.inputs)
            if statement.get("Effect") == "Allow"
            for action in _wide_actions(statement)
        ),
    )


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
