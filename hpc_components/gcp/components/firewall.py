"""The firewall rules of a cluster, in a network of ours or of yours."""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.components.firewall_rules import Place, Rule, firewall_rules
from hpc_components.gcp.components.short_names import short_name
from hpc_components.gcp.ports import Network

SSH_PLACES = ("head", "login")

MOST_ACCOUNTS = 10
"""Sources, and targets, of one rule. Source: VPC documentation, "Quotas and limits", service accounts per rule."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class FirewallRulesArgs:
    """Arguments of `FirewallRules`. Service accounts are written as emails."""

    project: str
    """Id of the project that owns the network."""
    network: Network
    """The network."""
    head: Input[str]
    """Service account of the head node."""
    login: Input[str] | None = None
    """That of the login nodes; None without any."""
    nodes: tuple[Input[str], ...]
    """Those of the compute nodes."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may reach the nodes of `ssh_to` by SSH. Nobody, if empty."""
    ssh_to: tuple[Literal["head", "login"], ...] = ()
    """Which of `head` and `login` they may reach."""
    iap: bool = True
    """Administrators reach all nodes by IAP's TCP forwarding."""
    services_range: str | None = None
    """Address range of Managed Lustre and Filestore, whose servers call their clients; None without any."""

    def __post_init__(self) -> None:
        """Refuse what is no address range, and nodes that nobody logs in to."""
        for index, cidr in enumerate(self.ssh_from):
            check_cidr(f"FirewallRulesArgs.ssh_from[{index}]", cidr)
        for index, place in enumerate(self.ssh_to):
            if place not in SSH_PLACES:
                raise ValueError(
                    f"FirewallRulesArgs.ssh_to[{index}]: {place!r} can't be opened; use {' or '.join(SSH_PLACES)}"
                )
        if self.services_range is not None:
            check_cidr("FirewallRulesArgs.services_range", self.services_range)

    @property
    def accounts(self) -> dict[Place, list[Input[str]]]:
        """The service accounts by what bears them, each once."""
        every: dict[Place, tuple[Input[str], ...]] = {
            "head": (self.head,),
            "login": () if self.login is None else (self.login,),
            "nodes": self.nodes,
        }
        return {place: _each_once(accounts) for place, accounts in every.items()}


def check_cidr(path: str, cidr: str) -> IPv4Network:
    """The range written as `cidr`; ValueError names `path` when it is none."""
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise ValueError(f"{path}: {cidr!r} is no address range ({error}); write one like 10.20.0.0/16") from None


class FirewallRules(Component[FirewallRulesArgs]):
    """Rules that let the nodes of a cluster reach one another, and people reach those that they log in to.

    They go by service accounts, so that nothing else in the network is let in and none of its machines is opened.
    Where compute nodes have a subnet of their own (`Network.ranges`), they go by its range: when a queue is removed,
    its nodes are still reached until their jobs have ended. Nothing is made where the network is to have no rules of
    ours (`Network.firewall_rules`).
    """

    def _make(self, name: str, args: FirewallRulesArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"sshFrom": list(args.ssh_from), "sshTo": list(args.ssh_to), "iap": args.iap}
        self._register("hpc:gcp:FirewallRules", name, summary, opts)
        self._name, self._args = name, args
        if args.network.firewall_rules:
            for rule in firewall_rules(
                network=args.network.cidr,
                services=args.services_range,
                ssh_from=args.ssh_from,
                ssh_to=args.ssh_to,
                iap=args.iap,
            ):
                self._make_rules(rule)
        self.register_outputs({})

    def _make_rules(self, rule: Rule) -> None:
        """One of Google's rules, or several where there are more accounts than one takes."""
        ranges, accounts = self._args.network.ranges, self._args.accounts
        to, sources = ([place for place in places if accounts[place]] for places in (rule.to, rule.sources))
        if not to or (rule.sources and not sources):
            return
        # Not what comes through a load balancer: such packets are for its address, not for the node's.
        if ranges and "nodes" in (*to, *sources):
            from_ranges = [*rule.ranges, *(ranges[place] for place in sources)]
            self._make_rule(rule, from_ranges=from_ranges, to_ranges=[ranges[place] for place in to])
            return
        targets = _parts([account for place in to for account in accounts[place]])
        from_accounts = _parts([account for place in sources for account in accounts[place]])
        for i, target in enumerate(targets):
            if not rule.sources:
                self._make_rule(rule, f"-{i + 1}" if i else "", from_ranges=list(rule.ranges), to_accounts=target)
            for j, source in enumerate(from_accounts):
                end = f"-{i + 1}-{j + 1}" if i or j else ""
                self._make_rule(rule, end, from_accounts=source, to_accounts=target)

    def _make_rule(
        self,
        rule: Rule,
        end: str = "",
        *,
        from_ranges: list[str] | None = None,
        from_accounts: list[Input[str]] | None = None,
        to_ranges: list[str] | None = None,
        to_accounts: list[Input[str]] | None = None,
    ) -> None:
        """A rule of Google's, whose name ends with `end`."""
        gcp.compute.Firewall(
            short_name(f"{self._name}-{rule.name}{end}"),
            project=self._args.project,
            network=self._args.network.id,
            description=rule.why,
            direction="INGRESS",
            allows=[
                gcp.compute.FirewallAllowArgs(protocol=allowed.protocol, ports=list(allowed.ports) or None)
                for allowed in rule.allows
            ],
            source_ranges=from_ranges,
            source_service_accounts=from_accounts,
            destination_ranges=to_ranges,
            target_service_accounts=to_accounts,
            opts=pulumi.ResourceOptions(parent=self),
        )


def _each_once(accounts: tuple[Input[str], ...]) -> list[Input[str]]:
    """Queues may have one account of the user's together; what a program computes is another for each."""
    return list({(account if isinstance(account, str) else id(account)): account for account in accounts}.values())


def _parts(accounts: list[Input[str]]) -> list[list[Input[str]]]:
    return [accounts[at : at + MOST_ACCOUNTS] for at in range(0, len(accounts), MOST_ACCOUNTS)]
