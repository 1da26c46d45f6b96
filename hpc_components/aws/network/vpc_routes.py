from collections.abc import Mapping, Sequence

import pulumi
import pulumi_aws as aws

from hpc_components.aws.tags import Tags

_ANYWHERE = "0.0.0.0/0"


def make_internet_gateway(
    name: str, *, vpc: "aws.ec2.Vpc", tags: Tags, opts: pulumi.ResourceOptions
) -> "aws.ec2.InternetGateway":
    label = f"{name}-internet"
    return aws.ec2.InternetGateway(label, vpc_id=vpc.id, tags=tags.for_resource(label), opts=opts)


def make_nat_gateways(
    name: str,
    zones: Sequence[str],
    *,
    subnets: "Mapping[str, aws.ec2.Subnet]",
    gateway: "aws.ec2.InternetGateway",
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "dict[str, aws.ec2.NatGateway]":
    after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[gateway]))
    nats = {}
    for zone in zones:
        label = f"{name}-nat-{zone}"
        address = aws.ec2.Eip(
            f"{label}-address", domain="vpc", tags=tags.for_resource(f"{label}-address"), opts=after
        )
        nats[zone] = aws.ec2.NatGateway(
            label, subnet_id=subnets[zone].id, allocation_id=address.id, tags=tags.for_resource(label), opts=after
        )
    return nats


def make_public_routes(
    name: str,
    *,
    vpc: "aws.ec2.Vpc",
    subnets: "Mapping[str, aws.ec2.Subnet]",
    gateway: "aws.ec2.InternetGateway",
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "aws.ec2.RouteTable":
    table = _make_table(name, "public", vpc, subnets, tags=tags, opts=opts)
    aws.ec2.Route(
        f"{name}-public-out",
        route_table_id=table.id,
        destination_cidr_block=_ANYWHERE,
        gateway_id=gateway.id,
        opts=opts,
    )
    return table


def make_private_routes(
    name: str,
    *,
    vpc: "aws.ec2.Vpc",
    subnets: "Mapping[str, aws.ec2.Subnet]",
    nats: "Mapping[str, aws.ec2.NatGateway]",
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "dict[str, aws.ec2.RouteTable]":
    """Make a route table for each private subnet, and return the tables keyed by zone.

    A table's default route goes to the zone's own NAT gateway or, if the zone has none, to any other gateway.
    """
    tables = {}
    for zone, subnet in subnets.items():
        tables[zone] = _make_table(name, f"private-{zone}", vpc, {zone: subnet}, tags=tags, opts=opts)
        nat = nats.get(zone) or next(iter(nats.values()), None)
        if nat is not None:
            aws.ec2.Route(
                f"{name}-private-{zone}-out",
                route_table_id=tables[zone].id,
                destination_cidr_block=_ANYWHERE,
                nat_gateway_id=nat.id,
                opts=opts,
            )
    return tables


def _make_table(
    name: str,
    label: str,
    vpc: "aws.ec2.Vpc",
    subnets: "Mapping[str, aws.ec2.Subnet]",
    *,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "aws.ec2.RouteTable":
    # FSx adds the tag `AmazonFSx` to the tables that it changes. Don't set that tag here: the provider ignores it
    # when reading the tables, so every preview would show a difference. Source: terraform-provider-aws
    # internal/service/ec2/vpc_route_table.go.
    table = aws.ec2.RouteTable(f"{name}-{label}", vpc_id=vpc.id, tags=tags.for_resource(f"{name}-{label}"), opts=opts)
    for zone, subnet in subnets.items():
        kind = label.partition("-")[0]
        aws.ec2.RouteTableAssociation(
            f"{name}-{kind}-{zone}-routes", subnet_id=subnet.id, route_table_id=table.id, opts=opts
        )
    return table
