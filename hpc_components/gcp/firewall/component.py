from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.components.short_names import short_name
from hpc_components.gcp.firewall.firewall_rules import Place, Rule, firewall_rules
from hpc_components.gcp.ports import Network

SSH_PLACES = ("head", "login")

MAX_ACCOUNTS = 10
"""Maximum number of service accounts per rule. The limit applies to sources and targets separately. Source: VPC
documentation, "Quotas and limits", service accounts per rule."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class FirewallRulesArgs:
    """Arguments of `FirewallRules`. Service accounts are specified by email."""

    project: str
    """Id of the project that owns the network."""
    network: Network
    """Network in which to create the rules."""
    head: Input[str]
    """The head node's service account."""
    login: Input[str] | None = None
    """The login nodes' service account, or None if the cluster has no login nodes."""
    nodes: tuple[Input[str], ...]
    """The compute nodes' service accounts."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may connect to the nodes in `ssh_to` by SSH."""
    ssh_to: tuple[Literal["head", "login"], ...] = ()
    """Kinds of nodes that the ranges in `ssh_from` may connect to: `head`, `login` or both."""
    iap: bool = True
    """Whether administrators can reach all nodes through IAP TCP forwarding."""
    services_range: str | None = None
    """Address range of Managed Lustre and Filestore servers, which open connections to their clients. None if the
    cluster uses neither service."""

    def __post_init__(self) -> None:
        """Refuse invalid address ranges, and kinds of nodes that can't be opened to SSH."""
        for index, cidr in enumerate(self.ssh_from):
            check_cidr(f"FirewallRulesArgs.ssh_from[{index}]", cidr)
        for index, place in enumerate(self.ssh_to):
            if place not in SSH_PLACES:
                raise ValueError(
                    f"FirewallRulesArgs.ssh_to[{index}]: {place!r} can't be opened to SSH; use "
                    f"{' or '.join(SSH_PLACES)}"
                )
        if self.services_range is not None:
            check_cidr("FirewallRulesArgs.services_range", self.services_range)

    @property
    def accounts(self) -> dict[Place, list[Input[str]]]:
        """Maps each kind of node to its service accounts, without duplicates."""
        every: dict[Place, tuple[Input[str], ...]] = {
            "head": (self.head,),
            "login": () if self.login is None else (self.login,),
            "nodes": self.nodes,
        }
        return {place: _each_once(accounts) for place, accounts in every.items()}


def check_cidr(path: str, cidr: str) -> IPv4Network:
    """Parse an address range. Raise ValueError, with `path` in the message, if the range is invalid."""
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise ValueError(
            f"{path}: {cidr!r} is not a valid address range ({error}); use a range like 10.20.0.0/16"
        ) from None


class FirewallRules(Component[FirewallRulesArgs]):
    """Rules that let a cluster's nodes reach each other, and let users reach the nodes that they log in to.

    The rules match service accounts, so other machines in the network are not affected. If compute nodes have a
    separate subnet (`Network.ranges`), the rules match that subnet's range instead, so that nodes of a removed queue
    stay reachable until their jobs have ended. No rules are created if `Network.firewall_rules` is False.
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
        """Create a firewall rule, or several if there are too many service accounts for a single rule."""
        ranges, accounts = self._args.network.ranges, self._args.accounts
        to, sources = ([place for place in places if accounts[place]] for places in (rule.to, rule.sources))
        if not to or (rule.sources and not sources):
            return
        # Rules for login nodes alone must not match destination ranges, because packets that arrive through a load
        # balancer are addressed to the load balancer and not to the node.
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
    """Return the accounts without duplicates, because several queues may use the same existing account.

    Outputs are assumed to be different.
    """
    return list({(account if isinstance(account, str) else id(account)): account for account in accounts}.values())


def _parts(accounts: list[Input[str]]) -> list[list[Input[str]]]:
    return [accounts[at : at + MAX_ACCOUNTS] for at in range(0, len(accounts), MAX_ACCOUNTS)]
