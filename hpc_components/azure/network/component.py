from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Literal, get_args

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.networks import subnet_need
from hpc_components.azure.network.addresses import Place, plan_subnets, sharing_a_place
from hpc_components.azure.network.bastion import make_bastion, make_public_address
from hpc_components.azure.network.endpoints import make_private_zones
from hpc_components.azure.network.model import Service
from hpc_components.azure.network.security_groups import (
    SecurityGroups,
    SecurityGroupsArgs,
    check_cidr,
    check_ssh,
)
from hpc_components.azure.network.security_rules import NODES, Guarded
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

Nat = Literal["one", "none"]

WITH_NAT: tuple[Place, ...] = (*NODES, "lustre")
"""Subnets that use the NAT gateway. Lustre's servers need the gateway to report to Azure. Delegated subnets and
private endpoints don't need one, and Bastion has its own public address."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class VpcArgs:
    """Arguments of `Vpc`."""

    group: Group
    """Resource group of the network."""
    cidr: str
    """Address range, from /16 to /24. A /24 has room for only one of Lustre, NetApp Files and Bastion."""
    nat: Nat = "one"
    """`one` creates a NAT gateway for outbound traffic. With `none`, the subnets have no outbound access, because
    Azure's default outbound access is disabled."""
    bastion: bool = False
    """Whether to create an Azure Bastion, through which administrators reach nodes without public addresses."""
    endpoints: tuple[Service, ...] = ()
    """Services that clients reach through private endpoints."""
    login_nodes: bool = False
    """Whether to create a subnet for login nodes. Adding one later does not change other subnets."""
    storage: tuple[Literal["lustre", "netapp"], ...] = ()
    """File systems that need their own subnet. Adding one later does not change other subnets."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may connect over SSH to the nodes in `ssh_to`."""
    ssh_to: tuple[Guarded, ...] = ()
    """Nodes that accept SSH from `ssh_from`: `head`, `login` or both."""
    builds_images: bool = False
    """Whether Azure Image Builder makes images in the subnet `nodes`."""
    retain: bool = False
    """Whether the network, and everything that the `storage` subnets need, stays in the cloud when removed from the
    program. Required if file systems are retained, because Azure does not delete a subnet that still contains network
    interfaces."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        try:
            plan_subnets(check_cidr("VpcArgs.cidr", self.cidr))
        except ValueError as error:
            raise ValueError(str(error) if "VpcArgs" in str(error) else f"VpcArgs.cidr: {error}") from None
        if self.nat not in get_args(Nat):
            raise ValueError(f"VpcArgs.nat: {self.nat!r} is unknown; the value must be {' or '.join(get_args(Nat))}")
        _check_words("VpcArgs.endpoints", self.endpoints, get_args(Service))
        _check_words("VpcArgs.storage", self.storage, ("lustre", "netapp"))
        check_ssh("VpcArgs", self.ssh_from, self.ssh_to)
        if "login" in self.ssh_to and not self.login_nodes:
            index = self.ssh_to.index("login")
            raise ValueError(f"VpcArgs.ssh_to[{index}]: there is no subnet for login nodes; set login_nodes=True")
        if sharing := sharing_a_place(IPv4Network(self.cidr), self.places):
            raise ValueError(f"VpcArgs.cidr: {self.cidr} has room for only one of {', '.join(sharing)}; use a /23")

    @property
    def places(self) -> tuple[Place, ...]:
        """Purposes of the subnets, in creation order."""
        optional: dict[Place, bool] = {
            "login": self.login_nodes,
            "endpoints": bool(self.endpoints),
            "lustre": "lustre" in self.storage,
            "netapp": "netapp" in self.storage,
            "bastion": self.bastion,
        }
        return tuple(place for place in get_args(Place) if optional.get(place, True))

    @property
    def ranges(self) -> dict[Place, IPv4Network]:
        """Address range of each subnet."""
        plan = plan_subnets(IPv4Network(self.cidr))
        return {place: getattr(plan, place) for place in self.places}

    @property
    def retained(self) -> tuple[Place, ...]:
        """Subnets that stay in the cloud when removed from the program."""
        return self.storage if self.retain else ()


def _check_words(path: str, words: tuple[str, ...], known: tuple[str, ...]) -> None:
    for index, word in enumerate(words):
        if word not in known:
            raise ValueError(f"{path}[{index}]: {word!r} is unknown; use one of: {', '.join(known)}")
        if word in words[:index]:
            raise ValueError(f"{path}[{index}]: {word!r} is a duplicate; remove one")


class Vpc(Component[VpcArgs]):
    """A virtual network with one subnet per purpose, their security groups, and outbound access.

    The subnets' ranges depend only on the network's range, so later additions don't change them. Nodes reach storage
    in the same region through a service endpoint, which avoids NAT gateway charges. Subnets are regional, and the NAT
    gateway and public addresses have no zone, so all of them serve the whole region.
    """

    network: Network
    """The network, to pass to other components. Its subnets have their own security groups."""
    network_id: pulumi.Output[str]
    """Id of the virtual network."""
    bastion_name: pulumi.Output[str] | None
    """Name of the Bastion, or None if the network has no Bastion."""
    subnet_ids: Mapping[Place, pulumi.Output[str]]
    """Ids of the subnets, keyed by purpose."""
    security_group_ids: Mapping[Place, pulumi.Output[str]]
    """Ids of the subnets' network security groups, keyed by subnet purpose."""
    nat_address: pulumi.Output[str | None] | None
    """Public address of the NAT gateway, which is the source address of outbound traffic, or None if there is no
    gateway."""

    def _make(self, name: str, args: VpcArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:Vpc", name, {"cidr": args.cidr, "nat": args.nat, "bastion": args.bastion}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)

        network = self._make_network()
        groups = self._make_security_groups()
        self.nat_address = None
        nat = self._make_nat_gateway() if args.nat == "one" else None
        subnets = self._make_subnets(network, groups.ids, nat)
        self.bastion_name = None
        if args.bastion:
            bastion = make_bastion(
                name, subnet=subnets["bastion"], group=args.group, tags=args.tags, opts=self._child
            )
            self.bastion_name = bastion.name
        zones = make_private_zones(
            name, args.endpoints, group=args.group, network_id=network.id, tags=args.tags, opts=self._child
        )
        self.network_id = network.id
        self.subnet_ids = {place: subnet.id for place, subnet in subnets.items()}
        self.security_group_ids = groups.ids
        self.network = Network(
            id=network.id,
            cidr=args.cidr,
            subnets=self.subnet_ids,
            private_zones=zones,
        )
        self.register_outputs(
            {
                "networkId": self.network_id,
                "subnetIds": self.subnet_ids,
                "securityGroupIds": dict(self.security_group_ids),
                "natAddress": self.nat_address,
            }
        )

    def _ground(self, stays: bool) -> pulumi.ResourceOptions:
        """Return options for a resource that a retained file system may need."""
        return pulumi.ResourceOptions(parent=self, retain_on_delete=stays or None)

    def _make_network(self) -> "azure_native.network.VirtualNetwork":
        return azure_native.network.VirtualNetwork(
            f"{self._name}-vnet",
            resource_group_name=self._args.group.name,
            location=self._args.group.location,
            address_space=azure_native.network.AddressSpaceArgs(address_prefixes=[self._args.cidr]),
            tags=self._args.tags.for_resource(f"{self._name}-vnet"),
            opts=self._ground(bool(self._args.retained)),
        )

    def _make_security_groups(self) -> SecurityGroups:
        args = SecurityGroupsArgs(
            group=self._args.group,
            ranges={place: str(cidr) for place, cidr in self._args.ranges.items()},
            ssh_from=self._args.ssh_from,
            ssh_to=self._args.ssh_to,
            retain=self._args.retained,
            tags=self._args.tags,
        )
        return SecurityGroups(self._name, args, self._child)

    def _make_nat_gateway(self) -> "azure_native.network.NatGateway":
        args, label = self._args, f"{self._name}-nat"
        opts = self._ground("lustre" in args.retained)
        address = make_public_address(f"{label}-address", group=args.group, tags=args.tags, opts=opts)
        self.nat_address = address.ip_address
        return azure_native.network.NatGateway(
            label,
            resource_group_name=args.group.name,
            location=args.group.location,
            sku=azure_native.network.NatGatewaySkuArgs(name=azure_native.network.NatGatewaySkuName.STANDARD),
            public_ip_addresses=[azure_native.network.SubResourceArgs(id=address.id)],
            tags=args.tags.for_resource(label),
            opts=opts,
        )

    def _make_subnets(
        self,
        network: "azure_native.network.VirtualNetwork",
        groups: Mapping[Place, pulumi.Output[str]],
        nat: "azure_native.network.NatGateway | None",
    ) -> "dict[Place, azure_native.network.Subnet]":
        """Create the subnets one at a time, because Azure Resource Manager refuses concurrent changes to a network.

        Each subnet depends on all earlier ones, so that deletions also run one at a time, even if subnets in between
        are retained.
        """
        subnets: dict[Place, azure_native.network.Subnet] = {}
        for place in self._args.places:
            opts = self._ground(place in self._args.retained)
            subnets[place] = self._make_subnet(
                place,
                network,
                groups.get(place),
                nat if place in WITH_NAT else None,
                pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(subnets.values()))),
            )
        return subnets

    def _make_subnet(
        self,
        place: Place,
        network: "azure_native.network.VirtualNetwork",
        security_group: pulumi.Output[str] | None,
        nat: "azure_native.network.NatGateway | None",
        opts: pulumi.ResourceOptions,
    ) -> "azure_native.network.Subnet":
        net, need = azure_native.network, subnet_need(place)
        delegation = need.delegation if need else None
        storage = net.ServiceEndpointPropertiesFormatArgs(service="Microsoft.Storage")
        policies = net.VirtualNetworkPrivateEndpointNetworkPolicies
        return net.Subnet(
            f"{self._name}-{place}",
            resource_group_name=self._args.group.name,
            virtual_network_name=network.name,
            subnet_name=(need.name if need else None) or place,
            address_prefix=str(self._args.ranges[place]),
            default_outbound_access=False,
            network_security_group=net.NetworkSecurityGroupArgs(id=security_group) if security_group else None,
            nat_gateway=net.SubResourceArgs(id=nat.id) if nat else None,
            service_endpoints=[storage] if place in NODES else None,
            delegations=[net.DelegationArgs(name=place, service_name=delegation)] if delegation else None,
            # otherwise, security groups would not apply to private endpoints
            private_endpoint_network_policies=policies.NETWORK_SECURITY_GROUP_ENABLED
            if place == "endpoints"
            else policies.DISABLED,
            # Image Builder makes a private link service in the subnet
            private_link_service_network_policies=net.VirtualNetworkPrivateLinkServiceNetworkPolicies.DISABLED
            if place == "nodes" and self._args.builds_images
            else None,
            opts=opts,
        )
