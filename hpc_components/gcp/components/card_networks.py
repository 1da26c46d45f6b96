"""The networks of further network cards: Google wants each card of a machine in another network.

Only cards for RDMA share one, which has a network profile of its zone. Such a network takes no router, NAT or
firewall rule, and lets all of its cards reach one another. Source: VPC documentation, "RDMA network profiles".
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
    """Further network cards of one kind that a machine has after its first."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    """Kind of card."""
    count: int = 1
    """How many there are."""
    profile: str | None = None
    """What the name of their network profile ends with, after the zone: `vpc-falcon`. All of them are in one network
    of that profile. Without, each is in a network of its own."""


Cards = Mapping[tuple[str, str], Sequence[NetworkCards]]
"""Further network cards of machines, in their order, by queue and zone."""

RDMA_MTU = 8896
"""Of networks with a profile. Source: VPC documentation, "RDMA network profiles"."""


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
    """The subnets of the cards, in their order, by queue and zone. Queues of a zone share the networks.

    `ranges` has one for each card. No machine can have two cards in one of these networks' subnets.
    """
    maker = _Maker(name, project=project, region=region, mtu=mtu, ranges=ranges, opts=opts)
    return {key: maker.subnets(key[1], kinds) for key, kinds in cards.items()}


class _Maker:
    """Makes each network and subnet once."""

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
        """The subnets of all cards of a machine in `zone`."""
        cards = [kind for kind in kinds for _ in range(kind.count)]
        return tuple(self._subnet(zone, number, kind) for number, kind in enumerate(cards, start=1))

    def _subnet(self, zone: str, number: int, kind: NetworkCards) -> CardSubnet:
        """That of card `number` of a machine, whose first is 0."""
        what = kind.profile.removeprefix("vpc-") if kind.profile else f"card-{number}"
        key = f"{self._name}-{zone_letter(zone)}-{what}"  # all zones are of one region
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
        """Everything from the cards of other machines; nothing else is in such a network."""
        gcp.compute.Firewall(
            short_name(f"{key}-from-cards"),
            project=self._project,
            network=network.id,
            direction="INGRESS",
            source_ranges=[str(cidr)],
            allows=[gcp.compute.FirewallAllowArgs(protocol="all")],
            opts=self._opts,
        )
