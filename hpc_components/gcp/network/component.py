from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Literal, get_args

import pulumi
import pulumi_gcp as gcp

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.catalog.zones import region_of
from hpc_components.gcp.firewall.component import check_cidr
from hpc_components.gcp.network.addresses import Place, SubnetPlan, plan_subnets
from hpc_components.gcp.network.vpc_limits import NetworkOrder, mtus, network_refusals
from hpc_components.gcp.network_cards.card_networks import Cards, make_card_networks
from hpc_components.gcp.ports import Network
from hpc_components.gcp.tags import Tags
from hpc_components.resource_options import retained_options

Nat = Literal["one", "none"]

NAT_PORTS = (64, 4096)
"""Minimum and maximum number of NAT ports per machine; both must be powers of two. Most machines need only a few, but
a machine that pulls many containers from one registry needs more than Google's default of 64."""

SERVICES = "servicenetworking.googleapis.com"


@dataclass(frozen=True, kw_only=True)
@checked_args
class VpcArgs:
    """Arguments of `Vpc`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the network's subnets."""
    cidr: str
    """Address range, /16 to /20."""
    nat: Nat = "one"
    """Whether nodes without a public address get internet access through Cloud NAT (`one`) or not at all (`none`).
    With `none`, they can reach only Google's services."""
    mtu: int = 8896
    """Maximum transmission unit in bytes, 1300 to 8896."""
    services: bool = False
    """Whether to create a connection for private services access, which Managed Lustre and Filestore need."""
    cards: Cards = field(default_factory=dict)
    """Each machine's additional network cards (all but the first), in order, keyed by queue and zone."""
    retain: bool = False
    """Whether to keep the network and its private services access connection in the cloud when they are removed from
    the program. Retained file systems depend on both."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        cidr = check_cidr("VpcArgs.cidr", self.cidr)
        try:
            plan_subnets(cidr)
        except ValueError as error:
            raise ValueError(f"VpcArgs.cidr: {error}") from None
        if self.nat not in get_args(Nat):
            raise ValueError(f"VpcArgs.nat: {self.nat!r} is unknown; use {' or '.join(get_args(Nat))}")
        for refusal in network_refusals(NetworkOrder(cidr=cidr, mtu=self.mtu)):
            if refusal.field == "mtu":
                raise ValueError(f"VpcArgs.mtu: must be {mtus()[0]} to {mtus()[-1]} bytes, not {self.mtu}")
            raise ValueError(f"VpcArgs.cidr: {self.cidr} overlaps {refusal.allowed[0]}, which Google reserves")
        for (queue, zone), kinds in self.cards.items():
            path = f"VpcArgs.cards[{queue!r}, {zone!r}]"
            if region_of(zone) != self.region:
                raise ValueError(
                    f"{path}: {zone!r} is not a zone of {self.region}; use a zone such as {self.region}-a"
                )
            if (count := sum(kind.count for kind in kinds)) > len(self.plan.cards):
                raise ValueError(
                    f"{path}: {count} additional cards are too many; the network has address ranges for only "
                    f"{len(self.plan.cards)}"
                )

    @property
    def plan(self) -> SubnetPlan:
        """Address range of each subnet."""
        return plan_subnets(IPv4Network(self.cidr))


class Vpc(Component[VpcArgs]):
    """A network with subnets for the head node, login nodes and compute nodes, and with outbound access.

    Subnet ranges depend only on the network's range, so later additions don't change them. Machines in all subnets
    can reach Google's services without a public address and without the cost of NAT. Incoming traffic is denied until
    `FirewallRules` are added.
    """

    network: Network
    """The network in the form that other components accept."""
    network_id: pulumi.Output[str]
    """Id of the network."""
    subnet_ids: Mapping[Place, pulumi.Output[str]]
    """Subnet ids, keyed by the kind of nodes in the subnet."""
    services_range: str
    """Address range reserved for Google's managed services."""

    def _make(self, name: str, args: VpcArgs, opts: pulumi.ResourceOptions | None) -> None:
        if wrong := wrong_name("resource", name):
            raise ValueError(f"Vpc name (also the name of the network): {wrong[0]}; {wrong[1]}")
        self._register("hpc:gcp:Vpc", name, {"cidr": args.cidr, "nat": args.nat, "services": args.services}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        network = self._make_network()
        subnets = {place: self._make_subnet(place, network) for place in get_args(Place)}
        if args.nat == "one":
            self._make_nat(network)
        address, connections = self._make_services(network) if args.services else (None, ())
        cards = make_card_networks(
            name,
            args.cards,
            project=args.project,
            region=args.region,
            mtu=args.mtu,
            ranges=args.plan.cards,
            opts=self._child,
        )
        self.network_id, self.services_range = network.id, str(args.plan.services)
        self.subnet_ids = {place: subnet.id for place, subnet in subnets.items()}
        self.network = Network(
            id=network.id,
            cidr=args.cidr,
            subnets=self.subnet_ids,
            ranges={place: str(getattr(args.plan, place)) for place in subnets},
            cards=cards,
            services=connections,
            services_range=address.name if address else None,
        )
        self.register_outputs({"networkId": self.network_id, "subnetIds": self.subnet_ids})

    @property
    def _ground(self) -> pulumi.ResourceOptions:
        """Options for resources that retained file systems depend on."""
        return retained_options(self, retain=self._args.retain and self._args.services)

    def _make_network(self) -> "gcp.compute.Network":
        return gcp.compute.Network(
            self._name,
            name=self._name,
            project=self._args.project,
            auto_create_subnetworks=False,
            routing_mode="REGIONAL",
            mtu=self._args.mtu,
            opts=self._ground,
        )

    def _make_subnet(self, place: Place, network: "gcp.compute.Network") -> "gcp.compute.Subnetwork":
        name = f"{self._name}-{place}"
        return gcp.compute.Subnetwork(
            name,
            name=name,
            project=self._args.project,
            region=self._args.region,
            network=network.id,
            ip_cidr_range=str(getattr(self._args.plan, place)),
            private_ip_google_access=True,
            opts=self._child,
        )

    def _make_nat(self, network: "gcp.compute.Network") -> None:
        """Create Cloud NAT. Google adds public addresses as needed, about one per thousand machines."""
        router = gcp.compute.Router(
            f"{self._name}-router",
            project=self._args.project,
            region=self._args.region,
            network=network.id,
            opts=self._child,
        )
        least, most = NAT_PORTS
        gcp.compute.RouterNat(
            f"{self._name}-nat",
            project=self._args.project,
            region=self._args.region,
            router=router.name,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
            enable_dynamic_port_allocation=True,
            min_ports_per_vm=least,
            max_ports_per_vm=most,
            log_config=gcp.compute.RouterNatLogConfigArgs(enable=True, filter="ERRORS_ONLY"),
            opts=self._child,
        )

    def _make_services(
        self, network: "gcp.compute.Network"
    ) -> "tuple[gcp.compute.GlobalAddress, tuple[pulumi.Resource, ...]]":
        args, lent = self._args, self._args.plan.services
        address = gcp.compute.GlobalAddress(
            f"{self._name}-services",
            project=args.project,
            network=network.id,
            purpose="VPC_PEERING",
            address_type="INTERNAL",
            address=str(lent.network_address),
            prefix_length=lent.prefixlen,
            labels=args.tags.for_resource(f"{self._name}-services"),
            opts=self._ground,
        )
        connection = gcp.servicenetworking.Connection(
            f"{self._name}-services",
            network=network.id,
            service=SERVICES,
            reserved_peering_ranges=[address.name],
            # Google may refuse to delete the connection for days after the last file system is deleted, so remove the
            # peering from the network instead. With ABANDON, the peering would stay in place and block the network's
            # deletion.
            deletion_policy="REMOVE_PEERING",
            opts=self._ground,
        )
        return address, (connection,)
