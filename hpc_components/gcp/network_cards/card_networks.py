"""Creates the networks for additional network cards.

Google requires a separate network for each of a machine's cards, except that RDMA cards share one. The shared network
uses its zone's network profile. A network with such a profile can't have a router, NAT or firewall rules, and all its
cards can reach each other.
Source: VPC documentation, "RDMA network profiles".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
import pulumi_gcp as gcp

from hpc_components.gcp.catalog.zones import zone_letter
from hpc_components.gcp.components.short_names import short_name
from hpc_components.gcp.ports import CardSubnet


@dataclass(frozen=True, kw_only=True)
class NetworkCards:
    """A machine's additional network cards of one type."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    """Type of the cards."""
    count: int = 1
    """Number of cards."""
    profile: str | None = None
    """The part of the network profile's name after the zone, e.g. `vpc-falcon`. All cards share one network with this
    profile. If None, each card is in a separate network without a profile."""


Cards = Mapping[tuple[str, str], Sequence[NetworkCards]]
"""Machines' additional network cards, in order, keyed by queue and zone."""

RDMA_MTU = 8896
"""MTU of networks with a profile, in bytes. Source: VPC documentation, "RDMA network profiles"."""


def make_card_networks(
    name: str,
    cards: Cards,
    *,
    project: str,
    region: str,
    mtu: int,
    ranges: Sequence[IPv4Network],
    opts: pulumi.ResourceOptions,
) -> dict[tuple[str, str], tuple[CardSubnet, ...]]:
    """Create the networks, and return the cards' subnets in card order, keyed by queue and zone.

    Queues in the same zone share the networks. `ranges` has one address range for each card, because a machine can't
    have two cards in the same subnet.
    """
    maker = _Maker(name, project=project, region=region, mtu=mtu, ranges=ranges, opts=opts)
    return {key: maker.subnets(key[1], kinds) for key, kinds in cards.items()}


class _Maker:
    """Creates each network and subnet only once, even if several queues use it."""

    def __init__(
        self,
        name: str,
        *,
        project: str,
        region: str,
        mtu: int,
        ranges: Sequence[IPv4Network],
        opts: pulumi.ResourceOptions,
    ) -> None:
        self._name, self._project, self._region = name, project, region
        self._mtu, self._ranges, self._opts = mtu, ranges, opts
        self._networks: dict[str, gcp.compute.Network] = {}
        self._subnets: dict[tuple[str, int], gcp.compute.Subnetwork] = {}

    def subnets(self, zone: str, kinds: Sequence[NetworkCards]) -> tuple[CardSubnet, ...]:
        cards = [kind for kind in kinds for _ in range(kind.count)]
        return tuple(self._subnet(zone, number, kind) for number, kind in enumerate(cards, start=1))

    def _subnet(self, zone: str, number: int, kind: NetworkCards) -> CardSubnet:
        """Return the subnet for card `number`, where 0 is a machine's first card."""
        what = kind.profile.removeprefix("vpc-") if kind.profile else f"card-{number}"
        # a zone's letter is unique here, because all zones are in one region
        key = f"{self._name}-{zone_letter(zone)}-{what}"
        network, cidr = self._network(key, zone, kind), self._ranges[number - 1]
        if (key, number) not in self._subnets:
            self._subnets[key, number] = gcp.compute.Subnetwork(
                short_name(f"{key}-subnet-{number}" if kind.profile else f"{key}-subnet"),
                project=self._project,
                region=self._region,
                network=network.id,
                ip_cidr_range=str(cidr),
                opts=self._opts,
            )
            if kind.profile is None:
                self._let_in(key, network, cidr)
        return CardSubnet(network=network.id, subnet=self._subnets[key, number].id, nic_type=kind.nic_type)

    def _network(self, key: str, zone: str, kind: NetworkCards) -> "gcp.compute.Network":
        if key not in self._networks:
            profile = f"projects/{self._project}/global/networkProfiles/{zone}-{kind.profile}"
            self._networks[key] = gcp.compute.Network(
                key,
                project=self._project,
                auto_create_subnetworks=False,
                routing_mode="REGIONAL",
                mtu=RDMA_MTU if kind.profile else self._mtu,
                network_profile=profile if kind.profile else None,
                opts=self._opts,
            )
        return self._networks[key]

    def _let_in(self, key: str, network: "gcp.compute.Network", cidr: IPv4Network) -> None:
        """Allow all traffic between the machines on the card network. The network contains nothing else, so no finer
        rules are needed.
        """
        gcp.compute.Firewall(
            short_name(f"{key}-from-cards"),
            project=self._project,
            network=network.id,
            direction="INGRESS",
            source_ranges=[str(cidr)],
            allows=[gcp.compute.FirewallAllowArgs(protocol="all")],
            opts=self._opts,
        )
