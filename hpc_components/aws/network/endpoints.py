from collections.abc import Mapping

import pulumi
import pulumi_aws as aws

from hpc_components.aws.tags import Tags


def make_gateway_endpoint(
    name: str,
    service: str,
    *,
    region: str,
    vpc: "aws.ec2.Vpc",
    route_tables: "Mapping[str, aws.ec2.RouteTable]",
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "aws.ec2.VpcEndpoint":
    return aws.ec2.VpcEndpoint(
        f"{name}-{service}",
        vpc_id=vpc.id,
        service_name=f"com.amazonaws.{region}.{service}",
        vpc_endpoint_type="Gateway",
        route_table_ids=[table.id for table in route_tables.values()],
        tags=tags.for_resource(f"{name}-{service}"),
        opts=opts,
    )


def make_interface_endpoints(
    name: str,
    services: tuple[str, ...],
    *,
    region: str,
    vpc: "aws.ec2.Vpc",
    cidr: str,
    subnets: "Mapping[str, aws.ec2.Subnet]",
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    """Make an interface endpoint for each service, with an address in each subnet. The endpoints accept HTTPS
    connections from `cidr`.
    """
    group = aws.ec2.SecurityGroup(
        f"{name}-endpoints",
        description="Endpoints of AWS services",
        vpc_id=vpc.id,
        tags=tags.for_resource(f"{name}-endpoints"),
        opts=opts,
    )
    aws.vpc.SecurityGroupIngressRule(
        f"{name}-endpoints-https",
        security_group_id=group.id,
        ip_protocol="tcp",
        from_port=443,
        to_port=443,
        cidr_ipv4=cidr,
        tags=tags.for_resource(f"{name}-endpoints-https"),
        opts=opts,
    )
    for service in services:
        aws.ec2.VpcEndpoint(
            f"{name}-{service}",
            vpc_id=vpc.id,
            service_name=f"com.amazonaws.{region}.{service}",
            vpc_endpoint_type="Interface",
            private_dns_enabled=True,
            subnet_ids=[subnet.id for subnet in subnets.values()],
            security_group_ids=[group.id],
            tags=tags.for_resource(f"{name}-{service}"),
            opts=opts,
        )
