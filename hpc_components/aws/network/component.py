import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Literal, get_args

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.network_limits import endpoint_kind
from hpc_components.aws.network.addresses import plan_subnets
from hpc_components.aws.network.endpoints import make_gateway_endpoint, make_interface_endpoints
from hpc_components.aws.network.flow_logs import RETENTION_DAYS, make_flow_logs
from hpc_components.aws.network.vpc_routes import (
    make_internet_gateway,
    make_nat_gateways,
    make_private_routes,
    make_public_routes,
)
from hpc_components.aws.ports import Network
from hpc_components.aws.security_groups.component import SecurityGroups, SecurityGroupsArgs, check_cidr, check_ssh
from hpc_components.aws.security_groups.security_rules import Role
from hpc_components.aws.tags import Tags
from hpc_components.catalog import region_of_zone
from hpc_components.component import Component
from hpc_components.resource_options import retained_options
from hpc_components.spec.addresses import fixed_block

Nat = Literal["one", "per_zone", "none"]


@dataclass(frozen=True, kw_only=True)
@checked_args
class VpcArgs:
    """Arguments of `Vpc`."""

    cidr: str
    """Address range in CIDR notation, from /16 to /20."""
    zones: tuple[str, ...]
    """Zone ids, such as `use2-az2`, all in the same region. Each zone gets a private and a public subnet."""
    nat: Nat = "one"
    """NAT gateways for the private subnets: one for all zones, one in each zone, or none."""
    nat_zone: str | None = None
    """Zone of the single NAT gateway; default: the first of `zones`."""
    endpoints: tuple[str, ...] = ("s3",)
    """AWS services for which to create VPC endpoints. Each name is the last part of
    `com.amazonaws.<region>.<service>`, such as `s3`."""
    flow_logs_days: int | None = None
    """Number of days to keep flow logs, or None for no flow logs."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may connect over SSH to nodes with a role in `ssh_to`."""
    ssh_to: tuple[Role, ...] = ()
    """Node roles to which the ranges in `ssh_from` may connect: `head`, `login` or both."""
    efa_storage: bool = False
    """Whether clients reach a Lustre file system over EFA."""
    retain: bool = False
    """Whether to keep the VPC, the private subnets and the file systems' security group in the cloud when they are
    removed from the program. Set this if file systems are retained, because AWS can't delete a subnet that contains
    their network interfaces."""
    permissions_boundary: pulumi.Input[str] | None = None
    """ARN of the permissions boundary for the flow logs' role."""
    role_path: str = "/"
    """Path of the flow logs' role."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse a range that can't be divided into subnets, and unknown zones, services or retention times."""
        cidr = check_cidr("VpcArgs.cidr", self.cidr)
        _check_zones(self.zones)
        try:
            plan_subnets(cidr, self.zones)
        except ValueError as error:
            raise ValueError(f"VpcArgs.cidr: {error}") from None
        if self.nat not in get_args(Nat):
            raise ValueError(f"VpcArgs.nat: {self.nat!r} is unknown; choose from: {', '.join(get_args(Nat))}")
        if self.nat_zone not in (None, *self.zones):
            raise ValueError(f"VpcArgs.nat_zone: {self.nat_zone!r} is not in zones; use {' or '.join(self.zones)}")
        for index, service in enumerate(self.endpoints):
            if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", service) or service in self.endpoints[:index]:
                raise ValueError(
                    f"VpcArgs.endpoints[{index}]: {service!r} is not a service name or is a duplicate; use "
                    "distinct names such as s3 and ssm"
                )
        if self.flow_logs_days not in (None, *RETENTION_DAYS):
            raise ValueError(
                f"VpcArgs.flow_logs_days: CloudWatch can't keep logs for {self.flow_logs_days} days;"
                f" use one of {', '.join(map(str, RETENTION_DAYS))}"
            )
        check_ssh("VpcArgs", self.ssh_from, self.ssh_to)

    @property
    def region(self) -> str:
        """Region that contains the zones."""
        return region_of_zone("aws", self.zones[0]) or ""


def _check_zones(zones: tuple[str, ...]) -> None:
    if not zones:
        raise ValueError("VpcArgs.zones: no zone is specified; add at least one zone id such as use2-az2")
    for index, zone in enumerate(zones):
        region = region_of_zone("aws", zone)
        if region is None:
            raise ValueError(
                f"VpcArgs.zones[{index}]: the catalogue has no zone id {zone!r}; use an id such as use2-az2"
            )
        if region != region_of_zone("aws", zones[0]):
            raise ValueError(
                f"VpcArgs.zones[{index}]: {zone!r} is in {region}, but {zones[0]!r} is not; use zones in a single "
                "region"
            )
        if zone in zones[:index]:
            raise ValueError(f"VpcArgs.zones[{index}]: {zone!r} is a duplicate; remove it")


def _nat_zones(args: VpcArgs) -> tuple[str, ...]:
    return {"one": (args.nat_zone or args.zones[0],), "per_zone": args.zones, "none": ()}[args.nat]


