from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.network.addresses import Place
from hpc_components.azure.network.security_rules import GUARDED, Guarded, Rule, security_rules
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

SSH_PLACES: tuple[Guarded, ...] = ("head", "login")

FIRST_PRIORITY, LAST_PRIORITY = 100, 4096
"""Minimum and maximum priority of a security rule. Source: Azure documentation, "Network security groups", security
rules."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecurityGroupsArgs:
    """Arguments of `SecurityGroups`."""

    group: Group
    """Resource group of the network security groups."""
    ranges: Mapping[Place, str]
    """Address ranges of the subnets, keyed by purpose. The rules refer to these ranges."""
    guarded: tuple[Guarded, ...] = GUARDED
    """Subnets that get a security group, if they are in `ranges`."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may connect over SSH to the nodes in `ssh_to`."""
    ssh_to: tuple[Guarded, ...] = ()
    """Nodes that accept SSH from `ssh_from`: `head`, `login` or both."""
    retain: tuple[Place, ...] = ()
    """Retained subnets. Their security groups stay in the cloud after being removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        for place, cidr in self.ranges.items():
            check_cidr(f"SecurityGroupsArgs.ranges[{place!r}]", cidr)
        for index, place in enumerate(self.guarded):
            if place not in GUARDED:
                raise ValueError(
                    f"SecurityGroupsArgs.guarded[{index}]: {place!r} can't have a security group; use "
                    f"{', '.join(GUARDED)}"
                )
        check_ssh("SecurityGroupsArgs", self.ssh_from, self.ssh_to)


def check_cidr(path: str, cidr: str) -> IPv4Network:
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise ValueError(f"{path}: {cidr!r} is not an address range ({error}); write one like 10.20.0.0/16") from None


def check_ssh(path: str, ssh_from: tuple[str, ...], ssh_to: tuple[Guarded, ...]) -> None:
    for index, cidr in enumerate(ssh_from):
        check_cidr(f"{path}.ssh_from[{index}]", cidr)
    for index, place in enumerate(ssh_to):
        if place not in SSH_PLACES:
            raise ValueError(
                f"{path}.ssh_to[{index}]: {place!r} does not accept SSH from outside; use {' or '.join(SSH_PLACES)}"
            )


class SecurityGroups(Component[SecurityGroupsArgs]):
    """Network security groups for the cluster's subnets, one per purpose, with rules based on address ranges.

    Rules are defined within their group, so that Azure applies all changes to a group in one operation.
    """

    ids: Mapping[Place, pulumi.Output[str]]
    """Ids of the security groups, keyed by subnet purpose."""

    def _make(self, name: str, args: SecurityGroupsArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"sshFrom": list(args.ssh_from), "sshTo": list(args.ssh_to)}
        self._register("hpc:azure:SecurityGroups", name, summary, opts)
        groups = {
            place: azure_native.network.NetworkSecurityGroup(
                f"{name}-{place}-nsg",
                resource_group_name=args.group.name,
                location=args.group.location,
                security_rules=_security_rules(args, place),
                tags=args.tags.for_resource(f"{name}-{place}-nsg"),
                opts=pulumi.ResourceOptions(parent=self, retain_on_delete=place in args.retain or None),
            )
            for place in args.guarded
            if place in args.ranges
        }
        self.ids = {place: group.id for place, group in groups.items()}
        self.register_outputs(dict(self.ids))


def _security_rules(args: SecurityGroupsArgs, place: Guarded) -> "list[azure_native.network.SecurityRuleArgs]":
    *rules, last = security_rules(place, ranges=args.ranges, ssh_from=args.ssh_from, ssh_to=args.ssh_to)
    in_order = [(FIRST_PRIORITY + 10 * index, rule) for index, rule in enumerate(rules)]
    return [_security_rule(rule, priority) for priority, rule in [*in_order, (LAST_PRIORITY, last)]]


def _security_rule(rule: Rule, priority: int) -> "azure_native.network.SecurityRuleArgs":
    network = azure_native.network
    # a rule accepts several address ranges, but only one service tag
    tag = rule.sources[0] if not rule.sources[0][0].isdigit() else None
    return network.SecurityRuleArgs(
        name=rule.name,
        priority=priority,
        direction=network.SecurityRuleDirection.INBOUND,
        access=network.SecurityRuleAccess.ALLOW if rule.allow else network.SecurityRuleAccess.DENY,
        protocol=rule.ports.protocol,
        source_address_prefix=tag,
        source_address_prefixes=None if tag else list(rule.sources),
        source_port_range="*",
        destination_address_prefix="*",
        destination_port_range=None if rule.ports.ranges else "*",
        destination_port_ranges=list(rule.ports.ranges) or None,
    )
