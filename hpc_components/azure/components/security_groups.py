"""The network security groups of a cluster, in a network of ours or of yours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.components.security_rules import GUARDED, Guarded, Rule, security_rules
from hpc_components.azure.ports import Group
from hpc_components.azure.spec.addresses import Place
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

SSH_PLACES: tuple[Guarded, ...] = ("head", "login")

FIRST_PRIORITY, LAST_PRIORITY = 100, 4096
"""Of a security rule. Source: Azure documentation, "Network security groups", security rules."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecurityGroupsArgs:
    """Arguments of `SecurityGroups`."""

    group: Group
    """Resource group for them."""
    ranges: Mapping[Place, str]
    """Address ranges of the subnets, by what stands in them: who the rules speak of."""
    guarded: tuple[Guarded, ...] = GUARDED
    """What gets a group, as far as `ranges` has it."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may reach the nodes of `ssh_to` by SSH. Nobody, if empty."""
    ssh_to: tuple[Guarded, ...] = ()
    """Which of `head` and `login` they may reach."""
    retain: tuple[Place, ...] = ()
    """Leave the groups of these in the cloud when they leave the program: for subnets that are retained."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what is no address range, and nodes that nobody logs in to."""
        for place, cidr in self.ranges.items():
            check_cidr(f"SecurityGroupsArgs.ranges[{place!r}]", cidr)
        for index, place in enumerate(self.guarded):
            if place not in GUARDED:
                raise ValueError(
                    f"SecurityGroupsArgs.guarded[{index}]: {place!r} has no security group; use {', '.join(GUARDED)}"
                )
        check_ssh("SecurityGroupsArgs", self.ssh_from, self.ssh_to)


def check_cidr(path: str, cidr: str) -> IPv4Network:
    """The range written as `cidr`; ValueError names `path` when it is none."""
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise ValueError(f"{path}: {cidr!r} is no address range ({error}); write one like 10.20.0.0/16") from None


def check_ssh(path: str, ssh_from: tuple[str, ...], ssh_to: tuple[Guarded, ...]) -> None:
    """ValueError where the two fields of these names below `path` are not right."""
    for index, cidr in enumerate(ssh_from):
        check_cidr(f"{path}.ssh_from[{index}]", cidr)
    for index, place in enumerate(ssh_to):
        if place not in SSH_PLACES:
            raise ValueError(f"{path}.ssh_to[{index}]: {place!r} can't be opened; use {' or '.join(SSH_PLACES)}")


class SecurityGroups(Component[SecurityGroupsArgs]):
    """A network security group for each kind of subnet, whose rules name address ranges.

    Rules are part of their group, so that Azure takes all changes of one at once.
    """

    ids: Mapping[Place, pulumi.Output[str]]
    """The groups, by what they guard."""

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
    # a service tag stands alone: only address ranges can be listed
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
