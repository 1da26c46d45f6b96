"""Networks of additional network cards: Google requires each card of a machine to be in a network of its own.

Only cards for RDMA share one, which has a network profile of its zone. Such a network allows no router, NAT or
firewall rule, and all its cards reach each other. Source: VPC documentation, "RDMA network profiles".
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
    """Additional network cards of one type, after a machine's first card."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    """Type of the cards."""
    count: int = 1
    """Number of cards."""
    profile: str | None = None
    """Suffix of the name of their network profile, after the zone: `vpc-falcon`. All these cards are in one network
    with that profile. Without a profile, each card is in a network of its own."""


Cards = Mapping[tuple[str, str], Sequence[NetworkCards]]
"""Additional network cards of machines, in order, by queue and zone."""

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
    """Create the networks, and return the subnets of the cards, in order, by queue and zone.

    Queues of a zone share the networks. `ranges` has one address range for each card: a machine can't have two cards
    in the same subnet.
    """
    maker = _Maker(name, project=project, region=region, mtu=mtu, ranges=ranges, opts=opts)
    return {key: maker.subnets(key[1], kinds) for key, kinds in cards.items()}


class _Maker:
    """Creates each network and subnet once."""

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
        """Return the subnets of all additional cards of a machine in `zone`."""
        cards = [kind for kind in kinds for _ in range(kind.count)]
        return tuple(self._subnet(zone, number, kind) for number, kind in enumerate(cards, start=1))

    def _subnet(self, zone: str, number: int, kind: NetworkCards) -> CardSubnet:
        """Return the subnet of card `number` of a machine; the first card of the machine is 0."""
        what = kind.profile.removeprefix("vpc-") if kind.profile else f"card-{number}"
        key = f"{self._name}-{zone_letter(zone)}-{what}"  # all zones are in one region
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
        """Allow all traffic from the cards of other machines; nothing else is in such a network."""
        gcp.compute.Firewall(
            short_name(f"{key}-from-cards"),
            project=self._project,
            network=network.id,
            direction="INGRESS",
            source_ranges=[str(cidr)],
            allows=[gcp.compute.FirewallAllowArgs(protocol="all")],
            opts=self._opts,
        )