class Vpc(Component[VpcArgs]):
    """A VPC with private and public subnets in each zone, the cluster's security groups, and internet access.

    Subnets don't assign public addresses. Each subnet reserves a block for fixed addresses, so that no elastic node
    can take the head node's address. A subnet's range depends only on its zone, so adding or reordering zones does
    not move existing subnets.
    """

    network: Network
    """The network, to pass to other components."""
    vpc_id: pulumi.Output[str]
    """Id of the VPC."""
    private_subnet_ids: dict[str, pulumi.Output[str]]
    """Maps zone ids to the ids of the private subnets. Nodes in these subnets have no public address."""
    public_subnet_ids: dict[str, pulumi.Output[str]]
    """Maps zone ids to the ids of the public subnets, which have a route to the internet gateway."""
    nat_addresses: dict[str, pulumi.Output[str]]
    """Maps zone ids to the public addresses of the NAT gateways. Connections from private subnets to the internet
    come from these addresses."""

    def _make(self, name: str, args: VpcArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:Vpc", name, {"cidr": args.cidr, "zones": list(args.zones), "nat": args.nat}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        self._ground = retained_options(self, retain=args.retain)

        vpc = self._make_vpc()
        plan = plan_subnets(IPv4Network(args.cidr), args.zones)
        public = {zone: self._make_subnet(vpc, "public", zone, subnets.public) for zone, subnets in plan.items()}
        private = {zone: self._make_subnet(vpc, "private", zone, subnets.private) for zone, subnets in plan.items()}
        gateway = make_internet_gateway(name, vpc=vpc, tags=args.tags, opts=self._child)
        public_table = make_public_routes(
            name, vpc=vpc, subnets=public, gateway=gateway, tags=args.tags, opts=self._child
        )
        nats = make_nat_gateways(
            name, _nat_zones(args), subnets=public, gateway=gateway, tags=args.tags, opts=self._child
        )
        tables = make_private_routes(name, vpc=vpc, subnets=private, nats=nats, tags=args.tags, opts=self._child)
        self._make_endpoints(vpc, private, tables)
        self._make_flow_logs(vpc)
        groups = self._make_security_groups(vpc)
        self.vpc_id = vpc.id
        self.private_subnet_ids = {zone: subnet.id for zone, subnet in private.items()}
        self.public_subnet_ids = {zone: subnet.id for zone, subnet in public.items()}
        self.nat_addresses = {zone: nat.public_ip for zone, nat in nats.items()}
        self.network = Network(
            id=vpc.id,
            cidr=args.cidr,
            private_subnets=self.private_subnet_ids,
            public_subnets=self.public_subnet_ids,
            security_groups=groups.ids,
            zone_names={zone: subnet.availability_zone for zone, subnet in private.items()},
            route_tables=tuple(table.id for table in (*tables.values(), public_table)),
        )
        self.register_outputs(
            {
                "vpcId": self.vpc_id,
                "privateSubnetIds": self.private_subnet_ids,
                "publicSubnetIds": self.public_subnet_ids,
                "natAddresses": self.nat_addresses,
            }
        )

    def _make_flow_logs(self, vpc: "aws.ec2.Vpc") -> None:
        if self._args.flow_logs_days is None:
            return
        make_flow_logs(
            self._name,
            vpc=vpc,
            days=self._args.flow_logs_days,
            permissions_boundary=self._args.permissions_boundary,
            role_path=self._args.role_path,
            tags=self._args.tags,
            opts=self._child,
        )

    def _make_security_groups(self, vpc: "aws.ec2.Vpc") -> SecurityGroups:
        args = SecurityGroupsArgs(
            vpc_id=vpc.id,
            vpc_cidr=self._args.cidr,
            ssh_from=self._args.ssh_from,
            ssh_to=self._args.ssh_to,
            efa_storage=self._args.efa_storage,
            retain=self._args.retain,
            tags=self._args.tags,
        )
        return SecurityGroups(self._name, args, self._child)

    def _make_vpc(self) -> "aws.ec2.Vpc":
        vpc = aws.ec2.Vpc(
            f"{self._name}-vpc",
            cidr_block=self._args.cidr,
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags=self._args.tags.for_resource(f"{self._name}-vpc"),
            opts=self._ground,
        )
        # Every VPC has a default security group. Remove all of its rules, so that a machine placed in the group by
        # mistake can't connect to anything.
        aws.ec2.DefaultSecurityGroup(
            f"{self._name}-default",
            vpc_id=vpc.id,
            tags=self._args.tags.for_resource(f"{self._name}-default"),
            opts=self._child,
        )
        return vpc

    def _make_subnet(
        self, vpc: "aws.ec2.Vpc", kind: Literal["public", "private"], zone: str, cidr: IPv4Network
    ) -> "aws.ec2.Subnet":
        label = f"{self._name}-{kind}-{zone}"
        subnet = aws.ec2.Subnet(
            label,
            vpc_id=vpc.id,
            availability_zone_id=zone,
            cidr_block=str(cidr),
            map_public_ip_on_launch=False,
            tags=self._args.tags.for_resource(label),
            opts=self._ground if kind == "private" else self._child,
        )
        aws.ec2.SubnetCidrReservation(
            f"{label}-fixed",
            subnet_id=subnet.id,
            cidr_block=str(fixed_block(cidr)),
            reservation_type="explicit",
            description="Fixed addresses",
            opts=self._child,
        )
        return subnet

    def _make_endpoints(
        self,
        vpc: "aws.ec2.Vpc",
        private: "Mapping[str, aws.ec2.Subnet]",
        tables: "Mapping[str, aws.ec2.RouteTable]",
    ) -> None:
        region, tags = self._args.region, self._args.tags
        services = self._args.endpoints
        gateways = tuple(service for service in services if endpoint_kind(service) == "gateway")
        for service in gateways:
            make_gateway_endpoint(
                self._name, service, region=region, vpc=vpc, route_tables=tables, tags=tags, opts=self._child
            )
        interfaces = tuple(service for service in services if service not in gateways)
        if interfaces:
            make_interface_endpoints(
                self._name,
                interfaces,
                region=region,
                vpc=vpc,
                cidr=self._args.cidr,
                subnets=private,
                tags=tags,
                opts=self._child,
            )
